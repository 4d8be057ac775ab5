// The least time of a pass or a step on a device, and an estimate, as `gen time` has them: contractions without hidden scores at the
// device's peak, and what must go through its memory once. Numbers are exact fractions until they are shown.

const EFFICIENCY = 0.5; // the part of the bound's speed that estimates assume, as `gen time` does where nothing else is asked

const DEVICE = { name: 0, title: 1, memory: 2, bandwidth: 3, peaks: 4 };
const deviceNamed = (name) => common.devices.find((one) => one[DEVICE.name] === name);
const times = (a, b) => ARITHMETIC.get("*")(a, b);
const plus = (a, b) => ARITHMETIC.get("+")(a, b);

function bytesEach(key) {
  const [, above, below] = stored(key);
  return new Fraction(BigInt(above), BigInt(below));
}

class UnknownWork extends Error {}

function workValue(place, sizes) {
  const value = valueOf(place, sizes);
  if (value === null) throw new UnknownWork();
  return value;
}

// Bytes of weights that are read at least, and those beside where tokens spread evenly over experts.
function weightsRead(each, sizes) {
  const tokens = Number(workValue(model.time.items, sizes));
  let [least, spread] = [new Fraction(0n), 0];
  for (const [above, below, count] of model.time.read) {
    const share = new Fraction(workValue(above, sizes), workValue(below, sizes));
    const all = times(new Fraction(workValue(count, sizes)), each);
    least = plus(least, times(all, share));
    const part = asNumber(share);
    spread += asNumber(all) * (1 - (1 - part) ** tokens - part) * (part === 1 ? 0 : 1);
  }
  return [least, spread];
}

// Elements of caches that are read at least: those that masks leave, where there is something before the new tokens.
function cacheRead(sizes) {
  const past = model.time.past.some((place) => workValue(place, sizes) !== 0n);
  if (!past || !model.time.caches.length) return new Fraction(workValue(model.memory.state, sizes));
  return model.time.caches.reduce((sum, [elements, pairs]) => {
    const shares = pairs.map(([full, seen]) => [workValue(full, sizes), workValue(seen, sizes)]).filter(([full]) => full !== 0n);
    const least = ARITHMETIC.get("min")(new Fraction(1n), ...shares.map(([full, seen]) => new Fraction(seen, full)));
    return plus(sum, times(new Fraction(workValue(elements, sizes)), least));
  }, new Fraction(0n));
}

// The least arithmetic and bytes of the pass or step that is asked for; null where a formula has no value.
function leastWork(setting, sizes) {
  try {
    const one = model.time;
    const item = new Fraction(BigInt(itemBytes(setting.dtype).float));
    const inputs = times(new Fraction(workValue(one.inputs, sizes)), item);
    const flops = workValue(one.flops, sizes);
    if (setting.optimiser === "") {
      const [weights, spread] = weightsRead(bytesEach(setting.weights), sizes);
      const parts = [weights, times(cacheRead(sizes), bytesEach(setting.cache)), inputs, times(new Fraction(workValue(one.results, sizes)), item)];
      return { flops, bytes: parts.reduce(plus), spread };
    }
    const copies = copiesOf(setting.optimiser);
    const kept = workValue(copies === null ? model.memory.kept[setting.optimiser] : model.memory.trainable, sizes) * BigInt(copies === null ? 1 : copies);
    const learned = times(new Fraction(workValue(model.memory.trainable, sizes)), item);
    const [read, spread] = weightsRead(bytesEach(setting.dtype), sizes);
    const written = kept ? learned : ARITHMETIC.get("min")(learned, read); // what is not read gets no gradient
    const parts = [read, written, times(new Fraction(2n * kept), item), inputs];
    return { flops: flops + workValue(one.backward, sizes), bytes: parts.reduce(plus), spread };
  } catch (error) {
    if (error instanceof UnknownWork) return null;
    throw error;
  }
}

// {compute, memory, bound, limit, estimate} in seconds; compute, limit and estimate are null where the device's peak is not known.
function leastTime(device, setting, sizes) {
  const work = leastWork(setting, sizes);
  if (work === null) return null;
  const over = (value, rate) => asNumber(new Fraction(value.above * BigInt(rate[1]), value.below * BigInt(rate[0])));
  const memory = over(work.bytes, device[DEVICE.bandwidth]);
  const peak = device[DEVICE.peaks].find(([dtype]) => dtype === setting.dtype);
  if (!peak) return { compute: null, memory, bound: memory, limit: null, estimate: null };
  const compute = over(new Fraction(work.flops), [peak[1], peak[2]]);
  const [above, below] = device[DEVICE.bandwidth];
  const spread = (work.spread * Number(below)) / Number(above);
  return { compute, memory, bound: Math.max(compute, memory), limit: compute >= memory ? "compute" : "memory", estimate: Math.max(compute, memory + spread) / EFFICIENCY };
}

// Seconds with four figures: 12.34 ms.
function inSeconds(seconds) {
  if (seconds === 0) return "0 s";
  const units = [["h", 3600], ["s", 1], ["ms", 1e-3], ["µs", 1e-6], ["ns", 1e-9]];
  const [unit, size] = units.find(([, least]) => seconds >= least) ?? units.at(-1);
  const billionths = BigInt(Math.round((seconds / size) * 1e9));
  return `${toFigures(billionths, 10n ** 9n) ?? withSeparators(nearest(billionths, 10n ** 9n))} ${unit}`;
}
