// What is chosen on a page, and its form behind the # of the address. What is as it is by default is left out.

const VERSION = "1";
const WAIT = 250; // milliseconds after the last change: browsers refuse to write an address more than a hundred times

function defaults() {
  return {
    lang: "en",
    other: model.other ?? "", // the first preset with the options and blocks in force, where they are not the usual ones
    preset: 0,
    typed: model.sizes.map(() => null), // sizes as typed, over those of the preset
    dtype: "bfloat16",
    weights: "", // as dtype
    cache: "",
    optimiser: "", // of training; none for inference
    pass: "", // of inference: over a prompt, or of the next token; at the sizes as given where neither is said
    memory: "",
    device: "", // on which times are told; the smallest that holds it where none is chosen
    quantity: model.growth.quantity,
    open: new Set(),
    zeros: false,
    row: -1,
    a: "",
    b: "",
    over: model.growth.size,
  };
}

const places = (list, name, at = 0) => list.findIndex((one) => one[at] === name);
// The place of a size that can be given; -1 of any other.
const settable = (name) => model.sizes.findIndex((size) => size[SIZE_NAME] === name && size[SIZE_KIND] !== "derived");
const rowPlace = (path) => places(model.rows, path, ROW.path);

// Each part of the address: how it is read into a state (false if it says nothing known), and how it is written.
const PARTS = {
  l: { read: (s, text) => isLanguage(text) && (s.lang = text), write: (s) => s.lang },
  // Which model is in force is settled before an address is read.
  u: { read: (s, text) => model.other !== undefined && places(model.presets, text) >= 0, write: (s) => s.other },
  p: {
    read(s, text) {
      const place = places(model.presets, text);
      const isKnown = place >= 0 && place !== CONFIG();
      if (isKnown) s.preset = place;
      return isKnown;
    },
    write: (s) => (s.preset === CONFIG() ? model.presets[0][0] : model.presets[s.preset][0]),
  },
  i: {
    read(s, text) {
      const pairs = text.split(",").map((one) => one.split(":")).map(([name, value = ""]) => [settable(name), wholeNumber(value)]);
      if (pairs.some(([place, value]) => place < 0 || value === null || value < 1n)) return false;
      setConfig(pairs);
      s.preset = CONFIG();
      return true;
    },
    write: (s) => (s.preset === CONFIG() ? model.presets[CONFIG()][1].map(([place, value]) => `${model.sizes[place][SIZE_NAME]}:${value}`).join(",") : ""),
  },
  d: { read: (s, text) => common.dtypes.some((one) => one[0] === text) && (s.dtype = text), write: (s) => s.dtype },
  w: { read: (s, text) => stored(text) !== undefined && (s.weights = text), write: (s) => s.weights },
  c: { read: (s, text) => stored(text) !== undefined && (s.cache = text), write: (s) => s.cache },
  t: { read: (s, text) => places(common.optimisers, text) >= 0 && (s.optimiser = text), write: (s) => s.optimiser },
  y: { read: (s, text) => model.decoding.length > 0 && PASSES.includes(text) && (s.pass = text), write: (s) => (s.optimiser ? "" : s.pass) },
  m: { read: (s, text) => memoryAmount(text) !== null && (s.memory = text), write: (s) => s.memory },
  v: { read: (s, text) => deviceNamed(text) !== undefined && (s.device = text), write: (s) => s.device },
  q: { read: (s, text) => measureIndex(text) >= 0 && (s.quantity = text), write: (s) => s.quantity },
  z: {
    read(s, text) {
      s.zeros = text === "1";
      return s.zeros;
    },
    write: (s) => (s.zeros ? "1" : ""),
  },
  o: {
    read(s, text) {
      const rows = text.split(",").map(rowPlace);
      rows.filter((row) => row >= 0).forEach((row) => s.open.add(row));
      return rows.every((row) => row >= 0);
    },
    write: (s) => [...s.open].sort((a, b) => a - b).map((row) => model.rows[row][ROW.path]).join(","),
  },
  r: {
    read(s, text) {
      s.row = rowPlace(text);
      return s.row >= 0;
    },
    write: (s) => (s.row < 0 ? "" : model.rows[s.row][ROW.path]),
  },
  x: {
    read(s, text) {
      const place = places(model.sizes, text, SIZE_NAME);
      const possible = place >= 0 && model.sizes[place][SIZE_KIND] !== "derived";
      if (possible) s.over = place;
      return possible;
    },
    write: (s) => (s.over < 0 ? "" : model.sizes[s.over][SIZE_NAME]),
  },
  a: { read: (s, text) => isSide(text) && (s.a = text), write: (s) => s.a },
  b: { read: (s, text) => isSide(text) && (s.b = text), write: (s) => s.b },
};
const SIZE_PART = "s.";

// The state that an address says, and the parts of it that say nothing known.
function readAddress(hash) {
  const state = defaults();
  const [version, ...parts] = hash.replace(/^#/, "").split("&");
  const unknown = [];
  if (hash.length > 1 && version !== VERSION) unknown.push(version);
  for (const part of parts) {
    const [key, value] = readPart(part);
    if (key === null || !applyPart(state, key, value)) unknown.push(part);
  }
  return { state, unknown };
}

function readPart(part) {
  const sign = part.indexOf("=");
  if (sign < 1) return [null, ""];
  try {
    return [decodeURIComponent(part.slice(0, sign)), decodeURIComponent(part.slice(sign + 1))];
  } catch {
    return [null, ""]; // a broken escape
  }
}

function applyPart(state, key, value) {
  if (Object.hasOwn(PARTS, key)) return Boolean(PARTS[key].read(state, value));
  const place = key.startsWith(SIZE_PART) ? settable(key.slice(SIZE_PART.length)) : -1;
  if (place < 0) return false;
  const number = wholeNumber(value);
  if (number === null || number < 1n) return false;
  state.typed[place] = number;
  return true;
}

function writeAddress(state) {
  const usual = { ...defaults(), other: "" };
  const parts = [];
  for (const [key, part] of Object.entries(PARTS)) {
    const text = part.write(state);
    if (text !== part.write(usual)) parts.push(`${key}=${encodeURIComponent(text)}`);
  }
  state.typed.forEach((value, index) => {
    if (value !== null) parts.push(`${SIZE_PART}${encodeURIComponent(model.sizes[index][SIZE_NAME])}=${value}`);
  });
  return parts.length ? `#${VERSION}&${parts.join("&")}` : "";
}

// The preset with other options or blocks than the usual ones that an address asks for by `u` or `p`.
function otherAsked(hash) {
  const names = archsheet.model.others.map(([name]) => name);
  const [, ...parts] = hash.replace(/^#/, "").split("&");
  const asked = parts.map(readPart).filter(([key]) => key === "u" || key === "p");
  return asked.map(([, value]) => value).find((value) => names.includes(value)) ?? "";
}

// All presets of the page, each with the options and blocks that it goes with where they are not the usual ones.
const allPresets = () => [...archsheet.model.presets.map(([name]) => [name, []]).filter(([name], index) => index !== archsheet.model.config), ...archsheet.model.others];

// What the model in force can be asked to do: a pass at the sizes as given, one of a decoder, or training with an optimiser.
function scenarioChoices() {
  const passes = model.decoding.length ? PASSES.map((pass) => [pass, say(pass)]) : [];
  return [["", say("inference")], ...passes, ...common.optimisers.map(([name]) => [name, say("training", { optimiser: name })])];
}

// In what weights or caches may be stored; in the format of computing where nothing is said.
const storedChoices = (dtype) => [["", say("as_computed", { dtype })], ...common.stored.map(([key]) => [key, key])];

function showAddress(address) {
  if (location.hash !== address) history.replaceState(null, "", address || location.pathname + location.search);
}

// Links go on in the language of this page.
function linkTo(page, address) {
  const parts = [VERSION, address, language === "en" ? "" : `l=${language}`].filter(Boolean);
  return `${page}.html${parts.length > 1 ? `#${parts.join("&")}` : ""}`;
}
