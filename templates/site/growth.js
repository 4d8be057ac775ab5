// How two sides of a model grow over a size: exact values at many whole sizes, and where the sides change places.

const OCTAVES = 6; // up and down from the present size, in steps of half of one
const FARTHEST = 1n << 40n; // how far a crossing is looked for
const SIDE_KINDS = ["part", "row"];

const isSide = (text) => text === "total" || sidePlace(text) >= 0;

function sidePlace(text) {
  const kind = SIDE_KINDS.find((one) => text.startsWith(`${one}:`));
  if (!kind) return -1;
  const name = text.slice(kind.length + 1);
  return kind === "part" ? places(model.growth.parts, name) : rowPlace(name);
}

function sideTitle(text) {
  return text === "total" ? say("whole") : text.slice(text.indexOf(":") + 1);
}

function sideCost(text, key, sizes) {
  if (text === "total") return total(key, sizes);
  const place = sidePlace(text);
  if (text.startsWith("row:")) return rowCost(model.rows[place], key, sizes);
  let sum = 0n;
  for (const row of model.growth.parts[place][1]) {
    const cost = rowCost(model.rows[row], key, sizes);
    if (cost === null) return null;
    sum += cost;
  }
  return sum;
}

// Sizes with one of them at a value; null where a condition is broken. Those that bound it grow along, which the set `grown` takes note of;
// without a set they stay.
function sizesAt(given, over, value, grown) {
  const tried = given.slice();
  tried[over] = value;
  for (const [low, high] of grown === null ? [] : model.growth.bounds) {
    if (low !== over && given[low] !== null) continue;
    const sizes = complete(tried); // what nobody gives may follow from the size
    if (sizes[low] !== null && sizes[high] !== null && sizes[high] < sizes[low]) {
      tried[high] = sizes[low];
      grown.add(high);
    }
  }
  const sizes = complete(tried);
  return mistakes(sizes).length ? null : sizes;
}

// value times the power of two of half of so many steps.
function scaledBy(value, halves) {
  const whole = value << BigInt(Math.max(0, Math.floor(halves / 2)));
  const scaled = halves % 2 === 0 ? whole : (whole * 181n) / 128n; // 181/128 is the root of two to four digits
  return halves < 0 ? scaled >> BigInt(-Math.floor(halves / 2)) : scaled;
}

// Both sides over a size: {points: [value, a, b], crossings: [{low, high, above}], grown: set of sizes that grew along, step}.
function growthOf(given, over, key, sides) {
  const grown = new Set();
  const far = new Set(); // sizes that grow along beyond what is drawn
  const start = complete(given)[over];
  const isPossible = (value) => value >= 1n && sizesAt(given, over, value, far) !== null;
  if (start === null || !isPossible(start)) return null;
  const step = stepOf(start, isPossible);
  const at = (value, along) => {
    const sizes = sizesAt(given, over, value, along);
    if (sizes === null) return null;
    const costs = sides.map((side) => sideCost(side, key, sizes));
    return costs.includes(null) ? null : [value, ...costs];
  };
  const multiple = (value) => (value < step ? step : (value / step) * step);
  const crossings = sides.length > 1 ? crossingsOf((value) => at(value, far), step) : [];
  const wanted = new Set();
  for (let halves = -2 * OCTAVES; halves <= 2 * OCTAVES; halves += 1) wanted.add(multiple(scaledBy(start, halves)));
  for (const { low, high } of crossings.slice(0, 1)) {
    if (high < start << 20n) for (const one of [low, high, multiple(2n * high)]) wanted.add(one);
  }
  const values = [...wanted].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return { points: values.map((value) => at(value, grown)).filter((point) => point !== null), crossings, grown, step, start };
}

// Where the first side and the second change places, among multiples of a step: the whole sizes next to each place.
function crossingsOf(at, step) {
  const sign = (point) => (point[1] > point[2] ? 1 : point[1] < point[2] ? -1 : 0);
  const grid = [];
  for (let value = step; value < FARTHEST; value = value < 64n * step ? value + step : ((value + value / 8n) / step) * step) grid.push(value);
  const found = [];
  let before = null;
  for (const value of grid) {
    const point = at(value);
    if (point === null) continue;
    if (sign(point) === 0) continue;
    if (before !== null && sign(before) !== sign(point)) {
      const between = narrowed(at, sign, before, point, step);
      found.push({ ...between, above: sign(point) > 0 ? 0 : 1 });
    }
    before = point;
  }
  return found;
}

function narrowed(at, sign, before, after, step) {
  let low = before[0];
  let high = after[0];
  while (high - low > step) {
    const point = at(((low + high) / (2n * step)) * step);
    if (point === null) break;
    if (sign(point) === sign(after)) high = point[0];
    else low = point[0];
  }
  return { low, high };
}
