// The text of a config.json with the place of every value; numbers are exact fractions, as `gen import` has them.

const DEEPEST = 200; // lists and objects inside of each other

class ConfigError extends Error {
  constructor(key, values, place, notes = []) {
    super(say(key, values));
    Object.assign(this, { place, notes });
  }
}

// A decimal such as -1.5e3 exactly.
function fractionOf(text) {
  const [, sign, whole, part = "", power = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  const places = BigInt(power) - BigInt(part.length);
  const digits = BigInt(`${sign}${whole}${part}`);
  return places < 0n ? new Fraction(digits, 10n ** -places) : new Fraction(digits * 10n ** places);
}

function fractionOfNumber(text) {
  if (/^-?\d+$/.test(text)) return new Fraction(BigInt(text));
  const found = fractionOf(String(Number(text)));
  return new Fraction(found.above, found.below, !(/[eE]/.test(text) && found.below === 1n));
}

// Reads a text as JSON: {value, place, items or entries} of each value, where entries are [key, node]. Values are null, true, false,
// texts, fractions, lists, and maps in place of objects.
class ConfigReader {
  constructor(text) {
    Object.assign(this, { text, at: 0, depth: 0 });
  }

  read() {
    const node = this.value();
    this.space();
    if (this.at < this.text.length) this.fail();
    return node;
  }

  // Line and column of an offset, from one on.
  place(at) {
    const before = this.text.slice(0, at);
    const line = before.lastIndexOf("\n") + 1;
    return [before.split("\n").length, [...before.slice(line)].length + 1];
  }

  fail(key = "reading_no_json", values = {}, at = this.at) {
    throw new ConfigError(key, values, this.place(at), [say("reading_expected")]);
  }

  space() {
    while (/[ \t\r\n]/.test(this.text[this.at] ?? "")) this.at += 1;
  }

  take(sign) {
    this.space();
    const is = this.text[this.at] === sign;
    if (is) this.at += 1;
    return is;
  }

  value() {
    this.space();
    const start = this.at;
    if (this.depth > DEEPEST) this.fail("reading_too_deep");
    const node = { place: this.place(start) };
    if (this.take("{")) return this.entries(node);
    if (this.take("[")) return this.items(node);
    if (this.text[start] === '"') return { ...node, value: this.string() };
    const word = /^(?:null|true|false|NaN|-?Infinity|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)/.exec(this.text.slice(start, start + 400));
    if (word === null) this.fail();
    this.at += word[0].length;
    if (word[0].length > MOST_DIGITS) this.fail("reading_number_too_long", {}, start);
    const words = new Map([["null", null], ["true", true], ["false", false]]);
    if (words.has(word[0])) return { ...node, value: words.get(word[0]) };
    if (/[NI]/.test(word[0])) return { ...node, value: word[0] };
    if (!Number.isFinite(Number(word[0])) || Math.abs(Number(/[eE](.*)/.exec(word[0])?.[1] ?? 0)) > 300) this.fail("reading_number_too_long", {}, start);
    return { ...node, value: fractionOfNumber(word[0]) };
  }

  string() {
    const start = this.at;
    const end = /^"(?:[^"\\\u0000-\u001f]|\\.)*"/.exec(this.text.slice(start));
    if (end === null) this.fail();
    try {
      const text = JSON.parse(end[0]);
      this.at += end[0].length;
      return text;
    } catch {
      return this.fail();
    }
  }

  items(node) {
    const items = [];
    this.depth += 1;
    if (!this.take("]")) {
      do items.push(this.value());
      while (this.take(","));
      if (!this.take("]")) this.fail();
    }
    this.depth -= 1;
    return { ...node, items, value: items.map((one) => one.value) };
  }

  entries(node) {
    const entries = new Map();
    this.depth += 1;
    if (!this.take("}")) {
      do {
        this.space();
        const at = this.at;
        if (this.text[at] !== '"') this.fail();
        const key = this.string();
        if (entries.has(key)) this.fail("reading_twice", { key }, at);
        if (!this.take(":")) this.fail();
        entries.set(key, this.value());
      } while (this.take(","));
      if (!this.take("}")) this.fail();
    }
    this.depth -= 1;
    return { ...node, entries, value: new Map([...entries].map(([key, one]) => [key, one.value])) };
  }
}

const readJson = (text) => new ConfigReader(text).read();

// Whether two values are one; true is no 1.
function same(one, other) {
  if (one instanceof Fraction && other instanceof Fraction) return one.equals(other);
  if (Array.isArray(one) && Array.isArray(other)) return one.length === other.length && one.every((item, at) => same(item, other[at]));
  if (one instanceof Map && other instanceof Map) return one.size === other.size && [...one].every(([key, item]) => other.has(key) && same(item, other.get(key)));
  return one === other;
}

// The value of a list with one for each layer, where these are all alike.
const oneForAll = (value) => {
  if (!Array.isArray(value) || !value.length) return value;
  if (value.every((one) => same(one, value[0]))) return value[0];
  return value.every((one) => typeof one === "string") ? value.join("|") : value;
};

// A float in its shortest form, as Python writes it: 1e-05, 0.25, 1.0.
function floatText(value) {
  const [digits, power = null] = value.toExponential().split("e");
  const exponent = Number(power);
  if (exponent < -4 || exponent >= 16) return `${digits}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
  return Number.isInteger(value) ? `${BigInt(value)}.0` : String(value);
}

// At most six figures, as the format g of C has them.
function sixFigures(value) {
  if (value === 0) return "0";
  const [digits, power] = value.toExponential(5).split("e");
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return String(Number(value.toPrecision(6)));
  return `${digits.replace(/\.?0+$/, "")}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

function jsonText(value) {
  if (value instanceof Fraction) return value.isFloat || value.below !== 1n ? floatText(asNumber(value)) : String(value.above);
  if (Array.isArray(value)) return `[${value.map(jsonText).join(", ")}]`;
  if (value instanceof Map) return `{${[...value].map(([key, one]) => `${JSON.stringify(key)}: ${jsonText(one)}`).join(", ")}}`;
  return JSON.stringify(value);
}

// A value as JSON has it, cut where it is long.
function written(value) {
  if (value instanceof Fraction && (value.isFloat || value.below !== 1n)) return sixFigures(asNumber(value));
  const text = [...(typeof value === "string" ? value : jsonText(value))];
  return text.length <= 60 ? text.join("") : `${text.slice(0, 59).join("")}…`;
}

// What the tree of a formula comes to with fractions by key; null where it has no value.
function worked(tree, values) {
  if (typeof tree === "string") return values.get(tree);
  const [sign, operands] = tree;
  if (typeof operands === "string") return new Fraction(BigInt(sign), BigInt(operands));
  const found = operands.map((one) => worked(one, values));
  return found.includes(null) ? null : ARITHMETIC.get(sign)(...found);
}
