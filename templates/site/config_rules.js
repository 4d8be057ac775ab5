// What a rule of a spec makes of a configuration: sizes, options, and what it cannot say; as generator/importing/mapping.py has it.

const quoted = (names, joiner = "and", limit = 20) => {
  const all = names.map((name) => `\`${name}\``);
  if (all.length > limit) all.splice(limit, all.length, `${all.length - limit} more`);
  return all.length > 1 ? `${all.slice(0, -1).join(", ")} ${joiner} ${all.at(-1)}` : all[0] ?? "";
};
const DERIVED = "auto"; // what some libraries write for null
const MISSING = Symbol("missing");

// Each value by its key, with its place and the key of the file that it belongs to; see Config.flat.
function flatten(root) {
  const found = new Map();
  const add = (name, node, owner) => {
    if (!found.has(name)) found.set(name, { value: node.value, place: node.place, owner });
    const count = node.items?.length ?? node.entries?.size;
    if (count !== undefined && !found.has(`${name}_count`)) found.set(`${name}_count`, { value: new Fraction(BigInt(count)), place: node.place, owner });
    (node.items ?? []).forEach((item, at) => add(`${name}_${at + 1}`, item, owner));
    for (const [key, one] of node.entries ?? []) add(`${name}_${key}`, one, owner);
  };
  for (const [key, node] of root.entries) add(key, node, key);
  return found;
}

const valuesOf = (said) => said.map((one) => (typeof one === "string" ? readJson(one).value : one));
const isFormula = (one) => one !== null && typeof one === "object" && Array.isArray(one.formula);

class ConfigMapping {
  constructor(rule, root, flat) {
    const read = (pairs) => new Map(pairs.map(([key, values]) => [key, valuesOf(values)]));
    Object.assign(this, { rule, root, flat, sizes: new Map(), options: new Map(), used: new Map(), assumed: new Map(), misfits: [], problems: [], said: new Set() });
    this.defaults = new Map(rule.defaults.map(([key, value]) => [key, valuesOf([value])[0]]));
    rule.sizes.forEach(([name, formula]) => this.size(name, formula));
    rule.options.forEach((one) => this.option(...one));
    read(rule.only).forEach((allowed, key) => this.only(key, allowed));
    read(rule.unless).forEach((excluded, key) => this.unless(key, excluded));
    rule.cycles.forEach(([key, words]) => this.cycle(key, words));
  }

  get wrong() {
    const [line, column] = [0, 1];
    return [...this.misfits, ...this.problems].sort((a, b) => a.place[line] - b.place[line] || a.place[column] - b.place[column]);
  }

  place(key) {
    return this.flat.has(key) ? this.flat.get(key).place : this.root.place;
  }

  behind(key) {
    const one = this.defaults.get(key);
    return isFormula(one) ? one.formula[1] : [];
  }

  value(key) {
    const there = this.flat.get(key);
    const usual = this.defaults.get(key);
    if (there && (!isFormula(usual) || (there.value !== null && there.value !== DERIVED))) return there.value;
    if (usual === undefined) return MISSING;
    if (!isFormula(usual)) {
      if (usual === null) return MISSING;
      if (!this.assumed.has(key)) this.assumed.set(key, written(usual));
      return usual;
    }
    const [text, names] = usual.formula;
    const result = this.evaluated(usual.formula);
    if (result === MISSING) return MISSING;
    if (!this.assumed.has(key)) this.assumed.set(key, `${written(result)} = ${text}`);
    for (const name of names) this.use(name, say("reading_follows", { key }));
    return result;
  }

  // The value of a key that must be a number; what is wrong is noted.
  number(key) {
    const value = oneForAll(this.value(key));
    if (value instanceof Fraction) return value;
    if (value === MISSING) this.fail(key, say("reading_missing", { key, needs: this.needs(key) }));
    else this.fail(key, say("reading_no_number", { key, value: written(value), needs: this.needs(key) }));
    return MISSING;
  }

  needs(key) {
    const sizes = this.rule.sizes.filter(([, formula]) => formula[1].includes(key)).map(([name]) => name);
    if (sizes.length) return say("reading_needs", { spec: this.rule.spec, sizes: quoted(sizes) });
    return say("reading_follow_from_it", { keys: quoted([...this.defaults.keys()].filter((name) => this.behind(name).includes(key))) });
  }

  fail(key, message, ...notes) {
    if (!this.said.has(key)) this.problems.push({ message, place: this.place(key), notes });
    this.said.add(key);
  }

  misfit(key, value, ...notes) {
    this.misfits.push({ message: say("reading_misfit", { spec: this.rule.spec, key, value: written(value) }), place: this.place(key), notes });
  }

  numbers(names) {
    const found = new Map();
    for (const name of names) {
      const value = this.number(name);
      if (value !== MISSING) found.set(name, value);
    }
    return found;
  }

  evaluated([, names, tree]) {
    const values = new Map();
    for (const name of names) {
      const value = this.number(name);
      if (value === MISSING) return MISSING;
      values.set(name, value);
    }
    return tree === null ? null : worked(tree, values);
  }

  size(name, [text, names, tree]) {
    const values = this.numbers(names);
    if (values.size < names.length) return;
    const result = tree === null ? null : worked(tree, values);
    if (result === null || result.below !== 1n || result.above < 1n || result.above > MOST_SIZE) {
      const key = names[0] ?? name;
      const why = text === key ? this.assumed.get(key) ?? `\`${name}\`` : say("reading_is", { name, text });
      const all = new Map(values);
      for (const one of values.keys()) if (this.assumed.has(one)) for (const other of this.behind(one)) all.set(other, this.value(other));
      const shown = [...all].map(([one, value]) => say("reading_key_is", { key: one, value: written(value) })).join(", ");
      this.problems.push({ message: say("reading_no_size", { key, value: written(result), why }), place: this.placeOf(names), notes: [shown] });
      return;
    }
    this.sizes.set(name, result.above);
    const shown = withSeparators(result.above);
    for (const key of values.keys()) this.use(key, text === key ? `${name} = ${shown}` : `${name} = ${text} = ${shown}`);
  }

  // The place of the first key of a formula that stands in the file, also behind defaults.
  placeOf(names) {
    const found = [...new Set(names)];
    for (const key of found) {
      if (this.flat.has(key) && this.flat.get(key).value !== null) return this.flat.get(key).place;
      for (const one of this.behind(key)) if (!found.includes(one)) found.push(one);
    }
    return this.root.place;
  }

  use(key, words) {
    if (!this.flat.has(key)) return;
    const { owner } = this.flat.get(key);
    const said = this.used.get(owner) ?? [];
    if (!said.includes(words)) this.used.set(owner, [...said, words]);
  }

  option(name, key, usualText, pairs) {
    const value = this.value(key);
    if (value === MISSING) return;
    const text = value === null ? "None" : value === true ? "True" : value === false ? "False" : typeof value === "string" ? value : jsonText(value);
    const words = new Map(pairs);
    if (words.size && !words.has(text)) return this.misfit(key, value, say("reading_may_be", { words: quoted([...words.keys()], "or") }));
    const usual = readJson(usualText).value;
    const chosen = chosenOption(usual, words.has(text) ? readJson(words.get(text)).value : value, new Map(this.rule.choices).get(name));
    if (chosen === undefined) return this.misfit(key, value);
    if (!same(chosen, usual)) this.options.set(name, chosen);
    this.use(key, `${name} = ${written(chosen)}`);
  }

  only(key, allowed) {
    if (!this.flat.has(key) && !this.defaults.has(key)) return; // as the library has it where nothing is said
    const there = this.value(key);
    const value = oneForAll(there === MISSING ? null : there);
    if (allowed.length === 1 && isFormula(allowed[0])) this.equal(key, value, allowed[0].formula);
    else if (!allowed.some((one) => same(value, one))) this.misfit(key, value, say("reading_stands_for", { values: allowed.map(written).join(say("reading_or")) }));
    this.use(key, say("reading_as_spec"));
  }

  equal(key, value, formula) {
    const expected = this.evaluated(formula);
    if (expected === MISSING || value === null || same(value, expected)) return;
    const shown = formula[1].map((one) => say("reading_key_is", { key: one, value: written(this.number(one)) })).join(", ");
    this.misfit(key, value, say("reading_stands_for", { values: `${formula[0]} = ${written(expected)}` }), shown);
  }

  unless(key, excluded) {
    const there = this.value(key);
    if (there === MISSING) return;
    const formula = excluded.length === 1 && isFormula(excluded[0]) ? excluded[0].formula : null;
    const expected = formula === null ? null : this.evaluated(formula);
    if (expected === MISSING) return;
    const without = formula === null ? excluded : [expected];
    const value = oneForAll(there);
    if (without.some((one) => same(value, one))) {
      const values = without.map(written).join(say("reading_or"));
      this.misfit(key, value, say("reading_not_for", { values: formula === null ? values : `${formula[0]} = ${values}` }));
    }
    this.use(key, say("reading_as_spec"));
  }

  cycle(key, words) {
    const there = this.flat.get(key);
    if (!there || there.value === null) return;
    this.use(key, say("reading_as_spec"));
    const layers = Array.isArray(there.value) ? there.value : [there.value];
    const at = layers.findIndex((layer, place) => layer !== words[place % words.length]);
    if (at < 0) return;
    const message = say("reading_layer", { spec: this.rule.spec, key, layer: at + 1, value: written(layers[at]) });
    const note = say(words.length > 1 ? "reading_layers_again" : "reading_layers", { layers: words.join(", ") });
    this.misfits.push({ message, place: this.place(`${key}_${at + 1}`), notes: [note] });
  }
}

const MOST_SIZE = 10n ** 15n; // as MAX_SIZE of generator/spec/keys.py

// An option's value of the kind that its usual value is of; undefined for one that it cannot be.
function chosenOption(usual, value, choices) {
  if (typeof usual === "boolean") return typeof value === "boolean" ? value : new Map([["true", true], ["false", false]]).get(String(value).toLowerCase());
  if (typeof usual === "string") return typeof value === "string" && (!choices.length || choices.includes(value)) ? value : undefined;
  return value instanceof Fraction ? value : undefined;
}

// What becomes of the keys that give nothing: those without effect with the reason, those that nothing is known of, and what to warn of.
function restOf(mapping) {
  const { rule, root, used } = mapping;
  const known = new Map(archsheet.imports.shared).get(rule.library);
  const usual = new Map(known.usual.map(([key, ...one]) => [key, one]));
  const [own, all] = [new Map(rule.ignore), new Map(known.ignore)];
  const [without, unknown, warnings] = [new Map(), [], []];
  const classes = root.value.get("architectures");
  if (Array.isArray(classes) && classes.length && rule.model && !classes.includes(rule.model)) {
    const shown = classes.map((one) => (typeof one === "string" ? one : written(one))).join(say("reading_and"));
    warnings.push(say("reading_other_class", { classes: shown, spec: rule.spec, model: rule.model }));
  }
  for (const [key, value] of root.value) {
    if (used.has(key)) continue;
    if (usual.has(key) && !own.has(key)) {
      const [text, otherwise] = usual.get(key);
      const expected = readJson(text).value;
      const isUsual = [expected, null].some((one) => same(oneForAll(value), one)) || (oneForAll(value) === false && same(expected, new Fraction(0n)));
      without.set(key, isUsual ? say("reading_none_at", { value: written(expected) }) : otherwise);
      if (!isUsual) warnings.push(say("reading_counts_not", { key, value: written(value), why: told(otherwise, archsheet.imports.said) }));
    } else if (own.get(key) || all.get(key)) without.set(key, own.get(key) || all.get(key));
    else unknown.push(key);
  }
  const isSilent = (one) => one === null || one === false || one === "" || (one instanceof Fraction && one.above === 0n) || (Array.isArray(one) && !one.length) || (one instanceof Map && !one.size);
  const telling = unknown.filter((key) => !isSilent(root.value.get(key))).map((key) => `\`${key}: ${written(root.value.get(key))}\``);
  if (telling.length) warnings.unshift(say(telling.length === 1 ? "reading_unknown_key" : "reading_unknown_keys", { keys: telling.join(", ") }));
  return { without, unknown, warnings };
}

// The spec that stands for the text of a configuration: {rule, mapping, without, unknown, warnings}, or {problems} with their places.
function importedConfig(text) {
  try {
    const root = readJson(text);
    if (!root.entries) throw new ConfigError("reading_no_object", {}, [1, 1], [say("reading_expected")]);
    const kind = root.entries.get("model_type");
    if (typeof kind?.value !== "string") throw new ConfigError("reading_no_type", {}, root.place, [say("reading_expected")]);
    const flat = flatten(root);
    const rules = archsheet.imports.rules.filter((rule) => rule.types.includes(kind.value));
    if (!rules.length) {
      const types = [...new Set(archsheet.imports.rules.flatMap((rule) => rule.types))].sort();
      throw new ConfigError("reading_no_spec", { kind: kind.value }, kind.place, [say("reading_known", { types: quoted(types, "and", 100) })]);
    }
    const all = rules.map((rule) => new ConfigMapping(rule, root, flat));
    const order = (one, other) => one.misfits.length - other.misfits.length || one.problems.length - other.problems.length;
    const best = all.slice().sort(order)[0];
    const note = say("reading_read_as", { spec: best.rule.spec, kind: kind.value });
    if (best.wrong.length) return { problems: best.wrong.map((one) => ({ ...one, notes: [...one.notes, note] })) };
    const also = all.filter((one) => one !== best && !one.wrong.length);
    if (also.length) return { problems: [{ message: say("reading_several", { specs: quoted([best, ...also].map((one) => one.rule.spec)) }), place: kind.place, notes: [] }] };
    return { rule: best.rule, mapping: best, ...restOf(best) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { problems: [{ message: error.message, place: error.place, notes: error.notes }] };
  }
}
