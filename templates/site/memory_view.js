// Memory by kind, in three units, and what fits into a memory that is typed.

function memoryView(app) {
  const parts = el("div");
  const beside = el("div");
  const verdict = el("div", { role: "status" });
  const amount = el("input", { id: "memory", type: "text", autocomplete: "off", spellcheck: "false", placeholder: "80 GB", oninput: () => typed() });
  const said = el("span", { class: "said mistake" });
  const device = el("select", { id: "device", onchange: () => choose() });
  const box = el("section", { id: "memory-section" });

  function build() {
    replace(device, option("", say("choose_device"), ""), ...common.devices.map(([name, title, bytes]) => option(name, `${title}: ${inDecimal(BigInt(bytes))}`, app.state.device)));
    amount.value = app.state.memory;
    replace(box, el("h2", {}, say("memory")), parts, beside,
      el("h3", {}, say("what_fits")), el("div", { class: "controls" }, field(say("memory_there"), amount, said), field(say("device"), device)), verdict);
  }

  function choose() {
    app.state.device = device.value;
    if (device.value === "") return app.change(() => {});
    const bytes = BigInt(deviceNamed(device.value)[DEVICE.memory]);
    const gib = 1n << 30n;
    amount.value = bytes % gib === 0n ? `${bytes / gib} GiB` : `${bytes} B`;
    typed();
  }

  function typed() {
    const text = amount.value.trim();
    const isKnown = text === "" || memoryAmount(text) !== null;
    said.textContent = isKnown ? "" : say("not_an_amount");
    amount.setAttribute("aria-invalid", String(!isKnown));
    if (isKnown) app.change((s) => (s.memory = text));
  }

  const line = (title, bytes, how) => [title, known(bytes, inDecimal), known(bytes, inBinary), known(bytes, withSeparators), el("span", {}, ...rich(how))];
  const heads = () => [[say("what"), ""], ["GB", "number"], ["GiB", "number"], [say("bytes"), "number"], [say("how"), "words"]];

  function how(key) {
    const s = app.state;
    const format = (chosen) => stored(chosen || s.dtype)[3];
    if (key === "weights") return s.optimiser ? stored(s.dtype)[3] : format(s.weights);
    if (key === "cache") return format(s.cache);
    if (key === "optimiser") return copiesOf(s.optimiser) === null ? say("how_by_shape") : say("how_optimiser", { count: copiesOf(s.optimiser) });
    return say(`how_${key}`);
  }

  function update() {
    const { sizes, needs } = app.now;
    const s = app.state;
    const rows = needs.parts.map(([key, bytes]) => line(say(`part_${key}`, { optimiser: s.optimiser }), bytes, how(key)));
    rows.push(needs.sum === null ? line(say("together_at_least"), needs.atLeast, say("no_formula", { name: model.name })) : line(say("together"), needs.sum, ""));
    replace(parts, table(heads(), rows, say(s.optimiser ? "memory_of_step" : "memory_of_pass", { optimiser: s.optimiser, dtype: s.dtype })));
    const kinds = keptByKind(s.dtype, sizes);
    const inside = s.optimiser ? [line(say("gradients"), gradientBytes(s.dtype, sizes), say("how_gradients"))] : [];
    if (s.optimiser) {
      const bytes = kinds.some(([, , value]) => value === null) ? null : kinds.reduce((all, [, , value]) => all + value, 0n);
      inside.push(line(say("kept"), bytes, say("how_kept")));
      for (const [kind, , value] of kinds) inside.push(line(say(`kind_${kind}`), value, say(`how_${kind}`)));
    }
    replace(beside, inside.length ? table(heads(), inside, say("inside_of_step")) : null);
  }

  function fits() {
    const { needs, setting, isStale } = app.now;
    const memory = memoryAmount(app.state.memory);
    if (memory === null) return replace(verdict, el("p", { class: "note" }, say("type_memory")));
    if (needs.sum === null) return replace(verdict, el("p", {}, say("fit_unknown")));
    const left = memory - needs.sum;
    const lines = [el("p", {}, el("b", {}, left >= 0n ? say("fits", { left: inBinary(left) }) : say("does_not_fit", { over: inBinary(-left) })))];
    const given = app.given();
    const set = setByPass(app.pass);
    if (!isStale) {
      for (const [index, [name, english, kind]] of model.sizes.entries()) {
        const meaning = told(english);
        const published = model.presets[app.state.preset][1].some(([place]) => place === index);
        if (published || set.includes(index) || (kind !== "free" && !isContext(index))) continue;
        const found = largestThatFits(index, given, setting, memory);
        if (found === null) continue;
        const shown = found.value === 0n ? say("none_fits", { name, meaning }) : say(found.byMemory ? "largest" : "largest_by_conditions", { name, meaning, value: withSeparators(found.value) });
        lines.push(el("p", { class: "largest", "data-size": name }, shown));
        if (!found.byMemory) lines.push(...freed(index, name, given, setting, memory));
      }
    }
    replace(verdict, ...lines);
  }

  // The same where what bounds a size, such as the number of positions, goes along with it.
  function freed(index, name, given, setting, memory) {
    const grown = new Set();
    const found = largestThatFits(index, given, setting, memory, grown);
    if (found === null || !found.byMemory || !grown.size) return [];
    const names = [...grown].map((place) => model.sizes[place][SIZE_NAME]).join(", ");
    return [el("p", { class: "freed", "data-size": name }, say("largest_freed", { name, names, value: withSeparators(found.value) }))];
  }

  return { node: box, build, update, updateLater: fits };
}
