// A chart of some curves on logarithmic axes.

const CHART = { height: 300, left: 88, right: 16, top: 16, bottom: 40 };

function chart(width, growth, titles, sizeName, unit) {
  const points = growth.points.filter((point) => point.slice(1).some((value) => value > 0n));
  if (points.length < 2) return null;
  const xs = points.map(([value]) => log10(value));
  const ys = points.flatMap((point) => point.slice(1).filter((value) => value > 0n).map(log10));
  const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.floor(Math.min(...ys)), Math.ceil(Math.max(...ys) + 1e-9)];
  const x = (value) => CHART.left + ((value - x0) / (x1 - x0 || 1)) * (width - CHART.left - CHART.right);
  const y = (value) => CHART.height - CHART.bottom - ((value - y0) / (y1 - y0 || 1)) * (CHART.height - CHART.top - CHART.bottom);
  const at = (number) => number.toFixed(1);
  const parts = [];
  const every = Math.max(1, Math.ceil((y1 - y0) / 6));
  for (let power = y0; power <= y1; power += every) {
    parts.push(svg("line", { class: "grid", x1: CHART.left, x2: width - CHART.right, y1: at(y(power)), y2: at(y(power)) }));
    parts.push(svg("text", { class: "tick", x: CHART.left - 8, y: at(y(power) + 4), "text-anchor": "end" }, tick(power, unit)));
  }
  const marks = Math.max(2, Math.floor((width - CHART.left) / 90));
  let last = -Infinity;
  for (let mark = 0; mark <= marks; mark += 1) {
    const point = points[Math.round((mark * (points.length - 1)) / marks)];
    const place = x(log10(point[0])) - (mark === marks ? 20 : 0); // the last text ends where the axis does
    if (place - last < 56) continue;
    last = place;
    parts.push(svg("text", { class: "tick", x: at(x(log10(point[0]))), y: CHART.height - CHART.bottom + 16, "text-anchor": mark === marks ? "end" : "middle" }, short(point[0], PREFIXES, "")));
  }
  parts.push(svg("text", { class: "axis", x: at((CHART.left + width) / 2), y: CHART.height - 6, "text-anchor": "middle" }, sizeName));
  const now = x(log10(growth.start));
  parts.push(svg("line", { class: "now", x1: at(now), x2: at(now), y1: CHART.top, y2: CHART.height - CHART.bottom }));
  titles.forEach((title, side) => {
    const curve = points.filter((point) => point[side + 1] > 0n).map((point) => `${at(x(log10(point[0])))},${at(y(log10(point[side + 1])))}`);
    parts.push(svg("polyline", { class: `curve side-${side}`, points: curve.join(" ") }));
  });
  for (const { low, high } of growth.crossings.slice(0, 1)) {
    const place = points.find(([value]) => value === high) || points.find(([value]) => value === low);
    if (place) parts.push(svg("circle", { class: "crossing", cx: at(x(log10(place[0]))), cy: at(y(log10(place[1]))), r: 5 }));
  }
  return svg("svg", { class: "chart", viewBox: `0 0 ${width} ${CHART.height}`, width, height: CHART.height, role: "img", "aria-label": say("chart_label", { a: titles[0], b: titles[1] || "", size: sizeName }) }, ...parts);
}

function tick(power, unit) {
  return power < 0 ? "" : shortCount(10n ** BigInt(power), unit).replace(/\.000? ?|\.00? /, " ").replace(/\s+/g, " ");
}

// What stands in the picture of a growth: which colour is what, the chart, as wide as a box allows, and buttons to take it along.
function drawing(picture, box, file, growth, titles, sizeName, unit) {
  const width = Math.max(280, Math.min(760, box.clientWidth || 640));
  const keys = titles.map((title, side) => el("span", { class: `key side-${side}` }, title));
  const now = el("span", { class: "key now" }, `${sizeName} = ${withSeparators(growth.start)}`);
  return [el("p", { class: "legend" }, ...keys, now), chart(width, growth, titles, sizeName, unit), chartButtons(file, () => picture.querySelector("svg"))];
}
