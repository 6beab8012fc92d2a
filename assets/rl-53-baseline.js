/* The run that was pinned as baseline: which chart each place draws because of it, and the list it is chosen from. */
(function (rl) {
  "use strict";

  const prepared = new WeakMap();      // chart of a payload → the same with decoded lines

  /* The chart a place draws: as logged or as differences, of runs or of groups of them. */
  rl.chartInView = (record) => rl.inGroups(differing(record));

  /* As logged, or its difference to the baseline where that has the same chart. */
  function differing(record) {
    const chart = rl.chartNow(record), key = rl.state.base && rl.runNamed(chart.payload, rl.state.base);
    if (!key || !rl.canDiffer(chart)) return chart;
    const source = chart.lines.some((line) => line.key === key) ? chart : counterpart(record, chart.payload, key);
    const alone = source === chart && chart.lines.every((line) => line.key === key);
    return source && !alone ? rl.against(chart, source, key) : chart;
  }

  /* The chart of the baseline that shows what a chart of another run shows. */
  function counterpart({ id }, payload, key) {
    const own = Object.keys(payload.runs).find((name) => id.includes(`-${name}-`));
    if (!own) return null;
    const other = id.replace(`-${own}-`, `-${key}-`), place = rl.records().find((record) => record.id === other);
    if (place && place.spec && !place.spec.empty) return rl.chartNow(place);
    const spec = payload.charts[other];
    if (!spec || spec.empty) return null;
    if (!prepared.has(spec)) prepared.set(spec, rl.prepare(spec, payload));
    return prepared.get(spec);
  }

  /* ---- the list ---- */

  const lists = () => document.querySelectorAll("select[data-act=base]");

  function fill() {
    const runs = Object.values((rl.payload() || {}).runs || {}).filter((run) => run.last !== null);
    const names = runs.map((run) => [rl.linkName(rl.payload(), run), rl.runName(run)]);
    if (rl.state.base && !names.some(([value]) => value === rl.state.base)) names.push([rl.state.base, rl.state.base]);
    const text = JSON.stringify(names);
    for (const list of lists()) {
      if (list.dataset.holds !== text) {
        list.dataset.holds = text;
        for (const option of [...list.options].slice(1)) option.remove();
        for (const [value, name] of names) list.add(new Option(name, value));
      }
      if (list.value !== rl.state.base) list.value = rl.state.base;
    }
    for (const chip of document.querySelectorAll("[data-act=chip]")) chip.classList.toggle("is-base", Boolean(rl.state.base) && chip.dataset.value === rl.state.base);
  }

  document.addEventListener("change", (event) => {
    if (event.target.matches && event.target.matches("select[data-act=base]")) rl.set({ base: event.target.value });
  });
  rl.on((changed) => { if (changed.has("base")) { fill(); rl.freeY(); } });
  rl.onPayload(fill);
})(window.rlboard);
