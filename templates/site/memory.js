// Memory as `gen memory` counts it, as far as the page has formulas: weights, optimiser, caches, and the highest moment of a pass.

const stored = (key) => common.stored.find((format) => format[0] === key);
const HALF = ["bfloat16", "float16"];

// Bytes of so many numbers in a stored format, rounded up.
function storedBytes(numbers, key) {
  const [, above, below] = stored(key);
  return ceilingQuotient(numbers * BigInt(above), BigInt(below));
}

function itemBytes(dtype) {
  return common.dtypes.find((one) => one[0] === dtype)[1];
}

// Bytes at the highest moment of a pass; null where no one formula holds at these sizes.
function highest(pass, dtype, sizes) {
  const found = model.memory[pass][HALF.includes(dtype) ? 1 : 0];
  if (found === null) return null;
  const [place, limits] = found;
  for (const [count, least] of limits) {
    const value = valueOf(count, sizes);
    if (value === null || value < BigInt(least)) return null;
  }
  return valueOf(place, sizes);
}

const copiesOf = (optimiser) => common.optimisers.find(([name]) => name === optimiser)[1];

// The numbers that an optimiser keeps: so many for each parameter that learns, or by the shapes of weights.
function numbersKept(optimiser, sizes) {
  const copies = copiesOf(optimiser);
  if (copies === null) return valueOf(model.memory.kept[optimiser], sizes);
  const trainable = valueOf(model.memory.trainable, sizes);
  return trainable === null ? null : BigInt(copies) * trainable;
}

// The parts of what is needed, [key, bytes or null], their sum, and the sum of those that are known; of a setting {dtype, weights, cache, optimiser}.
function memoryNeeds(setting, sizes) {
  const params = valueOf(model.memory.params, sizes);
  const training = setting.optimiser !== "";
  const parts = [["weights", params === null ? null : storedBytes(params, training ? setting.dtype : setting.weights)]];
  if (training) {
    const kept = numbersKept(setting.optimiser, sizes);
    parts.push(["optimiser", kept === null ? null : storedBytes(kept, setting.dtype)]);
    parts.push(["step", highest("step", setting.dtype, sizes)]);
  } else {
    const state = valueOf(model.memory.state, sizes);
    if (state !== 0n) parts.push(["cache", state === null ? null : storedBytes(state, setting.cache)]);
    parts.push(["forward", highest("forward", setting.dtype, sizes)]);
  }
  const sum = parts.some(([, bytes]) => bytes === null) ? null : parts.reduce((all, [, bytes]) => all + bytes, 0n);
  const atLeast = parts.reduce((all, [, bytes]) => (bytes === null ? all : all + bytes), 0n);
  return { parts, sum, atLeast };
}

const smallestDevice = (sum) => (sum === null ? null : common.devices.find(([, , bytes]) => BigInt(bytes) >= sum) || null);

// What is kept for the backward pass, by kind of element: [kind, elements, bytes].
function keptByKind(dtype, sizes) {
  const bytes = itemBytes(dtype);
  return model.saved[HALF.includes(dtype) ? "half" : "full"].map(([kind, place]) => {
    const count = valueOf(place, sizes);
    return [kind, count, count === null ? null : count * BigInt(bytes[kind])];
  });
}

function gradientBytes(dtype, sizes) {
  const trainable = valueOf(model.memory.trainable, sizes);
  return trainable === null ? null : storedBytes(trainable, dtype);
}

const MOST = 1n << 48n; // no size is looked for beyond

// The largest value of a size with which the model fits, all else as it is: {value, byMemory}; null where nothing is known.
// With a set, sizes that bound the one go along with it, and are put there.
function largestThatFits(index, given, setting, memory, grown = null) {
  const known = new Map();
  const fits = (value) => {
    if (value < 1n) return null;
    if (!known.has(value)) {
      const sizes = sizesAt(given, index, value, grown);
      known.set(value, sizes === null ? null : memoryNeeds(setting, sizes).sum);
    }
    const needed = known.get(value);
    return needed === null ? null : needed <= memory;
  };
  const start = complete(given)[index];
  if (start === null || fits(start) === null) return null;
  const step = stepOf(start, (value) => fits(value) !== null);
  let [low, high] = fits(start) ? [start / step, (2n * start) / step] : [0n, start / step];
  while (low && high < MOST && fits(high * step)) [low, high] = [high, 2n * high];
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    const found = fits(middle * step);
    // What breaks a condition below the given value is too small, and what does so above is too large.
    if (found || (found === null && middle * step < start)) low = middle;
    else high = middle;
  }
  const best = low && fits(low * step) ? low * step : 0n;
  return { value: best, byMemory: fits((low + 1n) * step) !== null };
}
