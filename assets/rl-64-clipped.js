/* Values beyond a robust axis: triangles at the edge, how many they are, and one press to the full range.
   Robust ranges are a choice; where an episode fills the view its spike is what one looks at, and nothing is clipped. */
(function (rl) {
  "use strict";

  const FILLED = 0.2;      // share of a chosen range from which on an episode fills it
  const POSITIVE = 0.9;    // share of values above 0 from which on a log axis makes sense

  /* Whether a chart may clip: not for an episode, and not when the user asked for all of it. */
  rl.clips = function (meta, view) {
    if (rl.state.yscale !== "robust" || meta.size === "episode" || view.wholeY) return false;
    const [first, last] = view.range;
    return view.full || !view.episodes.some((episode) => view.visible.has(episode.run) && episode.metrics.includes(meta.metric)
      && Math.min(episode.end, last) - Math.max(episode.start, first) + 1 >= FILLED * view.count);
  };

  /* {log, lost}: whether the axis of a chart is logarithmic, and how many values in view such an axis cannot hold. */
  rl.logAxis = function (wanted, values) {
    const lost = wanted ? values.filter((value) => value <= 0).length : 0;
    return wanted && values.length - lost >= POSITIVE * values.length ? { log: true, lost } : { log: false, lost: 0 };
  };

  /* Triangles of the logged points outside [low, high]: {data, above, below}. `lines` are raw lines in view. */
  rl.clipped = function (lines, view, [low, high], meta) {
    const out = { data: [], above: 0, below: 0 };
    for (const line of lines) {
      const [from, to] = rl.span(line.steps, view.range[0], view.range[1]), points = [];
      for (let i = from; i < to; i++) if (line.y[i] > high || line.y[i] < low) points.push(i);
      if (!points.length) continue;
      const up = points.filter((i) => line.y[i] > high).length;
      out.above += up;
      out.below += points.length - up;
      out.data.push(rl.trace("clip", line.run, line.key, line.series, {
        mode: "markers", x: points.map((i) => line.trace.x[i]), y: points.map((i) => (line.y[i] > high ? high : low)),
        customdata: points.map((i) => [rl.number(line.y[i], meta.hover || meta.value || ".6g"), line.steps[i]]), name: rl.runName(line.run),
        hoverinfo: undefined, hovertemplate: "%{customdata[0]} @%{customdata[1]}<extra>%{fullData.name}</extra>",
        marker: {
          symbol: points.map((i) => (line.y[i] > high ? "triangle-up" : "triangle-down")), size: 8, color: rl.hue(line.run),
          line: { width: 1, color: "#FFFFFF" },
        },
      }));
    }
    return out;
  };

  /* ---- the number of clipped points is a button ---- */

  const words = ({ above, below, lost, part }) => [
    above && rl.t("chart.above", { n: above + (part ? "+" : "") }), below && rl.t("chart.below", { n: below + (part ? "+" : "") }),
    lost && rl.t("chart.not_positive", { n: lost }),
  ].filter(Boolean).join(rl.t("list.comma"));

  rl.onDraw((record) => {
    const clip = record.clip || {}, whole = Boolean(record.wholeY) && rl.state.yscale === "robust";
    const text = whole ? rl.t("chart.robust_again") : words(clip);
    let button = record.plot.querySelector(":scope > .clip-n");
    if (!text) { button?.remove(); return; }
    if (!button) {
      button = Object.assign(document.createElement("button"), { type: "button", className: "clip-n" });
      button.addEventListener("click", () => { record.wholeY = !record.wholeY; record.userY = null; rl.touch(record); });
      record.plot.append(button);
    }
    rl.put(button, text);
    button.disabled = !whole && !clip.above && !clip.below;
    button.title = button.disabled ? "" : rl.t(whole ? "chart.robust_again" : "chart.clipped");
  });

  rl.on((changed) => { if (changed.has("yscale")) for (const record of rl.records()) record.wholeY = false; });
})(window.rlboard);
