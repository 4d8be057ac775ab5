// The answer in a few numbers, which stays in sight, and the choices of scenario and formats.

function answerView(app) {
  const list = el("dl", { class: "answer", "aria-live": "polite" });
  const state = () => app.state;

  function item(title, value, exact, warn = false, more = "") {
    return el("div", { class: warn ? "stale" : null }, el("dt", {}, title), el("dd", {}, el("b", {}, value), el("span", { class: "exact" }, exact), more ? el("span", { class: "device" }, more) : null));
  }

  // On the device that is chosen, else on the smallest that holds it; a device that is too small has no time.
  function timeItem(smallest) {
    const { sizes, needs, setting, isStale } = app.now;
    const chosen = deviceNamed(state().device) ?? smallest;
    if (!chosen) return null;
    const on = say("time_on", { device: chosen[DEVICE.title] });
    const found = leastTime(chosen, setting, sizes);
    const tooSmall = needs.sum !== null && BigInt(chosen[DEVICE.memory]) < needs.sum;
    if (found === null || tooSmall) return item(say("time"), tooSmall ? say("time_does_not_fit") : say("unknown"), "", isStale, on);
    const limit = say(found.limit === null ? "time_no_peak" : `time_by_${found.limit}`, { dtype: setting.dtype });
    const estimate = found.estimate === null ? "" : say("time_estimate", { time: inSeconds(found.estimate) });
    const shown = item(say("time"), say("time_least", { time: inSeconds(found.bound) }), estimate, isStale, `${limit}; ${on}`);
    for (const key of ["bound", "estimate"]) shown.dataset[key] = String(found[key]);
    shown.id = "time";
    return shown;
  }

  function update() {
    const { sizes, needs, isStale } = app.now;
    const count = (key) => total(key, sizes);
    const items = [];
    for (const key of ["params", app.work]) {
      const value = count(key);
      items.push(item(measureWords(key)[0], known(value, (v) => shortCount(v, measureUnit(key))), known(value, withSeparators), isStale));
    }
    const weights = needs.parts[0][1];
    items.push(item(say("weights"), known(weights, inBinary), known(weights, inDecimal), isStale));
    const stateValue = needs.parts.find(([key]) => key === "cache");
    if (stateValue) items.push(item(say("cache"), known(stateValue[1], inBinary), known(stateValue[1], inDecimal), isStale));
    const device = smallestDevice(needs.sum);
    const fits = needs.sum === null ? "" : device === null ? say("no_device") : say("device_holds", { device: device[1] });
    const memory = needs.sum === null ? [say("at_least", { bytes: inBinary(needs.atLeast) }), ""] : [inBinary(needs.sum), inDecimal(needs.sum)];
    items.push(item(say("memory_needed"), ...memory, isStale, fits), timeItem(device));
    replace(list, ...items.filter((one) => one !== null));
  }

  function select(label, id, options, value, change) {
    const control = el("select", { id, onchange: () => app.change((s) => change(s, control.value)) }, ...options.map(([key, text]) => option(key, text, value)));
    return field(label, control);
  }

  function controls() {
    const s = state();
    const as = storedChoices(s.dtype);
    const parts = [
      select(say("scenario"), "scenario", scenarioChoices(), s.optimiser || s.pass, (t, value) => [t.pass, t.optimiser] = PASSES.includes(value) ? [value, ""] : ["", value]),
      select(say("computes_in"), "dtype", common.dtypes.map(([key]) => [key, key]), s.dtype, (t, value) => (t.dtype = value)),
    ];
    if (!s.optimiser) {
      parts.push(select(say("weights_in"), "weights", as, s.weights, (t, value) => (t.weights = value)));
      if (app.hasState) parts.push(select(say("cache_in"), "cache", as, s.cache, (t, value) => (t.cache = value)));
    }
    return el("div", { class: "controls" }, ...parts);
  }

  const box = el("div");
  let built = ""; // for what the choices were made
  return {
    sticky: list,
    node: box,
    update() {
      update();
      const chosen = [language, state().dtype, state().optimiser, state().pass, state().weights, state().cache].join(" ");
      if (chosen === built) return;
      built = chosen;
      const focus = document.activeElement && box.contains(document.activeElement) ? document.activeElement.id : "";
      replace(box, controls());
      if (focus) document.getElementById(focus)?.focus();
    },
  };
}
