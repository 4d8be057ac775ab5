// A model at given sizes: sizes filled in, conditions, values of formulas. As in Python, sizes are whole numbers from one on.

let model = archsheet.model;
const common = archsheet.common;
const SIZE_NAME = 0, SIZE_MEANING = 1, SIZE_KIND = 2, SIZE_FORMULA = 3, SIZE_MATH = 4;
const ROW = { path: 0, name: 1, depth: 2, op: 3, inputs: 4, shapes: 5, repeat: 6, isGroup: 7, costs: 8, note: 9, code: 10 };

let formulas = model ? archsheet.formulas(HELPERS) : [];

// The value of a formula; null where it has none at these sizes.
function valueOf(place, sizes) {
  if (place < 0) return null;
  try {
    return formulas[place](sizes);
  } catch (error) {
    if (error instanceof NotWholeError || error instanceof TypeError || error instanceof RangeError) return null;
    throw error;
  }
}

// All sizes, those that nobody gives filled in; null for those that cannot be.
function complete(given) {
  const sizes = [];
  model.sizes.forEach((size, index) => {
    if (size[SIZE_KIND] !== "derived" && given[index] !== null) sizes.push(given[index]);
    else sizes.push(size[SIZE_FORMULA] < 0 ? null : valueOf(size[SIZE_FORMULA], sizes));
  });
  return sizes;
}

// What is wrong with sizes: a list of [places of the sizes, key of a text, values].
function mistakes(sizes) {
  const found = [];
  model.sizes.forEach((size, index) => {
    const value = sizes[index];
    if (value === null && size[SIZE_KIND] === "free") found.push([[index], "size_missing", { name: size[SIZE_NAME] }]);
    else if (value === null) found.push([[index], "size_not_whole", { name: size[SIZE_NAME] }]);
    else if (value < 1n) found.push([[index], "size_too_small", { name: size[SIZE_NAME], value: withSeparators(value) }]);
  });
  for (const [text, place, places] of model.conditions) {
    if (places.some((index) => sizes[index] === null)) continue;
    if (valueOf(place, sizes) !== true) {
      const values = places.map((index) => `${model.sizes[index][SIZE_NAME]} = ${withSeparators(sizes[index])}`).join(", ");
      found.push([places, "condition_broken", { condition: text, values }]);
    }
  }
  return found;
}

// The sizes that are in force with a preset: those that it publishes but that follow others are left to follow them.
function presetSizes(preset) {
  const given = model.sizes.map(() => null);
  const [, sizes, follow, examples] = model.presets[preset];
  for (const [index, value] of examples) given[index] = BigInt(value);
  for (const [index, value] of sizes) if (!follow.includes(index)) given[index] = BigInt(value);
  return given;
}

// The place of the preset that a configuration is: behind those of the spec. It has no sizes before a file gives them.
const CONFIG = () => model.config;
if (model) inForce({ model, formulas });

// Put a model in force: that of the page, or one under other options or blocks.
function inForce(own) {
  [model, formulas] = [own.model, own.formulas];
  if (model.config !== undefined) return;
  model.config = model.presets.length;
  setConfig([]);
}

function loadScript(file) {
  return new Promise((resolve) => {
    const script = document.createElement("script");
    for (const event of ["load", "error"]) script.addEventListener(event, resolve);
    script.src = file;
    document.head.append(script);
  });
}

// Models under other options or blocks, by the names of their presets: their script is loaded where one is asked for.
async function loadOthers(page) {
  await loadScript(`${page}.others.js`);
  const found = new Map();
  for (const own of archsheet.others ?? []) {
    const one = { model: own.model, formulas: own.formulas(HELPERS) };
    one.model.other = one.model.presets[0][0];
    for (const [name] of one.model.presets) found.set(name, one);
  }
  archsheet.others = null;
  return found;
}

// Examples of ours give what a configuration does not say, no larger than what it bounds them by.
function setConfig(pairs) {
  const given = new Map(pairs);
  const [, sizes, , examples] = model.presets[0];
  const others = new Map([...sizes, ...examples].filter(([index]) => !given.has(index) && model.sizes[index][SIZE_KIND] === "free").map(([index, value]) => [index, BigInt(value)]));
  const all = complete(model.sizes.map((_, index) => given.get(index) ?? others.get(index) ?? null));
  for (const [low, high] of model.growth.bounds) {
    if (!given.has(high) || all[low] === null || all[low] <= given.get(high)) continue;
    // What is bounded may follow from an example, as all tokens do from the new ones.
    for (const [index, value] of others) if (value === all[low]) others.set(index, given.get(high));
  }
  model.presets[CONFIG()] = ["config.json", pairs.map(([index, value]) => [index, String(value)]), [], [...others].map(([index, value]) => [index, String(value)]), [], "", []];
}

const PASSES = ["prefill", "decode"]; // of a model that decodes: over a prompt, and of the next token

// Sizes as given, with those that follow from the pass: in that over a prompt all tokens are new ones, in that of the next token one is.
function inPass(pass, given) {
  const sizes = given.slice();
  for (const [tokens, context] of pass ? model.decoding : []) {
    if (context >= 0) sizes[context] = pass === "prefill" ? null : given[context] ?? given[tokens];
    if (pass === "decode") sizes[tokens] = 1n;
  }
  return sizes;
}

// The places of the sizes that nobody sets in a pass.
function setByPass(pass) {
  return pass === "" ? [] : model.decoding.map(([tokens, context]) => (pass === "decode" ? tokens : context)).filter((place) => place >= 0);
}

const isContext = (index) => model.decoding.some((pair) => pair[1] === index);

const measureIndex = (key) => common.measures.findIndex((measure) => measure[0] === key);
const rowQuantityIndex = (key) => common.rowQuantities.indexOf(key);

// What a row costs in a quantity; a sum of quantities is added up.
function rowCost(row, key, sizes) {
  const parts = common.measures[measureIndex(key)][2];
  let total = 0n;
  for (const part of parts.length ? parts : [key]) {
    const value = valueOf(row[ROW.costs][rowQuantityIndex(part)], sizes);
    if (value === null) return null;
    total += value;
  }
  return total;
}

function total(key, sizes) {
  return valueOf(model.totals[measureIndex(key)], sizes);
}

// The rows that stand directly below each row.
function childrenOf(rows) {
  const children = rows.map(() => []);
  const open = [];
  rows.forEach((row, index) => {
    while (open.length && rows[open[open.length - 1]][ROW.depth] >= row[ROW.depth]) open.pop();
    if (open.length) children[open[open.length - 1]].push(index);
    open.push(index);
  });
  return children;
}

// The least step in which a size can be changed at all: a divisor of its value, so that conditions such as n % w == 0 go on to hold.
function stepOf(value, isPossible) {
  if (value > 1n << 40n) return 1n;
  const divisors = [];
  for (let one = 1n; one * one <= value; one += 1n) {
    if (value % one === 0n) divisors.push(one, value / one);
    if (one > 1n << 13n) break;
  }
  divisors.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return divisors.find((one) => one === value || isPossible(value + one) || isPossible(value - one)) || value;
}
