// The rows of the model as a tree that folds, with the share of each in the quantity that is chosen, and the details of one row.

function treeView(app) {
  const children = childrenOf(model.rows);
  const parents = model.rows.map(() => -1);
  children.forEach((below, index) => below.forEach((child) => (parents[child] = index)));
  const lines = [];
  const details = el("div", { class: "details", "aria-live": "polite" });
  const head = el("th", { scope: "col", class: "number" });
  const body = el("tbody");
  const box = el("section", { id: "rows" });

  function build() {
    lines.length = 0;
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
    const name = el("button", { type: "button", class: "name", onclick: () => app.change((s) => (s.row = s.row === index ? -1 : index)) }, row[ROW.name]);
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
    if (index < 0) return replace(details, el("p", { class: "note" }, say("choose_row")));
    const row = model.rows[index];
    const [module, number, code] = row[ROW.code];
    const facts = [
      [say("path"), el("code", {}, row[ROW.path])],
      [say("op"), el("code", {}, row[ROW.op])],
      [say("inputs"), el("code", {}, row[ROW.inputs].join(", ") || "–")],
      ...row[ROW.shapes].map(([part, axes]) => [part ? say("shape_of", { part }) : say("shape"), shape(axes, sizes)]),
      [say("times"), el("span", {}, drawn(row[ROW.repeat]), ` = ${known(valueOf(row[ROW.repeat], sizes), withSeparators)}`)],
    ];
    if (row[ROW.note]) facts.push([say("note"), el("span", {}, ...rich(row[ROW.note]))]);
    if (module) facts.push([say("code"), el("span", {}, el("code", { class: "line" }, code), " ", el("a", { href: `../modules/${module}.py#L${number}` }, `${module}.py:${number}`))]);
    const counts = common.rowQuantities
      .map((key, place) => [key, row[ROW.costs][place]])
      .map(([key, place]) => [key, place, valueOf(place, sizes)])
      .filter(([, , value]) => value !== 0n)
      .map(([key, place, value]) => [measureWords(key)[0], known(value, (v) => shortCount(v, measureUnit(key))), known(value, withSeparators), drawn(place)]);
    replace(details, el("h3", {}, row[ROW.path]),
      el("dl", { class: "facts" }, ...facts.flatMap(([title, content]) => [el("dt", {}, title), el("dd", {}, content)])),
      counts.length ? table([[say("quantity"), ""], [say("rounded"), "number"], [say("exact"), "number"], [say("formula"), "formula"]], counts, say("costs_of", { row: row[ROW.path] })) : el("p", { class: "note" }, say("costs_nothing")));
  }

  function shape(axes, sizes) {
    const parts = [];
    const values = [];
    for (const axis of axes) {
      if (Array.isArray(axis)) {
        const [above, below] = axis.map((place) => valueOf(place, sizes));
        parts.push(el("span", {}, drawn(axis[0]), "/", drawn(axis[1])));
        values.push(above === null || below === null ? say("unknown") : above % below === 0n ? withSeparators(above / below) : `≈ ${ratio(above, below)}`);
      } else {
        parts.push(drawn(axis));
        values.push(known(valueOf(axis, sizes), withSeparators));
      }
    }
    const joined = parts.flatMap((part, place) => (place ? [", ", part] : [part]));
    return el("span", {}, "[", ...joined.filter((part) => part !== null), "]", ` = [${values.join(", ")}]`);
  }

  return { node: box, build, update };
}
