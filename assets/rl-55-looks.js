/* What settings do to the view: groups drawn as one line, hues that tell a setting, runs chosen by a value. */
(function (rl) {
  "use strict";

  const HUES = 5, DASHES = 3;
  const own = new WeakMap();      // run of a payload → the look it came with

  /* A chart as it is, or with its groups as one line; an episode is of one run, and charts of one run hold no group. */
  rl.inGroups = function (chart) {
    if (!rl.state.group || !rl.canDiffer(chart) || chart.meta.size === "episode") return chart;
    const groups = rl.groupsBy(chart.payload, rl.state.group, rl.visibleRuns(chart.payload, rl.state.exp));
    return groups.length ? rl.grouped(chart, groups, rl.state.band) : chart;
  };
  /* The run whose line stands for a run. */
  rl.leaderOf = function (payload, key) {
    const group = rl.state.group && rl.groupsBy(payload, rl.state.group, rl.visibleRuns(payload, rl.state.exp)).find(({ keys }) => keys.includes(key));
    return group ? group.keys[0] : key;
  };

  /* ---- hues ---- */

  function paint(payload) {
    const by = rl.state.colour, values = rl.hasSetting(payload, by) ? rl.settingValues(payload, by).map(({ value }) => value) : null;
    for (const run of Object.values(payload.runs || {})) {
      if (!own.has(run)) own.set(run, { slot: run.slot, dash: run.dash });
      const nth = values && run.settings !== undefined ? values.indexOf(rl.settingOf(run, by)) : -1;
      Object.assign(run, nth < 0 ? own.get(run) : { slot: (nth % HUES) + 1, dash: Math.floor(nth / HUES) % DASHES });
    }
    rl.paintMarks(document);
  }

  /* Marks and small curves of the page in the hue of their run. */
  rl.paintMarks = function (root) {
    const { runs } = rl.payload() || {};
    for (const el of runs ? root.querySelectorAll("[data-look]") : []) {
      const run = runs[el.dataset.look], name = run && (el.classList.contains("sym") ? rl.markClass(run) : `${el.className.split(" ")[0]} e${run.slot}`);
      if (run && el.className !== name) el.className = name;
    }
  };

  rl.onPayload(paint);
  rl.on((changed) => {
    if (changed.has("colour") && rl.payload()) {
      paint(rl.payload());
      for (const record of rl.records()) {
        record.base = null;
        for (const look of record.looks || []) look.chart = null;
      }
    }
    if (["group", "band", "colour"].some((key) => changed.has(key))) { rl.freeY(); rl.redraw(); }
  });

  /* ---- runs by a value ---- */

  /* Runs that a choice of values names, as links call them; null where the page cannot tell them apart by it. */
  function chosen(payload, where) {
    if (!where || !rl.hasSetting(payload, where.key)) return null;
    return Object.values(payload.runs).filter((run) => run.settings && where.values.includes(rl.settingOf(run, where.key))).map((run) => rl.linkName(payload, run));
  }

  rl.chooseWhere = (where) => rl.set({ where, exp: chosen(rl.payload() || {}, where) });

  rl.onPayload((payload) => {
    const { where } = rl.state;
    if (!where) return;
    if (!rl.hasSetting(payload, where.key)) rl.notice("vary.nowhere", { key: where.key.slice(0, 80) });
    rl.set({ exp: chosen(payload, where) });
  });
  /* Whoever presses a chip has made a choice of their own. */
  rl.on((changed) => {
    const { where, exp } = rl.state;
    if (where && changed.has("exp") && JSON.stringify(exp) !== JSON.stringify(chosen(rl.payload() || {}, where))) rl.set({ where: null });
  });
})(window.rlboard);
