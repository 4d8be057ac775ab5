// The sizes: first those that no preset sets, then the architecture, folded away behind the preset.

const APART = "="; // before a preset for which another model comes into force
const SLIDER_TOP = 24; // the slider goes from one to two to the power of this

function sizesView(app) {
  const fields = new Map();
  const message = el("p", { class: "mistake", role: "alert", hidden: true });

  function isOpen(index) {
    const published = model.presets[app.state.preset][1].some(([place]) => place === index);
    return !published && (model.sizes[index][SIZE_KIND] === "free" || isContext(index));
  }

  function sizeField(index) {
    const [name, meaning] = model.sizes[index];
    const id = `size-${index}`;
    const typed = el("input", {
      id, type: "text", inputmode: "numeric", autocomplete: "off", spellcheck: "false", "aria-describedby": `${id}-said`,
      oninput: () => type(index, typed.value),
      onkeydown: (event) => step(event, index),
    });
    const slider = el("input", {
      type: "range", min: "0", max: String(SLIDER_TOP), step: "1", "aria-label": say("slider", { name }),
      oninput: () => app.change((s) => (s.typed[index] = 1n << BigInt(slider.value))),
    });
    const back = el("button", { type: "button", class: "back", title: say("reset_size", { name }), "aria-label": say("reset_size", { name }), onclick: () => reset(index) }, "↺");
    const said = el("span", { id: `${id}-said`, class: "said" });
    const node = el("div", { class: "size" },
      el("label", { for: id }, math(model.sizes[index][SIZE_MATH]), " ", el("span", {}, ...rich(told(meaning)))),
      el("div", { class: "inputs" }, typed, slider, back), said);
    fields.set(index, { typed, slider, back, said, node });
    return node;
  }

  function type(index, text) {
    const { said, typed } = fields.get(index);
    const value = wholeNumber(text);
    const isSize = text.trim() === "" || (value !== null && value >= 1n);
    app.wrong[isSize ? "delete" : "add"](index);
    typed.setAttribute("aria-invalid", String(!isSize));
    if (!isSize) {
      said.textContent = say("not_a_size", { text: text.slice(0, 40) });
      said.classList.add("mistake");
      app.update();
      return;
    }
    app.change((s) => (s.typed[index] = text.trim() === "" ? null : value));
  }

  // Arrows step by one, and by the factor two with the page keys.
  function step(event, index) {
    const now = complete(app.given())[index];
    const steps = { ArrowUp: (v) => v + 1n, ArrowDown: (v) => v - 1n, PageUp: (v) => 2n * v, PageDown: (v) => v / 2n };
    if (now === null || !Object.hasOwn(steps, event.key)) return;
    event.preventDefault();
    const next = steps[event.key](now);
    if (next >= 1n) app.change((s) => (s.typed[index] = next), index);
  }

  function reset(index) {
    app.wrong.delete(index);
    app.change((s) => (s.typed[index] = null), index);
  }

  // The presets of the model in force, and those that go with other options or blocks, for which another model comes into force.
  function presetField() {
    const own = model.presets.map(([name]) => name).filter((_, index) => index !== CONFIG() || app.state.preset === CONFIG());
    const apart = allPresets().filter(([name]) => !own.includes(name));
    if (own.length === 1 && own[0] === "" && !apart.length) return el("p", { class: "note" }, say("no_presets"));
    const control = el("select", { id: "preset", onchange: () => choose(control.value) },
      ...own.map((name, index) => option(String(index), name || say("no_preset"), String(app.state.preset))),
      ...apart.map(([name, choices]) => option(`${APART}${name}`, choices.length ? `${name} (${choices.join(", ")})` : name, null)));
    return field(say("preset"), control);
  }

  function choose(value) {
    app.wrong.clear();
    if (value.startsWith(APART)) return app.leaveFor(value.slice(APART.length));
    app.change((s) => { s.preset = Number(value); });
    app.rebuild("preset");
  }

  const box = el("section", { id: "sizes" });
  function build() {
    fields.clear();
    const settable = model.sizes.map((size, index) => index).filter((index) => model.sizes[index][SIZE_KIND] !== "derived");
    const open = settable.filter(isOpen);
    const rest = settable.filter((index) => !isOpen(index));
    const folded = el("details", { class: "more" }, el("summary", {}, say("architecture", { sizes: rest.map((index) => model.sizes[index][SIZE_NAME]).join(", ") })),
      el("div", { class: "sizes" }, ...rest.map(sizeField)), derived);
    folded.open = rest.some((index) => app.state.typed[index] !== null) || open.length === 0;
    replace(box, el("h2", {}, say("sizes")), presetField(), message, el("div", { class: "sizes" }, ...open.map(sizeField)), rest.length ? folded : null,
      el("p", { class: "note" }, say("size_keys")));
    const choices = allPresets().find(([name]) => name === model.other)?.[1];
    if (choices) box.append(el("p", { class: "note" }, say("other_choices", { choices: choices.join(", ") })));
  }

  // Sizes that another one exceeds, such as P by n where n <= P does not hold: [place, value that it must have at least].
  function exceeded(sizes) {
    const least = new Map();
    for (const [low, high] of model.growth.bounds) {
      if (sizes[low] !== null && sizes[high] !== null && sizes[low] > (least.get(high) ?? sizes[high])) least.set(high, sizes[low]);
    }
    return [...least];
  }

  function raise([index, value]) {
    const text = say("raise", { name: model.sizes[index][SIZE_NAME], value: withSeparators(value) });
    return el("button", { type: "button", class: "raise", onclick: () => app.change((s) => (s.typed[index] = value), index) }, text);
  }

  const derived = el("p", { class: "note derived" });

  function update(isMine) {
    const sizes = app.now.all;
    const broken = mistakes(sizes);
    const set = setByPass(app.pass);
    for (const [index, { typed, slider, back, said, node }] of fields) {
      const value = sizes[index];
      const own = app.state.typed[index];
      if (!app.wrong.has(index)) {
        if (document.activeElement !== typed || index === isMine) typed.value = value === null ? "" : withSeparators(value);
        const mine = broken.filter(([places]) => places.includes(index));
        typed.setAttribute("aria-invalid", String(mine.length > 0));
        said.classList.toggle("mistake", mine.length > 0);
        said.textContent = mine.length ? mine.map(([, key, values]) => say(key, values)).join("; ") : from(index);
      }
      slider.value = value === null ? "0" : String(Math.min(SLIDER_TOP, Number(bitLength(value)) - 1));
      slider.setAttribute("aria-valuetext", value === null ? "" : withSeparators(value));
      back.hidden = own === null && !app.wrong.has(index);
      node.classList.toggle("changed", own !== null);
      node.hidden = set.includes(index);
    }
    const following = model.sizes.map((size, index) => [size, sizes[index]]).filter(([size]) => size[SIZE_KIND] === "derived");
    derived.textContent = following.map(([[name, meaning], value]) => `${name} = ${value === null ? "–" : withSeparators(value)} (${told(meaning)})`).join("; ");
    message.hidden = !app.now.isStale;
    const said = app.now.isStale ? say("stale", { mistakes: [...new Set(broken.map(([, key, values]) => say(key, values)))].join("; ") || say("typed_wrong") }) : "";
    replace(message, said, ...exceeded(sizes).map(raise));
  }

  function from(index) {
    const preset = model.presets[app.state.preset];
    if (app.state.typed[index] !== null) return say("from_typed");
    if (preset[3].some(([place]) => place === index)) return say("from_example");
    if (preset[2].includes(index) || !preset[1].some(([place]) => place === index)) return say("from_default");
    return say("from_preset", { preset: preset[0] });
  }

  return { node: box, build, update };
}
