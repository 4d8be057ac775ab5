// Exact fractions of whole numbers of any length.

// A number above/below, in lowest terms and with below > 0; `text` is how the file has it.
class Fraction {
  constructor(above, below = 1n, isFloat = false) {
    const shared = below === 0n ? 1n : commonDivisor(above < 0n ? -above : above, below < 0n ? -below : below) || 1n;
    const sign = below < 0n ? -1n : 1n;
    Object.assign(this, { above: (sign * above) / shared, below: (sign * below) / shared, isFloat });
  }

  equals(other) {
    return this.above === other.above && this.below === other.below;
  }
}

function commonDivisor(a, b) {
  while (b) [a, b] = [b, a % b];
  return a;
}

const asNumber = (one) => Number(one.above) / Number(one.below);

const ARITHMETIC = new Map([
  ["+", (a, b) => new Fraction(a.above * b.below + b.above * a.below, a.below * b.below)],
  ["-", (a, b) => (b === undefined ? new Fraction(-a.above, a.below) : new Fraction(a.above * b.below - b.above * a.below, a.below * b.below))],
  ["*", (a, b) => new Fraction(a.above * b.above, a.below * b.below)],
  ["/", (a, b) => (b.above === 0n ? null : new Fraction(a.above * b.below, a.below * b.above))],
  ["//", (a, b) => (b.above === 0n ? null : new Fraction(floorQuotient(a.above * b.below, a.below * b.above)))],
  ["%", (a, b) => (b.above === 0n ? null : new Fraction(remainder(a.above * b.below, b.above * a.below), a.below * b.below))],
  ["floor", (a) => new Fraction(floorQuotient(a.above, a.below))],
  ["ceil", (a) => new Fraction(ceilingQuotient(a.above, a.below))],
  ["min", (...all) => all.reduce((a, b) => (b.above * a.below < a.above * b.below ? b : a))],
  ["max", (...all) => all.reduce((a, b) => (b.above * a.below > a.above * b.below ? b : a))],
]);
