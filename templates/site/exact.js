// Whole numbers of any length. A result that is no whole number is an error, and never rounded in silence.

const MOST_BITS = 1n << 20n; // of a power, so that a power of powers cannot take all memory

class NotWholeError extends Error {}

function exactQuotient(a, b) {
  if (b === 0n) throw new NotWholeError("division by zero");
  if (a % b !== 0n) throw new NotWholeError("the value is no whole number");
  return a / b;
}

function floorQuotient(a, b) {
  if (b === 0n) throw new NotWholeError("division by zero");
  const quotient = a / b; // rounded towards zero
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient;
}

function ceilingQuotient(a, b) {
  return -floorQuotient(-a, b);
}

function remainder(a, b) {
  return a - b * floorQuotient(a, b);
}

function least(...values) {
  return values.reduce((a, b) => (b < a ? b : a));
}

function greatest(...values) {
  return values.reduce((a, b) => (b > a ? b : a));
}

function bitLength(value) {
  return value === 0n ? 0n : BigInt((value < 0n ? -value : value).toString(2).length);
}

function power(base, exponent) {
  if (exponent < 0n) throw new NotWholeError("a power with an exponent below zero");
  if (exponent * bitLength(base) > MOST_BITS) throw new NotWholeError("a power that is too large");
  return base ** exponent;
}

// The greatest whole number of which the square is no more, by Newton's method from above.
function floorRoot(value) {
  if (value < 0n) throw new NotWholeError("the root of a number below zero");
  if (value < 2n) return value;
  let root = 1n << (bitLength(value) / 2n + 1n);
  for (;;) {
    const next = (root + value / root) / 2n;
    if (next >= root) return root;
    root = next;
  }
}

function exactRoot(value) {
  const root = floorRoot(value);
  if (root * root !== value) throw new NotWholeError("the value is no whole number");
  return root;
}

function exactLog2(value) {
  const exponent = bitLength(value) - 1n;
  if (value < 1n || 1n << exponent !== value) throw new NotWholeError("the value is no whole number");
  return exponent;
}

// By the names that formulas call them; see HELPERS in the printer of JavaScript.
const HELPERS = {
  Q: exactQuotient, F: floorQuotient, C: ceilingQuotient, M: remainder, mn: least, mx: greatest,
  P: power, R: exactRoot, fR: floorRoot, L: exactLog2, bl: bitLength,
};
