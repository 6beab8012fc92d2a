/* A press on the band of an episode opens it. A drag is a range and a double click a reset: neither is a press. */
(function (rl) {
  "use strict";

  const STILL = 4;          // pixels a press may move
  const DOUBLE_MS = 300;    // within it a second press makes a double click
  let down = null, waiting = 0, last = -Infinity;

  const recordAt = (event) => {
    const plot = event.target.closest && event.target.closest("figure[data-chart] .plot");
    return plot && !event.target.closest(".modebar") ? rl.records().find((record) => record.plot === plot) : null;
  };

  /* The heaviest episode whose band lies under the pointer. */
  rl.bandAt = function (record, event) {
    const area = record.mounted && record.plot._fullLayout && record.plot._fullLayout._size, { view, bands } = record;
    if (!area || !view || !bands) return null;
    const box = record.plot.getBoundingClientRect(), part = (event.clientX - box.left - area.l) / area.w, tall = event.clientY - box.top - area.t;
    if (part < 0 || part > 1 || tall < 0 || tall > area.h) return null;
    const x = view.x[0] + part * (view.x[1] - view.x[0]);
    const under = bands.filter((episode) => { const [from, to] = view.span(episode); return x >= from && x <= to; });
    return under.sort((a, b) => b.severity - a.severity)[0] || null;
  };

  document.addEventListener("pointerdown", (event) => {
    const record = event.button ? null : recordAt(event);
    clearTimeout(waiting);
    down = record && event.timeStamp - last > DOUBLE_MS ? { record, x: event.clientX, y: event.clientY } : null;
    last = event.timeStamp;
  }, true);
  document.addEventListener("pointerup", (event) => {
    const from = down;
    down = null;
    if (!from || Math.hypot(event.clientX - from.x, event.clientY - from.y) > STILL) return;
    const episode = rl.bandAt(from.record, event);
    if (episode && episode.id !== rl.state.ep) waiting = setTimeout(() => rl.openEpisode(episode.id), DOUBLE_MS);
  }, true);

  /* The hand says that there is something to press. */
  let frame = 0;
  document.addEventListener("pointermove", (event) => {
    if (event.buttons || event.pointerType === "touch") return;
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => {
      const record = recordAt(event);
      if (record) record.plot.classList.toggle("on-band", Boolean(rl.bandAt(record, event)));
    });
  }, { passive: true });
})(window.rlboard);
