// Numbers for people. The rule of rounding is that of generator/formulas/rounding.py: whole numbers throughout, ties away from zero.

const PREFIXES = ["", "k", "M", "G", "T", "P", "E", "Z", "Y"];
const COUNT_PREFIXES = ["", "k", "M", "B", "T"]; // parameters are counted in millions and billions
const BINARY_PREFIXES = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const MOST_DIGITS = 100; // of a number that is typed

function withSeparators(value) {
  return value.toString().replace(/\B(?=(\d{3})+$)/g, ",");
}

// The whole number next to above/below, both from zero on.
function nearest(above, below) {
  return (2n * above + below) / (2n * below);
}

// Four figures of above/below, such as 1.234 or 123.4; null from 1,000 on.
function toFigures(above, below) {
  for (const places of [3, 2, 1]) {
    const digits = nearest(above * 10n ** BigInt(places), below);
    if (digits < 10000n) {
      const unit = 10n ** BigInt(places);
      return `${digits / unit}.${(digits % unit).toString().padStart(places, "0")}`;
    }
  }
  return null;
}

function scientific(value) {
  let power = value.toString().length - 1;
  let digits = nearest(value * 1000n, 10n ** BigInt(power));
  if (digits === 10000n) {
    digits = 1000n;
    power += 1;
  }
  return `${digits / 1000n}.${(digits % 1000n).toString().padStart(3, "0")}e${power}`;
}

// A count from zero on, short: 109.5 M, 512, 1.235e30.
function short(value, prefixes, unit, base = 1000n) {
  if (value < base) return `${value}${unit && ` ${unit}`}`;
  let below = 1n;
  for (const prefix of prefixes) {
    const digits = toFigures(value, below);
    if (digits !== null) return `${digits} ${prefix}${unit}`;
    below *= base;
  }
  return `${scientific(value)}${unit && ` ${unit}`}`;
}

function shortCount(value, unit) {
  if (unit === "scalars") return short(value, COUNT_PREFIXES, "");
  return short(value, PREFIXES, { FLOP: "FLOP", "multiply-accumulates": "MAC" }[unit] || "");
}

const inDecimal = (bytes) => short(bytes, PREFIXES, "B");
const inBinary = (bytes) => short(bytes, BINARY_PREFIXES, "B", 1024n);

// A share in percent with one place, from two whole numbers.
function percent(part, whole) {
  if (whole === 0n) return "";
  const tenths = nearest(part * 1000n, whole);
  return `${tenths / 10n}.${tenths % 10n} %`;
}

// above/below to two places.
function ratio(above, below) {
  if (below === 0n) return "–";
  const hundredths = nearest(above * 100n, below);
  return `${withSeparators(hundredths / 100n)}.${(hundredths % 100n).toString().padStart(2, "0")}`;
}

const FACTORS = {
  "": 1n, k: 10n ** 3n, M: 10n ** 6n, G: 10n ** 9n, T: 10n ** 12n,
  Ki: 1n << 10n, Mi: 1n << 20n, Gi: 1n << 30n, Ti: 1n << 40n,
};

// 512, 30_000, 30,000, 4k or 8Ki; null for all else.
function wholeNumber(text) {
  const found = /^(\d+(?:_\d+)*|\d{1,3}(?:,\d{3})+)(k|M|G|T|Ki|Mi|Gi|Ti|)$/.exec(text.trim());
  if (!found) return null;
  const digits = found[1].replace(/[_,]/g, "");
  return digits.length > MOST_DIGITS ? null : BigInt(digits) * FACTORS[found[2]];
}

// 80GB or 80 GiB or 24.5GB in bytes; null for all else.
function memoryAmount(text) {
  const found = /^(\d{1,30})(?:\.(\d{1,12}))?\s*(k|M|G|T|Ki|Mi|Gi|Ti)?B$/.exec(text.trim());
  if (!found) return null;
  const part = found[2] || "";
  const bytes = BigInt(found[1] + part) * FACTORS[found[3] || ""];
  const below = 10n ** BigInt(part.length);
  return bytes % below === 0n ? bytes / below : null;
}

// The logarithm of a whole number above zero, also of one that no float holds.
function log10(value) {
  const digits = value.toString();
  return Math.log10(Number(digits.slice(0, 15))) + Math.max(0, digits.length - 15);
}
