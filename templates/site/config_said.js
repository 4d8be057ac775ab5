// A configuration that was read, for people: its mistakes, or what became of each of its keys.

function problemList(name, problems) {
  return el("ul", {}, ...problems.map(({ message, place, notes }) =>
    el("li", {}, el("span", { class: "mistake" }, `${name}:${place.join(":")}: `, ...rich(message)), ...notes.map((note) => el("div", { class: "note" }, ...rich(note))))));
}

function keyTable(found) {
  const { mapping, without, unknown } = found;
  const said = (key, words) => [el("code", {}, key), written(mapping.root.value.get(key)), words];
  const rows = [
    ...[...mapping.used].map(([key, words]) => said(key, words.join("; "))),
    ...[...mapping.assumed].map(([key, value]) => [el("code", {}, key), say("reading_absent"), value]),
    ...[...without].map(([key, why]) => said(key, say("reading_no_effect", { why: told(why, archsheet.imports.said) }))),
    ...unknown.map((key) => said(key, say("reading_not_known"))),
  ];
  return el("details", {}, el("summary", {}, say("reading_keys", { used: mapping.used.size, without: without.size, unknown: unknown.length })),
    table([[say("reading_key"), "words"], [say("reading_value"), "words"], [say("reading_becomes"), "words"]], rows, say("reading_keys_caption")));
}

// The first preset that has just these options; "" for those in force, null where there is none.
function otherWith(rule, options) {
  if (options.size === 0) return "";
  const hasThem = (pairs) => pairs.length === options.size && pairs.every(([name, value]) => options.has(name) && same(options.get(name), readJson(value).value));
  return rule.others.find(([, pairs]) => hasThem(pairs))?.[0] ?? null;
}

// What is said of a configuration that was read; `take` gets what was found and the text of the file, and returns what else is to be said.
function configSaid(name, text, take) {
  const found = importedConfig(text);
  if (found.problems) return [el("p", {}, say("reading_cannot", { name })), problemList(name, found.problems)];
  const { mapping, rule, warnings } = found;
  found.other = otherWith(rule, mapping.options);
  const options = found.other === null && [...mapping.options].map(([option, value]) => `${option} = ${written(value)}`).join(", ");
  const more = options ? el("p", { class: "mistake" }, ...rich(say("reading_options", { options, name }))) : take(found, name, text);
  return [el("p", {}, el("b", {}, say("reading_is_of", { name, title: told(rule.title, archsheet.imports.said), spec: rule.spec }))), more,
    ...warnings.map((one) => el("p", { class: "mistake" }, ...rich(one))), keyTable(found)];
}
