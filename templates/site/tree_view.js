// The rows of the model as a tree that folds, with the share of each in the quantity that is chosen, and the details of one row.

function treeView(app) {
  const children = childrenOf(model.rows);
  const parents = model.rows.map(() => -1);
  children.forEach((below, index) => below.forEach((child) => (parents[child] = index)));
  const lines = [];
  const values = []; // texts of the details that follow the sizes
  let detailed = ""; // which row they are of
  const details = el("div", { class: "details", "aria-live": "polite" });
  const head = el("th", { scope: "col", class: "number" });
  const body = el("tbody");
  const box = el("section", { id: "rows" });

  function build() {
    lines.length = 0;
    detailed = "";
    replace(body, ...model.rows.map(line));
    const quantity = el("select", { id: "quantity", onchange: () => app.change((s) => (s.quantity = quantity.value)) },
      ...common.measures.map(([key]) => option(key, measureWords(key)[0], app.state.quantity)));
    const zeros = el("input", { type: "checkbox", id: "zeros", onchange: () => app.change((s) => (s.zeros = zeros.checked)) });
    zeros.checked = app.state.zeros;
    const all = (isOpen) => app.change((s) => (s.open = new Set(isOpen ? model.rows.keys() : [])));
    replace(box, el("h2", {}, say("rows")),
      el("div", { class: "controls" }, field(say("quantity"), quantity), el("label", { class: "check" }, zeros, say("show_zeros")),
        el("button", { type: "button", onclick: () => all(true) }, say("unfold_all")), el("button", { type: "button", onclick: () => all(false) }, say("fold_all"))),
      el("div", { class: "scroll" }, el("table", { class: "tree" }, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, say("row")), el("th", { scope: "col", class: "op" }, say("op")), head, el("th", { scope: "col" }, say("share")))), body)),
      details);
  }

  function line(row, index) {
    const fold = children[index].length
      ? el("button", { type: "button", class: "fold", "aria-expanded": "false", "aria-label": say("unfold", { row: row[ROW.path] }), onclick: () => toggle(index) }, "▸")
      : el("span", { class: "fold" });
    const name = el("button", { type: "button", class: "name", onclick: () => app.change((s) => (s.row = s.row === index ? -1 : index)) }, told(row[ROW.name], model.named));
    const value = el("td", { class: "number" });
    const bar = el("span", { class: "bar" });
    const share = el("span", { class: "percent" });
    const indent = el("div", { class: `row depth-${Math.min(row[ROW.depth], 8)}` }, fold, name);
    const node = el("tr", {}, el("th", { scope: "row" }, indent), el("td", { class: "op" }, row[ROW.op].replace(/^use /, "")), value, el("td", { class: "share" }, el("span", { class: "track" }, bar), share));
    lines.push({ node, fold, name, value, bar, share });
    return node;
  }

  function toggle(index) {
    app.change((s) => s.open.has(index) ? s.open.delete(index) : s.open.add(index));
  }

  function update() {
    const { sizes } = app.now;
    const s = app.state;
    const whole = total(s.quantity, sizes);
    head.textContent = measureWords(s.quantity)[1];
    const isShown = (index) => parents[index] < 0 || (s.open.has(parents[index]) && isShown(parents[index]));
    model.rows.forEach((row, index) => {
      const { node, fold, name, value, bar, share } = lines[index];
      const isInSight = isShown(index);
      const cost = isInSight ? rowCost(row, s.quantity, sizes) : null;
      node.hidden = !isInSight || (cost === 0n && !s.zeros && s.row !== index);
      if (node.hidden) return;
      if (children[index].length) {
        fold.textContent = s.open.has(index) ? "▾" : "▸";
        fold.setAttribute("aria-expanded", String(s.open.has(index)));
      }
      name.setAttribute("aria-pressed", String(s.row === index));
      node.classList.toggle("chosen", s.row === index);
      value.textContent = known(cost, (v) => shortCount(v, measureUnit(s.quantity)));
      value.title = known(cost, withSeparators);
      const part = cost === null || !whole ? 0 : Number((cost * 10000n) / whole) / 100;
      bar.style.setProperty("width", `${part}%`);
      share.textContent = cost === null || !whole ? "" : percent(cost, whole);
    });
    showDetails();
  }

  function showDetails() {
    const { sizes } = app.now;
    const index = app.state.row;
    const shown = `${index} ${language}`;
    if (shown !== detailed) {
      detailed = shown;
      values.length = 0;
      if (index < 0) replace(details, el("p", { class: "note" }, say("choose_row")));
      else buildDetails(model.rows[index], sizes);
    }
    for (const [node, text] of values) node.textContent = text(sizes);
  }

  // A text that follows the sizes; the formulas beside it are drawn once.
  function following(text) {
    const node = el("span");
    values.push([node, text]);
    return node;
  }

  function buildDetails(row) {
    const [module, number, code] = row[ROW.code];
    const facts = [
      [say("path"), el("code", {}, row[ROW.path])],
      [say("op"), el("code", {}, row[ROW.op])],
      [say("inputs"), el("code", {}, row[ROW.inputs].join(", ") || "–")],
      ...row[ROW.shapes].map(([part, axes]) => [part ? say("shape_of", { part }) : say("shape"), shape(axes)]),
      [say("times"), el("span", {}, drawn(row[ROW.repeat]), " = ", following((sizes) => known(valueOf(row[ROW.repeat], sizes), withSeparators)))],
    ];
    if (row[ROW.note]) facts.push([say("note"), el("span", {}, ...rich(told(row[ROW.note])))]);
    if (module) facts.push([say("code"), el("span", {}, el("code", { class: "line" }, code), " ", el("a", { href: `../modules/${module}.py#L${number}` }, `${module}.py:${number}`))]);
    const counts = common.rowQuantities
      .map((key, place) => [key, row[ROW.costs][place]])
      .filter(([, place]) => place !== model.nothing)
      .map(([key, place]) => {
        const value = (shown) => following((sizes) => known(valueOf(place, sizes), shown));
        return [measureWords(key)[0], value((v) => shortCount(v, measureUnit(key))), value(withSeparators), drawn(place)];
      });
    replace(details, el("h3", {}, row[ROW.path]),
      el("dl", { class: "facts" }, ...facts.flatMap(([title, content]) => [el("dt", {}, title), el("dd", {}, content)])),
      counts.length ? table([[say("quantity"), ""], [say("rounded"), "number"], [say("exact"), "number"], [say("formula"), "formula"]], counts, say("costs_of", { row: row[ROW.path] })) : el("p", { class: "note" }, say("costs_nothing")));
  }

  function shape(axes) {
    const parts = axes.flatMap((axis, place) => {
      const pair = Array.isArray(axis) ? [drawn(axis[0]), "/", drawn(axis[1])] : [drawn(axis)];
      return (place ? [", ", ...pair] : pair).filter((part) => part !== null);
    });
    return el("span", {}, "[", ...parts, "] = ", following((sizes) => `[${axes.map((axis) => length(axis, sizes)).join(", ")}]`));
  }

  // The length of an axis; of one that depends on values the average, which need not be whole.
  function length(axis, sizes) {
    if (!Array.isArray(axis)) return known(valueOf(axis, sizes), withSeparators);
    const [above, below] = axis.map((place) => valueOf(place, sizes));
    if (above === null || below === null) return say("unknown");
    return above % below === 0n ? withSeparators(above / below) : `≈ ${ratio(above, below)}`;
  }

  return { node: box, build, update };
}
