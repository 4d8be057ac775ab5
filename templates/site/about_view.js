// Totals with their formulas, published claims, sources, and what can be taken along.

function aboutView(app) {
  const totals = el("div");
  const at = el("p", { class: "note" });
  const cells = [];
  const compared = el("a", {}); // to the page that shows this one beside others
  const box = el("section", { id: "about" });

  function build() {
    buildTotals();
    const expected = model.presets.filter(([name, , , , expect]) => name && expect.length);
    replace(box, el("h2", {}, say("totals")), totals,
      expected.length ? el("p", { class: "note" }, say("expected", { presets: expected.map(([name, , , , expect]) => `${name}: ${expect.map(([key, value]) => `${measureWords(key)[0]} ${withSeparators(BigInt(value))}`).join(", ")}`).join("; ") })) : null,
      model.claims.length ? el("h2", {}, say("claims")) : null, ...model.claims.map(claim),
      model.sources.length ? el("h2", {}, say("sources")) : null,
      model.sources.length ? el("ul", {}, ...model.sources.map(([label, text, url]) => el("li", {}, el("b", {}, label), ": ", ...rich(text), " ", link(url)))) : null,
      el("h2", {}, say("take_along")),
      el("p", { class: "links" }, el("button", { type: "button", onclick: () => save(`${model.name}.csv`, rowsAsCsv(app.now.sizes), "text/csv") }, say("csv")), " ",
        el("button", { type: "button", onclick: () => save(`${model.name}.md`, answerAsMarkdown(app), "text/markdown") }, say("answer_markdown")), " ",
        ...(model.other ? rich(say("workbook_by_command", { name: model.other })) : filesOf(model.name))),
      el("p", { class: "links" }, compared),
      el("p", { class: "note" }, ...rich(say("same_numbers", { name: model.presets[0][0] || model.name }))));
  }

  function filesOf(name) {
    return [el("a", { href: `../modules/${name}.py` }, say("module")), " · ", el("a", { href: `../excel/${name}.xlsx` }, say("workbook")), " · ", el("a", { href: `../markdown/${name}.md` }, say("markdown"))];
  }

  function claim([subject, preset, published, where, derived, verdict, sources, remarks]) {
    const facts = [["published", el("code", {}, published)], ["where", where], ["derived", derived && el("code", {}, derived)], ["source", sources], ["remarks", remarks && el("span", {}, ...rich(remarks))]];
    return el("details", { class: "claim" }, el("summary", {}, el("b", {}, verdict), ` ${subject}${preset ? ` (${preset})` : ""}: `, el("code", {}, published)),
      el("dl", { class: "facts" }, ...facts.filter(([, content]) => content).flatMap(([key, content]) => [el("dt", {}, say(key)), el("dd", {}, content)])));
  }

  function link(url) {
    return /^https?:\/\/[^\s<>"]+$/.test(url) ? el("a", { href: url, rel: "noreferrer" }, url) : url;
  }

  // Formulas are drawn once: browsers take longer for them than for all else.
  function buildTotals() {
    cells.length = 0;
    const rows = common.measures
      .map(([key], index) => [key, model.totals[index]])
      .filter(([key]) => !model.idle.includes(key))
      .map(([key, place]) => {
        const [about, exact] = [el("span"), el("span", { "data-total": key })];
        cells.push([key, about, exact]);
        return [el("span", { title: measureWords(key)[2] }, measureWords(key)[0]), about, exact, el("div", { class: "drawn" }, drawn(place))];
      });
    replace(totals, at, table([[say("quantity"), ""], [say("rounded"), "number"], [say("exact"), "number"], [say("formula"), "formula"]], rows, say("totals")));
  }

  function update() {
    const run = app.state.optimiser || app.pass;
    const isConfig = app.state.preset === CONFIG();
    const side = [model.name, model.presets[isConfig ? 0 : app.state.preset][0], run].join(" ").trim();
    const parts = [VERSION, `m=${encodeURIComponent(side)}`, `m=${encodeURIComponent(side)}`];
    if (language !== "en") parts.push(`l=${language}`);
    for (const [key, value] of [["d", app.state.dtype], ["w", app.state.weights], ["c", app.state.cache]]) if (value) parts.push(`${key}=${value}`);
    const ofConfig = new Map(isConfig ? model.presets[CONFIG()][1] : []);
    app.state.typed.forEach((typed, index) => {
      const value = typed ?? ofConfig.get(index) ?? null;
      if (value !== null) parts.push(`${SIZE_PART}${encodeURIComponent(model.sizes[index][SIZE_NAME])}=${value}`);
    });
    compared.href = `compare.html#${parts.join("&")}`;
    compared.textContent = say("side_by_side");
    const { sizes } = app.now;
    at.textContent = say("totals_at", { sizes: sizesText(sizes) });
    for (const [key, about, exact] of cells) {
      const value = total(key, sizes);
      about.textContent = known(value, (v) => shortCount(v, measureUnit(key)));
      exact.textContent = known(value, withSeparators);
    }
  }

  return { node: box, build, update };
}
