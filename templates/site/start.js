// The page of all models: the questions that people ask, search and families.

// The parts of an address: l the language, s what is searched for, f the family.
function startState() {
  const given = new Map(location.hash.replace(/^#/, "").split("&").slice(1).map(readPart));
  return { lang: languageAsked(location.hash), search: given.get("s") || "", family: given.get("f") || "" };
}

async function startPage() {
  if (!knows(languageAsked(location.hash))) await learn(languageAsked(location.hash));
  const main = document.querySelector("main");
  const state = startState();
  language = state.lang;
  document.documentElement.lang = language;
  headed(say("start_title"), say("start_about"));
  const words = el("input", { id: "search", type: "search", autocomplete: "off", spellcheck: "false", oninput: () => changed() });
  const families = [...new Set(archsheet.index.map((one) => one.family))];
  const family = el("select", { id: "family", onchange: () => changed() }, option("", say("all_families"), ""), ...families.map((name) => option(name, told(name, archsheet.said), null)));
  const count = el("p", { class: "note", role: "status" });
  const lines = archsheet.index.map((one) => {
    const presets = one.presets.map(([name, params, flops]) => {
      const numbers = [params === null ? "" : short(BigInt(params), COUNT_PREFIXES, ""), flops === null ? "" : short(BigInt(flops), PREFIXES, "FLOP")];
      return el("tr", {}, el("td", {}, el("a", { href: linkTo(one.name, `p=${encodeURIComponent(name)}`) }, name)), ...numbers.map((text) => el("td", { class: "number" }, text)));
    });
    const node = el("article", { class: "model" }, el("h3", {}, el("a", { href: linkTo(one.name, "") }, told(one.title, archsheet.said)), " ", el("small", {}, one.year)),
      el("p", {}, told(one.description, archsheet.said)), presets.length ? el("table", {}, el("tbody", {}, ...presets)) : null);
    const texts = [one.title, one.family, one.description].flatMap((text) => [text, told(text, archsheet.said)]);
    const text = [one.name, ...texts, one.year, ...one.presets.map(([name]) => name)].join("\n").toLowerCase();
    return { node, text, family: one.family };
  });

  let timer = null;
  function write() {
    const parts = [["l", language === "en" ? "" : language], ["s", words.value], ["f", family.value]].filter(([, value]) => value);
    showAddress(parts.length ? `#${[VERSION, ...parts.map(([key, value]) => `${key}=${encodeURIComponent(value)}`)].join("&")}` : "");
  }

  function changed() {
    update();
    clearTimeout(timer);
    timer = setTimeout(write, WAIT);
  }

  async function speak(lang) {
    if (!knows(lang)) await learn(lang);
    language = lang;
    write();
    startPage();
  }

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

  words.value = state.search;
  if (families.includes(state.family)) family.value = state.family;
  const asked = archsheet.questions.map((one) => el("li", {}, el("a", { href: linkTo(one.page, one.address) }, one[language])));
  replace(main, languageButtons(speak), asked.length ? el("section", { id: "questions" }, el("h2", {}, say("asked")), el("ul", {}, ...asked)) : null,
    el("p", {}, el("a", { href: linkTo("compare", "") }, say("side_by_side"))),
    el("section", { id: "config-section" }, el("h2", {}, say("config_title")), configOpener()),
    el("h2", {}, say("architectures")), el("div", { class: "controls" }, field(say("search"), words), field(say("family"), family)), count, el("div", { class: "models" }, ...lines.map((line) => line.node)));
  update();
}

if (archsheet.index && document.querySelector("main").dataset.page === "compare") archsheet.comparison = new Comparison();
else if (archsheet.index) {
  startPage();
  window.addEventListener("hashchange", startPage);
}
if (!archsheet.index && !model) replace(document.querySelector("main"), el("p", {}, ...rich(say("no_index"))));
