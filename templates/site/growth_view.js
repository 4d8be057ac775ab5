// Growth in a chart, in words and in a table.

function growthView(app) {
  const box = el("section", { id: "growth" });
  const said = el("div", { role: "status" });
  const picture = el("div", { class: "picture" });
  const numbers = el("details", { class: "more" });

  function sides() {
    const pair = model.growth.pair.map((name) => `part:${name}`);
    return [app.state.a || pair[0] || "total", app.state.b || pair[1] || "total"];
  }

  // The size over which is drawn; where the pass sets that, the one that goes with it.
  function over() {
    const chosen = app.state.over;
    const pair = model.decoding.find((places) => places.includes(chosen));
    if (!pair || !setByPass(app.pass).includes(chosen)) return chosen;
    const other = pair[0] === chosen ? pair[1] : pair[0];
    return other < 0 ? chosen : other;
  }

  function build() {
    if (model.growth.size < 0) return;
    const [a, b] = sides();
    const all = [["total", say("whole")], ...model.growth.parts.map(([name]) => [`part:${name}`, told(name, model.named)]), ...model.rows.map((row) => [`row:${row[ROW.path]}`, row[ROW.path]])];
    const choose = (id, label, value, change) => {
      const control = el("select", { id, onchange: () => app.change((s) => change(s, control.value)) }, ...all.map(([key, text]) => option(key, text, value)));
      return field(label, control);
    };
    const settable = model.sizes.map((size, index) => [String(index), `${size[SIZE_NAME]}: ${told(size[SIZE_MEANING])}`]).filter(([index]) => model.sizes[index][SIZE_KIND] !== "derived");
    const size = el("select", { id: "over", onchange: () => app.change((s) => (s.over = Number(size.value))) }, ...settable.map(([key, text]) => option(key, text, String(app.state.over))));
    replace(box, el("h2", {}, say("growth")),
      el("div", { class: "controls" }, choose("side-a", say("side_a"), a, (s, value) => (s.a = value)), choose("side-b", say("side_b"), b, (s, value) => (s.b = value)), field(say("over"), size)),
      said, picture, numbers, closed());
  }

  function closed() {
    const crossings = model.growth.crossings;
    if (!crossings.length) return el("p", { class: "note" }, say("no_crossings"));
    const heads = [[say("quantity"), ""], [say("sides"), "words"], [say("equal_at"), "formula"], [say("at_presets"), "words"]];
    const rows = crossings.map(([key, size, first, second, root, at]) => [
      measureWords(key)[1],
      say("pair", { a: first, b: second }),
      el("span", {}, math(model.sizes[size][SIZE_MATH]), " = ", math(root)),
      at.map(([preset, words]) => `${preset}: ${words}`).join("; "),
    ]);
    return el("details", { class: "more" }, el("summary", {}, say("crossings", { count: crossings.length })), table(heads, rows, say("crossings_caption")));
  }

  function updateLater() {
    if (model.growth.size < 0) return;
    const key = app.state.quantity;
    const chosen = sides();
    const titles = chosen.map(sideTitle);
    const place = over();
    const [name] = model.sizes[place];
    document.getElementById("over").value = String(place);
    const growth = app.now.isStale ? null : growthOf(app.given(), place, key, chosen);
    if (growth === null || growth.points.length < 2) {
      replace(picture);
      replace(numbers);
      return replace(said, el("p", { class: "note" }, say("no_growth", { size: name })));
    }
    replace(said, ...sentences(growth, titles, name, key).map((text) => el("p", {}, text)));
    replace(picture, ...drawing(picture, box, `${model.name}-${name}`, growth, titles, name, measureUnit(key)));
    const heads = [[name, "number"], ...titles.map((title) => [title, "number"])];
    const fill = () => replace(numbers, el("summary", {}, say("as_table")), numbers.open ? table(heads, growth.points.map((point) => point.map(withSeparators)), `${measureWords(key)[0]}: ${titles.join(", ")}`) : null);
    numbers.ontoggle = fill;
    fill();
  }

  function sentences(growth, titles, name, key) {
    const [a, b] = titles;
    const told = [];
    const now = growth.points.find(([value]) => value === growth.start);
    const twice = growth.points.find(([value]) => value === 2n * growth.start);
    const what = measureWords(key)[0];
    if (now) told.push(say("costs_now", { size: name, value: withSeparators(growth.start), what, a, b, first: shortCount(now[1], measureUnit(key)), second: shortCount(now[2], measureUnit(key)) }));
    if (now && twice) told.push(say("doubling", { size: name, a, b, first: ratio(twice[1], now[1]), second: ratio(twice[2], now[2]) }));
    if (a === b) return told;
    if (!growth.crossings.length) told.push(say("never_cross", { size: name, a, b }));
    for (const { low, high, above } of growth.crossings.slice(0, 3)) {
      told.push(say("overtakes", { large: titles[above], small: titles[1 - above], size: name, value: withSeparators(high), low: withSeparators(low) }));
    }
    const along = [...growth.grown];
    const beyond = growth.crossings.length ? alongAt(growth.crossings[0].high) : [];
    const names = [...new Set([...along, ...beyond])].map((index) => model.sizes[index][SIZE_NAME]);
    if (names.length) told.push(say("grows_along", { names: names.join(", "), size: name }));
    return told;
  }

  function alongAt(value) {
    const grown = new Set();
    sizesAt(app.given(), over(), value, grown);
    return grown;
  }

  return { node: box, build, update() {}, updateLater };
}
