// The page of all models: search and families.

function startPage() {
  const main = document.querySelector("main");
  const words = el("input", { id: "search", type: "search", autocomplete: "off", spellcheck: "false", oninput: () => update() });
  const families = [...new Set(archsheet.index.map((one) => one.family))];
  const family = el("select", { id: "family", onchange: () => update() }, option("", say("all_families"), ""), ...families.map((name) => option(name, name, null)));
  const count = el("p", { class: "note", role: "status" });
  const lines = archsheet.index.map((one) => {
    const presets = one.presets.map(([name, params, flops]) => {
      const numbers = [params === null ? "" : short(BigInt(params), COUNT_PREFIXES, ""), flops === null ? "" : short(BigInt(flops), PREFIXES, "FLOP")];
      return el("tr", {}, el("td", {}, el("a", { href: `${one.name}.html#${VERSION}&p=${encodeURIComponent(name)}` }, name)), ...numbers.map((text) => el("td", { class: "number" }, text)));
    });
    const node = el("article", { class: "model" }, el("h2", {}, el("a", { href: `${one.name}.html` }, one.title), " ", el("small", {}, one.year)),
      el("p", {}, one.description), presets.length ? el("table", {}, el("tbody", {}, ...presets)) : null);
    const text = [one.name, one.title, one.family, one.year, one.description, ...one.presets.map(([name]) => name)].join("\n").toLowerCase();
    return { node, text, family: one.family };
  });

  function update() {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const line of lines) {
      const isHit = wanted.every((word) => line.text.includes(word)) && (family.value === "" || line.family === family.value);
      line.node.hidden = !isHit;
      shown += isHit ? 1 : 0;
    }
    count.textContent = say("found", { count: shown, all: lines.length });
  }

  replace(main, el("div", { class: "controls" }, field(say("search"), words), field(say("family"), family)), count, el("div", { class: "models" }, ...lines.map((line) => line.node)));
  update();
}

if (archsheet.index) startPage();
else if (!model) replace(document.querySelector("main"), el("p", {}, say("no_index")));
if (model) archsheet.app = new App();
