const REST = 60; // milliseconds

// The page of one model: the state, what follows from it, and the views that show it.

class App {
  constructor() {
    this.wrong = new Set(); // sizes in whose fields something stands that is no size
    this.now = null;
    this.timer = null;
    this.hasState = valueOf(model.memory.state, model.sizes.map(() => 1n)) !== 0n;
    this.work = model.growth.quantity;
    this.views = [answerView, sizesView, configView, memoryView, treeView, growthView, aboutView].map((view) => view(this));
    this.remark = el("p", { class: "mistake", role: "alert", hidden: true });
    this.read();
    this.place();
  }

  read() {
    const { state, unknown } = readAddress(location.hash);
    this.state = state;
    language = state.lang;
    this.remark.hidden = unknown.length === 0;
    this.remark.textContent = unknown.length ? say("unknown_parts", { parts: unknown.map((part) => part.slice(0, 60)).join(", ") }) : "";
  }

  // Go on with a preset for which another model comes into force: with the same formats, task and sizes as far as that has them.
  leaveFor(preset) {
    const kept = writeAddress(this.state).split("&").slice(1).filter((part) => !/^[upiorxabq]=/.test(part));
    const isOther = archsheet.model.others.some(([name]) => name === preset);
    location.hash = [VERSION, isOther ? `u=${encodeURIComponent(preset)}` : "", `p=${encodeURIComponent(preset)}`, ...kept].filter(Boolean).join("&");
  }

  // An address that somebody has typed or followed; not one that the page has written itself.
  arrive() {
    if (location.hash === writeAddress(this.state)) return;
    this.wrong.clear();
    this.read();
    this.place();
  }

  place() {
    document.documentElement.lang = language;
    headed(told(model.title), told(model.description));
    const main = document.querySelector("main");
    const [answer, ...others] = this.views;
    replace(main, languageButtons((lang) => this.speak(lang)), this.remark, answer.sticky, answer.node, ...others.map((view) => view.node));
    others.forEach((view) => view.build());
    this.update();
    this.updateLater();
  }

  async speak(lang) {
    if (!knows(lang)) await learn(lang);
    this.state.lang = lang;
    language = lang;
    this.place();
    this.write();
  }

  rebuild(focus) {
    this.views[1].build();
    this.update();
    document.getElementById(focus)?.focus();
  }

  get pass() {
    return this.state.optimiser ? "" : this.state.pass;
  }

  // Sizes as given: typed ones over those of the preset, and those that follow from the pass.
  given() {
    const given = presetSizes(this.state.preset);
    this.state.typed.forEach((value, index) => {
      if (value !== null) given[index] = value;
    });
    return inPass(this.pass, given);
  }

  change(change, mine = null) {
    change(this.state);
    this.update(mine);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.write(), WAIT);
  }

  write() {
    showAddress(writeAddress(this.state));
  }

  // Totals stay those of the last sizes that fit together where the present ones do not; where a page opens so, those of the preset.
  update(mine = null) {
    const all = complete(this.given());
    const fits = mistakes(all).length === 0;
    const sizes = fits ? all : this.now === null ? complete(inPass(this.pass, presetSizes(this.state.preset))) : this.now.sizes;
    const s = this.state;
    const setting = { dtype: s.dtype, weights: s.weights || s.dtype, cache: s.cache || s.dtype, optimiser: s.optimiser };
    this.now = { all, sizes, setting, needs: memoryNeeds(setting, sizes), isStale: !fits || this.wrong.size > 0 };
    for (const view of this.views) view.update(mine);
    clearTimeout(this.later);
    this.later = setTimeout(() => this.updateLater(), REST);
  }

  // What searches many sizes waits until the typing or the sliding rests.
  updateLater() {
    for (const view of this.views) view.updateLater?.();
  }
}

// The models of the page: that of its own script, and those of presets with other options or blocks once one of them was asked for.
const USUAL = { model, formulas };
let others = null;

async function open() {
  if (!knows(languageAsked(location.hash))) {
    await learn(languageAsked(location.hash));
    return open();
  }
  const asked = otherAsked(location.hash);
  if (asked && others === null) {
    others = await loadOthers(model.name);
    return open(); // the address may be another one by now
  }
  const own = others?.get(asked) ?? USUAL;
  if (own.model === model && archsheet.app) return archsheet.app.arrive();
  inForce(own);
  archsheet.app = new App();
}

if (model) {
  window.addEventListener("hashchange", open);
  window.addEventListener("resize", () => archsheet.app?.update());
  open();
}
