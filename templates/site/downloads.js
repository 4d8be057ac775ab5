// What can be taken along: the rows as CSV, totals and memory as Markdown, the chart as a picture of lines or of points.

function save(name, content, type) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

// A field of a CSV file; one that a spreadsheet would take for a formula is kept a text.
const csvCell = (text) => `"${(/^[=+\-@\t\r]/.test(text) ? "'" : "") + text.replaceAll('"', '""')}"`;

function rowsAsCsv(sizes) {
  const lines = [["row", "op", "repeat", ...common.rowQuantities].map(csvCell)];
  for (const row of model.rows) {
    const costs = row[ROW.costs].map((place) => String(valueOf(place, sizes) ?? ""));
    lines.push([csvCell(row[ROW.path]), csvCell(row[ROW.op]), String(valueOf(row[ROW.repeat], sizes) ?? ""), ...costs]);
  }
  return lines.map((fields) => `${fields.join(",")}\r\n`).join("");
}

// A text in a cell of a Markdown table; signs that would be markup stand for themselves.
const markdownCell = (text) => String(text).replace(/[\\`*_{}[\]<>|#&~$]/g, "\\$&").replace(/\s+/g, " ");

function markdownTable(heads, rows) {
  const line = (cells) => `| ${cells.map(markdownCell).join(" | ")} |`;
  return [line(heads), `|${" --- |".repeat(heads.length)}`, ...rows.map(line), ""].join("\n");
}

function answerAsMarkdown(app) {
  const { sizes, needs } = app.now;
  const preset = model.presets[app.state.preset][0];
  const counts = common.measures
    .filter(([key]) => !model.idle.includes(key))
    .map(([key]) => [measureWords(key)[0], known(total(key, sizes), (v) => shortCount(v, measureUnit(key))), known(total(key, sizes), withSeparators)]);
  const parts = [...needs.parts.map(([key, bytes]) => [say(`part_${key}`, { optimiser: app.state.optimiser }), bytes]),
    needs.sum === null ? [say("together_at_least"), needs.atLeast] : [say("together"), needs.sum]];
  return [
    `# ${markdownCell(model.title)}${preset ? ` (${markdownCell(preset)})` : ""}`, "",
    markdownCell(say("totals_at", { sizes: sizesText(sizes) })), "",
    markdownTable([say("quantity"), say("rounded"), say("exact")], counts),
    markdownTable([say("memory"), "GB", "GiB", say("bytes")], parts.map(([title, bytes]) => [title, known(bytes, inDecimal), known(bytes, inBinary), known(bytes, withSeparators)])),
  ].join("\n");
}

const sizesText = (sizes) => model.sizes.map(([name], index) => `${name} = ${sizes[index] === null ? "–" : withSeparators(sizes[index])}`).join(", ");

const DRAWN = ["fill", "stroke", "stroke-width", "stroke-dasharray", "font-size", "font-family"]; // what a style sheet says of a chart

// A chart as a file of its own: what the style sheet of the page says of it is said in it.
function chartAsSvg(node) {
  const copy = node.cloneNode(true);
  const inside = [...copy.querySelectorAll("*")];
  [...node.querySelectorAll("*")].forEach((one, place) => {
    const style = getComputedStyle(one);
    for (const name of DRAWN) inside[place].setAttribute(name, style.getPropertyValue(name));
  });
  copy.setAttribute("xmlns", SVG);
  copy.prepend(svg("rect", { width: "100%", height: "100%", fill: getComputedStyle(document.body).backgroundColor }));
  return new XMLSerializer().serializeToString(copy);
}

const SHARPNESS = 2; // points of a picture for each of the page

function saveChartAsPng(node, name) {
  const picture = new Image();
  picture.addEventListener("load", () => {
    const canvas = el("canvas", { width: String(SHARPNESS * picture.width), height: String(SHARPNESS * picture.height) });
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((points) => save(name, points, "image/png"), "image/png");
  });
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(chartAsSvg(node))}`;
}

// The two buttons beneath a chart.
function chartButtons(name, chartNode) {
  const button = (key, act) => el("button", { type: "button", onclick: () => chartNode() && act(chartNode()) }, say(key));
  return el("p", { class: "links" }, button("svg", (node) => save(`${name}.svg`, chartAsSvg(node), "image/svg+xml")), " ", button("png", (node) => saveChartAsPng(node, `${name}.png`)));
}
