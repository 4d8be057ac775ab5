// Two to eight models, presets or scenarios side by side. The pages' own scripts are loaded, and each side is worked out with its own model.

const MOST_SIDES = 8;
const loaded = new Map(); // by the name of a page: {model, formulas}

// Load the script of a page, which leaves its model where all pages look for theirs, and that of its presets with other options or blocks.
async function loadModel(name) {
  if (loaded.has(name)) return;
  const mine = archsheet;
  await loadScript(`${name}.js`);
  if (globalThis.archsheet.model) {
    const own = { model: globalThis.archsheet.model, formulas: globalThis.archsheet.formulas(HELPERS), others: new Map() };
    if (own.model.others.length) own.others = await loadOthers(name);
    loaded.set(name, own);
  }
  globalThis.archsheet = mine;
}

// Something of a side, {page, preset, run} with a pass, an optimiser or nothing for the last, while its model is in force.
function asSide(side, work) {
  const page = loaded.get(side.page);
  const own = page.others.get(side.preset) ?? page;
  [model, formulas] = [own.model, own.formulas];
  return work();
}

const isRun = (text) => text === "" || PASSES.includes(text) || places(common.optimisers, text) >= 0;
const passOf = (side) => (PASSES.includes(side.run) && model.decoding.length ? side.run : "");
const optimiserOf = (side) => (PASSES.includes(side.run) ? "" : side.run);

class Comparison {
  constructor() {
    this.remark = el("p", { class: "mistake", role: "alert", hidden: true });
    window.addEventListener("hashchange", () => location.hash !== this.address() && this.open());
    window.addEventListener("resize", () => this.drawn && this.drawChart());
    this.open();
  }

  async open() {
    await learn(languageAsked(location.hash));
    this.read();
    for (const side of this.sides) await loadModel(side.page);
    this.sides = this.sides.filter((side) => loaded.has(side.page));
    for (const side of this.sides) this.settle(side);
    this.build();
  }

  read() {
    const [version, ...parts] = location.hash.replace(/^#/, "").split("&");
    const unknown = location.hash.length > 1 && version !== VERSION ? [version] : [];
    Object.assign(this, { sides: [], sizes: new Map(), dtype: "bfloat16", weights: "", cache: "", measure: "params", over: "", equal: false });
    language = "en";
    for (const part of parts) {
      const [key, value] = readPart(part);
      if (key === null || !this.readOne(key, value)) unknown.push(part);
    }
    if (!this.sides.length) this.sides = archsheet.index.slice(0, 2).map((one) => ({ page: one.name, preset: "", run: "" }));
    this.remark.hidden = unknown.length === 0;
    this.remark.textContent = unknown.length ? say("unknown_parts", { parts: unknown.map((part) => part.slice(0, 60)).join(", ") }) : "";
  }

  readOne(key, value) {
    if (key === "m") {
      const [page, preset = "", run = ""] = value.split(" ");
      const isKnown = places(archsheet.index, page, "name") >= 0 && isRun(run) && this.sides.length < MOST_SIDES;
      if (isKnown) this.sides.push({ page, preset, run });
      return isKnown;
    }
    if (key.startsWith(SIZE_PART)) {
      const number = wholeNumber(value);
      if (number !== null && number >= 1n) this.sizes.set(key.slice(SIZE_PART.length), number);
      return number !== null && number >= 1n;
    }
    const known = { l: ["lang", isLanguage(value)], d: ["dtype", places(common.dtypes, value) >= 0], w: ["weights", stored(value)], c: ["cache", stored(value)],
      q: ["measure", value === "memory" || measureIndex(value) >= 0], x: ["over", true], z: ["equal", value === "1"] };
    if (!Object.hasOwn(known, key) || !known[key][1]) return false;
    if (key === "l") language = value;
    else this[known[key][0]] = key === "z" ? true : value;
    return true;
  }

  address() {
    const usual = { l: "en", d: "bfloat16", w: "", c: "", q: "params", x: "", z: "" };
    const now = { l: language, d: this.dtype, w: this.weights, c: this.cache, q: this.measure, x: this.over, z: this.equal ? "1" : "" };
    const parts = this.sides.map((side) => `m=${encodeURIComponent([side.page, side.preset, side.run].join(" ").trim())}`);
    for (const key of Object.keys(usual)) if (now[key] !== usual[key]) parts.push(`${key}=${encodeURIComponent(now[key])}`);
    for (const [name, value] of this.sizes) parts.push(`${SIZE_PART}${encodeURIComponent(name)}=${value}`);
    return `#${[VERSION, ...parts].join("&")}`;
  }

  // A preset and a scenario that the model of a side has.
  settle(side) {
    asSide(side, () => {
      if (places(model.presets, side.preset) < 0) side.preset = model.presets[0][0];
      if (PASSES.includes(side.run) && !model.decoding.length) side.run = "";
    });
  }

  change(change, isRebuilt = false) {
    change();
    if (isRebuilt) this.build(document.activeElement?.id);
    else this.update();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => showAddress(this.address()), WAIT);
  }

  title(side) {
    const run = side.run === "" ? "" : `, ${PASSES.includes(side.run) ? say(side.run) : say("training", { optimiser: side.run })}`;
    return `${side.preset || told(loaded.get(side.page).model.title, archsheet.said)}${run}`;
  }

  given(side) {
    const given = presetSizes(places(model.presets, side.preset));
    model.sizes.forEach(([name, , kind], index) => {
      if (kind !== "derived" && this.sizes.has(name)) given[index] = this.sizes.get(name);
    });
    return inPass(passOf(side), given);
  }

  needs(side, sizes) {
    return memoryNeeds({ dtype: this.dtype, weights: this.weights || this.dtype, cache: this.cache || this.dtype, optimiser: optimiserOf(side) }, sizes);
  }

  build(focus = "") {
    document.documentElement.lang = language;
    headed(say("compare_title"), say("compare_about"));
    this.said = el("div", { role: "status" });
    this.table = el("div", { id: "differences" });
    this.picture = el("div", { class: "picture" });
    const sizes = el("div", { class: "controls" }, ...this.shared().map((name) => this.sizeField(name)));
    const add = el("button", { type: "button", id: "add", disabled: this.sides.length >= MOST_SIDES, onclick: () => this.change(() => this.sides.push({ ...this.sides[this.sides.length - 1] }), true) }, say("add_side"));
    const equal = el("input", { type: "checkbox", id: "equal", onchange: () => this.change(() => (this.equal = equal.checked)) });
    equal.checked = this.equal;
    const as = storedChoices(this.dtype);
    replace(document.querySelector("main"), languageButtons(async (lang) => (await learn(lang), this.change(() => (language = lang), true))), this.remark,
      el("h2", {}, say("sides")), el("ol", { class: "compared" }, ...this.sides.map((side, place) => this.sideFields(side, place))), el("p", {}, add),
      el("h2", {}, say("settings")),
      el("div", { class: "controls" }, this.choice("dtype", say("computes_in"), common.dtypes.map(([key]) => [key, key]), this.dtype, (value) => (this.dtype = value), true),
        this.choice("weights", say("weights_in"), as, this.weights, (value) => (this.weights = value)), this.choice("cache", say("cache_in"), as, this.cache, (value) => (this.cache = value))),
      sizes, this.said,
      el("h2", {}, say("differences")), el("label", { class: "check" }, equal, say("show_equal")), this.table,
      el("h2", {}, say("growth")), el("div", { class: "controls" },
        this.choice("measure", say("quantity"), [["memory", say("memory_needed")], ...common.measures.map(([key]) => [key, measureWords(key)[0]])], this.measure, (value) => (this.measure = value)),
        this.choice("over", say("over"), this.shared().map((name) => [name, name]), this.over, (value) => (this.over = value))), this.picture);
    this.drawn = true;
    this.update();
    if (focus) document.getElementById(focus)?.focus();
  }

  choice(id, label, options, value, change, isRebuilt = false) {
    const control = el("select", { id, onchange: () => this.change(() => change(control.value), isRebuilt) }, ...options.map(([key, text]) => option(key, text, value)));
    return field(label, control);
  }

  sideFields(side, place) {
    const pages = archsheet.index.map((one) => [one.name, told(one.title, archsheet.said)]);
    const other = async (name) => {
      await loadModel(name);
      if (!loaded.has(name)) return;
      this.change(() => { side.page = name; this.settle(side); }, true);
    };
    const model_ = el("select", { id: `model-${place}`, onchange: () => other(model_.value) }, ...pages.map(([key, text]) => option(key, text, side.page)));
    const page = loaded.get(side.page);
    const presets = [...page.model.presets, ...page.model.others].map(([name]) => name).filter(Boolean);
    const runs = asSide(side, () => scenarioChoices());
    const link = asSide(side, () => `${side.page}.html#${VERSION}&p=${encodeURIComponent(side.preset)}${passOf(side) ? `&y=${side.run}` : ""}${optimiserOf(side) ? `&t=${side.run}` : ""}`);
    return el("li", {}, el("div", { class: "controls" }, field(say("architecture_of"), model_),
      presets.length ? this.choice(`preset-${place}`, say("preset"), presets.map((name) => [name, name]), side.preset, (value) => (side.preset = value), true) : null,
      this.choice(`run-${place}`, say("scenario"), runs, side.run, (value) => (side.run = value), true),
      el("a", { href: link }, say("its_page")),
      this.sides.length > 1 ? el("button", { type: "button", "aria-label": say("remove_side", { side: this.title(side) }), onclick: () => this.change(() => this.sides.splice(place, 1), true) }, "×") : null));
  }

  // The names of the sizes that can be typed for all sides: those that presets leave open, and those that bound them.
  shared() {
    const names = new Set(this.sizes.keys());
    for (const side of this.sides) {
      asSide(side, () => {
        const published = model.presets[places(model.presets, side.preset)][1].map(([place]) => place);
        const bounds = model.growth.bounds.map(([, high]) => high);
        model.sizes.forEach(([name, , kind], index) => {
          const isOpen = (kind === "free" || isContext(index)) && !published.includes(index) && !setByPass(passOf(side)).includes(index);
          if (isOpen || bounds.includes(index)) names.add(name);
        });
      });
    }
    return [...names];
  }

  sizeField(name) {
    const typed = el("input", { id: `size-${name}`, type: "text", inputmode: "numeric", autocomplete: "off", spellcheck: "false", value: this.sizes.has(name) ? withSeparators(this.sizes.get(name)) : "", placeholder: say("from_side"), oninput: () => this.typed(name, typed) });
    return field(name, typed);
  }

  typed(name, control) {
    const text = control.value.trim();
    const value = text === "" ? null : wholeNumber(text);
    const isSize = text === "" || (value !== null && value >= 1n);
    control.setAttribute("aria-invalid", String(!isSize));
    if (isSize) this.change(() => (value === null ? this.sizes.delete(name) : this.sizes.set(name, value)));
  }

  // For each side its sizes, or what is wrong with them.
  update() {
    this.now = this.sides.map((side) => asSide(side, () => {
      const sizes = complete(this.given(side));
      const wrong = mistakes(sizes).map(([, key, values]) => say(key, values));
      return { sizes, wrong };
    }));
    replace(this.said, ...this.now.flatMap(({ wrong }, place) => (wrong.length ? [el("p", { class: "mistake" }, `${this.title(this.sides[place])}: ${wrong.join("; ")}`)] : [])));
    const heads = [[say("what"), ""], ...this.sides.map((side) => [this.title(side), "number"])];
    const rows = this.rows();
    replace(this.table, rows.length ? table(heads, rows, say("differences")) : el("p", { class: "note" }, say("all_equal")));
    this.drawChart();
  }

  // A row for each size, count and part of memory; those that are equal on all sides are left out unless they are asked for.
  rows() {
    const at = (work) => this.sides.map((side, place) => (this.now[place].wrong.length ? "–" : asSide(side, () => work(side, this.now[place].sizes))));
    const found = [];
    const add = (title, cells) => {
      if (cells.some((cell) => cell !== "–") && (this.equal || new Set(cells).size > 1)) found.push([title, ...cells]);
    };
    const names = new Set(this.sides.flatMap((side) => asSide(side, () => model.sizes.map(([name]) => name))));
    for (const [key] of common.measures) {
      const isIdle = this.sides.every((side) => asSide(side, () => model.idle.includes(key)));
      if (!isIdle) add(measureWords(key)[0], at((side, sizes) => known(total(key, sizes), (value) => `${shortCount(value, measureUnit(key))} (${withSeparators(value)})`)));
    }
    const kinds = new Set(this.sides.flatMap((side, place) => asSide(side, () => this.needs(side, this.now[place].sizes).parts.map(([key]) => key))));
    for (const kind of kinds) {
      add(say(`part_${kind}`, { optimiser: say("optimiser") }), at((side, sizes) => {
        const part = this.needs(side, sizes).parts.find(([key]) => key === kind);
        return part ? known(part[1], bothUnits) : "–";
      }));
    }
    add(say("memory_needed"), at((side, sizes) => known(this.needs(side, sizes).sum, bothUnits)));
    add(say("device"), at((side, sizes) => {
      const device = smallestDevice(this.needs(side, sizes).sum);
      return device ? device[1] : "–";
    }));
    for (const name of names) {
      add(name, at((side, sizes) => {
        const place = places(model.sizes, name, SIZE_NAME);
        return place < 0 || sizes[place] === null ? "–" : withSeparators(sizes[place]);
      }));
    }
    return found;
  }

  drawChart() {
    const over = this.over || this.shared()[0];
    const titles = this.sides.map((side) => this.title(side));
    const start = this.start(over);
    if (start === null) return replace(this.picture, el("p", { class: "note" }, say("no_growth", { size: over })));
    const values = new Set();
    for (let halves = -2 * OCTAVES; halves <= 2 * OCTAVES; halves += 1) values.add(scaledBy(start, halves) || 1n);
    const points = [...values].sort((a, b) => (a < b ? -1 : 1)).map((value) => [value, ...this.sides.map((side) => asSide(side, () => this.costAt(side, over, value)))]);
    const unit = this.measure === "memory" ? "" : measureUnit(this.measure);
    const what = this.measure === "memory" ? say("memory_needed") : measureWords(this.measure)[0];
    const cell = (value) => (value === null ? "–" : withSeparators(value));
    replace(this.picture, ...drawing(this.picture, this.picture, `comparison-${over}`, { points, crossings: [], start }, titles, over, unit),
      el("details", { class: "more" }, el("summary", {}, say("as_table")), table([[over, "number"], ...titles.map((title) => [title, "number"])], points.map((point) => point.map(cell)), `${what}: ${titles.join(", ")}`)));
  }

  start(over) {
    for (const [place, side] of this.sides.entries()) {
      const value = asSide(side, () => this.now[place].sizes[places(model.sizes, over, SIZE_NAME)]);
      if (value) return value;
    }
    return null;
  }

  // What a side costs with one size at a value; null where it has no such size, or a condition is broken.
  costAt(side, over, value) {
    const index = places(model.sizes, over, SIZE_NAME);
    if (index < 0 || model.sizes[index][SIZE_KIND] === "derived") return null;
    const sizes = sizesAt(this.given(side), index, value, new Set());
    if (sizes === null) return null;
    return this.measure === "memory" ? this.needs(side, sizes).sum : total(this.measure, sizes);
  }
}

const bothUnits = (bytes) => `${inBinary(bytes)} (${withSeparators(bytes)} B)`;
