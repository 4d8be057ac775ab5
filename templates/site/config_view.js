// A config.json that is dropped on a page or chosen by a button: what becomes of each of its keys, and the sizes that it gives.

const LONGEST_CONFIG = 1 << 20; // bytes
const HANDED_ON = "archsheet.config"; // under which the start page hands a file on to the page that it opens
let importsLoading = null;

// The rules come only where they are asked for.
function loadImports() {
  if (archsheet.imports) return Promise.resolve();
  importsLoading ??= loadScript("imports.js");
  return importsLoading;
}

const textOf = (file) => new Promise((resolve, reject) => {
  const reader = new FileReader();
  reader.addEventListener("load", () => resolve(String(reader.result)));
  reader.addEventListener("error", () => reject(reader.error));
  reader.readAsText(file);
});

// The part of an address that says the sizes of a configuration, and the preset whose options it has where they are not those in force.
function configPart(sizes, other) {
  const pairs = encodeURIComponent([...sizes].map(([name, value]) => `${name}:${value}`).join(","));
  return `${other ? `u=${encodeURIComponent(other)}&` : ""}i=${pairs}`;
}

// Open the page that a file is of, which is handed on to be read there again.
function handOn(name, text, address) {
  try {
    sessionStorage.setItem(HANDED_ON, JSON.stringify([name, text]));
  } catch { /* without such a store, the address has the sizes */ }
  location.href = address;
}

// The button, what is said of the file, and the whole page as a place to drop it.
// `take` gets what was found and the text of the file; it returns what else is to be said.
function configBox(take) {
  const said = el("div", { id: "config-said", role: "status" });
  const input = el("input", { id: "config-file", type: "file", accept: ".json,application/json", onchange: () => input.files.length && read(input.files[0]) });

  async function read(file) {
    if (file.size > LONGEST_CONFIG) return replace(said, el("p", { class: "mistake" }, say("config_too_long")));
    show(file.name, await textOf(file));
  }

  async function show(name, text) {
    await loadImports();
    if (!archsheet.imports) return replace(said, el("p", { class: "mistake" }, say("config_no_rules")));
    replace(said, ...configSaid(name, text, take));
  }

  const node = el("div", { id: "config" }, el("div", { class: "controls" }, field(say("config_choose"), input)), el("p", { class: "note" }, say("config_drop")), said);
  const open = () => node.closest("details")?.setAttribute("open", "");
  dropped = (file) => { open(); read(file); };
  return { node, show: (...file) => { open(); return show(...file); } };
}

let dropped = () => {};
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", (event) => {
  event.preventDefault();
  if (event.dataTransfer.files.length) dropped(event.dataTransfer.files[0]);
});

// On the page of a model: the sizes are filled in where the file is of this model, else its page is named.
function configView(app) {
  const box = el("details", { id: "config-section" });
  let shown = null; // is kept where the page is put together again

  function take({ mapping, rule, other }, name, text) {
    const address = linkTo(rule.spec, configPart(mapping.sizes, other));
    if (rule.spec !== model.name) return el("p", {}, el("a", { href: address }, say("reading_open", { title: told(rule.title, archsheet.imports.said) })));
    if (other !== (model.other ?? "")) {
      handOn(name, text, address);
      return el("p", {}, say("reading_filled"));
    }
    setConfig([...mapping.sizes].map(([name, value]) => [places(model.sizes, name, SIZE_NAME), value]));
    app.wrong.clear();
    app.change((s) => { s.preset = CONFIG(); s.typed.fill(null); });
    app.rebuild("config-file");
    return el("p", {}, say("reading_filled"));
  }

  function build() {
    if (shown === null || shown.language !== language) shown = { ...configBox(take), language };
    replace(box, el("summary", {}, say("config_title")), shown.node);
    try {
      const handed = sessionStorage.getItem(HANDED_ON);
      sessionStorage.removeItem(HANDED_ON);
      if (handed) shown.show(...JSON.parse(handed));
    } catch { /* as above */ }
  }

  return { node: box, build, update() {} };
}

// On the start page: the page of the model is opened, filled in.
function configOpener() {
  return configBox(({ mapping, rule, other }, name, text) => {
    const address = linkTo(rule.spec, configPart(mapping.sizes, other));
    handOn(name, text, address);
    return el("p", {}, el("a", { href: address }, say("reading_open", { title: told(rule.title, archsheet.imports.said) })));
  }).node;
}
