/* Charts that are looked at more closely than the page got them: those left for later, and long lines, of which a page
   holds the extremes of every few steps, at the steps in range. One request for the charts in view, and only when the
   range came to rest; what is drawn stays until its finer form is there. A page without a server shows what it holds. */
(function (rl) {
  "use strict";

  const REST_MS = 250;      // after the last frame of a gesture
  const KEPT = 4;           // ranges of a chart that are kept
  const DRAWN = 60000;      // points of a chart that are drawn without delay
  const HELD = 100000;      // points of a chart that are fetched before anyone zooms,
  const HELD_ALL = 400000;  // and of all charts of a page
  const AHEAD_MS = 1000, AGAIN_MS = 60000;      // rest of a page before it fetches them; not oftener than that
  const answered = new Set();
  let moving = 0, flying = null, later = 0, fetching = false;

  const live = () => Boolean(window.dash_clientside && window.dash_clientside.set_props);
  const sampled = ({ spec }) => (spec && spec.meta && spec.meta.sampled) || null;
  const inside = (range, span) => range[0] >= span[0] && range[1] <= span[1];
  const equal = (a, b) => a[0] === b[0] && a[1] === b[1];
  const all = () => rl.payload().steps || [1, 1];

  /* Steps that a chart shows of those there are. */
  function stepsOf(meta) {
    const [first, last] = rl.rangeOf(meta, rl.payload(), rl.state), [low, high] = all();
    return [Math.max(first, low), Math.min(last, high)];
  }

  /* What figures are made by. */
  const question = () => ({ tab: rl.payload().tab, ep: rl.state.ep, selection: rl.selection() });

  /* ---- what is there ---- */

  /* The look that serves a range: one with every point of it, that very range, or in a gesture one that reaches over it. */
  function look(record, range) {
    const by = JSON.stringify(question());
    if (equal(range, all())) return null;
    const found = (record.looks || []).filter((item) => item.by === by && inside(range, item.span)), few = points(record, range) <= DRAWN;
    return found.find((item) => item.size === 1 && (few || !item.ahead)) || found.find((item) => equal(range, item.span)) || (moving && found.find((item) => few || !item.ahead)) || null;
  }

  /* Points of a chart with every step of a range. */
  const points = ({ spec }, range) => (range[1] - range[0] + 1) * spec.data.length;

  /* The prepared chart to draw, in the finest form there is. */
  rl.chartNow = function (record) {
    record.base = record.base || rl.prepare(record.spec, rl.payload());
    const found = sampled(record) ? look(record, stepsOf(record.spec.meta)) : null;
    if (!found) return record.base;
    found.chart = found.chart || rl.prepare(found.spec, rl.payload());
    return found.chart;
  };

  /* Whether what a chart tells of its range comes from every point in it. */
  rl.exact = function ({ chart }) {
    const about = chart.meta.sampled;
    return !about || about.size === 1 || equal(stepsOf(chart.meta), about.span || all());
  };

  /* ---- what is missing ---- */

  /* "all", or a range; null when a chart has what it needs. */
  function missing(record) {
    if (record.late) return "all";
    if (!sampled(record)) return null;
    const range = stepsOf(record.spec.meta), found = look(record, range);
    if (range[0] > range[1] || equal(range, all())) return null;
    return found && found.version === rl.payload().version ? null : range;
  }

  /* Ask for what the charts in view miss; called whenever all of them are drawn. */
  rl.survey = function () {
    if (!live() || moving || !rl.payload()) return;
    const groups = new Map();
    for (const record of rl.records()) {
      const want = record.inView ? missing(record) : null;
      if (want) groups.set(String(want), (groups.get(String(want)) || []).concat(record));
    }
    const open = [...document.querySelectorAll("details[data-full][open]")].map((el) => el.dataset.full).sort();
    for (const [want, records] of groups) {
      const steps = want === "all" ? null : want.split(",").map(Number);
      const asked = { ...question(), version: rl.payload().version, unfolded: open, ids: records.map((record) => record.id), steps };
      if (!answered.has(JSON.stringify(asked))) { ask(asked, records); return; }
    }
    if (!flying && !later) later = setTimeout(ahead, fetching ? 0 : AHEAD_MS);      // a poll in between is no unrest
  };

  /* Every point of the charts in view, one chart at a time while nothing else happens: a zoom then asks for nothing. */
  function ahead() {
    later = 0;
    if (flying || moving || document.hidden || !rl.payload()) return;
    const now = Date.now(), able = rl.records().filter((record) => record.inView && sampled(record) && (record.spec.meta.kind || "steps") === "steps");
    let room = HELD_ALL;
    fetching = false;
    for (const record of able) {
      const size = points(record, all());
      if (size > HELD || (room -= size) < 0) continue;
      const by = JSON.stringify(question()), { version } = rl.payload();
      if ((record.looks || []).some((item) => item.ahead && item.by === by && item.version === version) || now - (record.ahead || 0) < AGAIN_MS) continue;
      record.ahead = now;
      fetching = true;
      ask({ ...question(), version, unfolded: [], ids: [record.id], steps: all(), ahead: true }, [record]);
      return;
    }
  }

  async function ask(asked, records) {
    const text = JSON.stringify(asked), by = JSON.stringify(question());
    if (flying && flying.text === text) return;
    if (flying) flying.stop.abort();
    const mine = flying = { text, ahead: Boolean(asked.ahead), stop: new AbortController() };
    const options = { method: "POST", body: text, headers: { "Content-Type": "application/json" }, signal: mine.stop.signal };
    try {
      const answer = await fetch("charts", options);
      const { charts } = answer.ok ? await answer.json() : { charts: {} };
      answered.add(text);      // what it did not bring is not asked for again
      if (by === JSON.stringify(question()))
        for (const record of records) if (charts[record.id]) take(record, charts[record.id], asked, by);
      if (!asked.steps) rl.sync();      // links to values of charts that just came
    } catch {
      answered.add(text);      // given up, or the server is gone, which the poll says
    } finally {
      if (flying === mine) flying = null;
      rl.rest();
    }
  }

  function take(record, spec, { steps, version, ahead: early }, by) {
    const payload = rl.payload();
    if (!steps && version === payload.version) {
      payload.charts[record.id] = spec;
      delete payload.later[record.id];
      rl.assign(record);
    }
    if (!steps) { if (record.dirty) rl.touch(record); return; }
    const { size } = (spec.meta && spec.meta.sampled) || { size: 1 };
    const others = (record.looks || []).filter((item) => item.by === by && item.version === version);
    record.looks = [{ spec, span: steps, size, version, by, ahead: Boolean(early), chart: null }, ...others].sort((a, b) => b.ahead - a.ahead).slice(0, KEPT);
    if (!early) rl.touch(record);
  }

  rl.asking = () => Boolean(flying && !flying.ahead) || (moving !== 0 && rl.records().some(sampled));

  rl.on((changed, gesture) => {
    clearTimeout(moving);
    clearTimeout(later);
    later = 0;
    moving = gesture ? setTimeout(stop, REST_MS) : 0;
    fetching = false;
    answered.clear();
  });
  function stop() {
    moving = 0;
    rl.redraw((record) => sampled(record) && record.chart !== rl.chartInView(record));
    rl.rest();
  }
  rl.onPayload(() => answered.clear());
})(window.rlboard);
