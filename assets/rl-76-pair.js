/* The choice of two runs, and what is said of them in words. */
(function (rl) {
  "use strict";

  const SIDES = ["pair-one", "pair-other"];
  /* A file that carries several pages has a choice on each. */
  const page = (el) => el.closest("[data-page]") || document;
  const lists = (root) => SIDES.map((side) => root.querySelector(`select[data-act=${side}]`));
  const choose = (el, turn) => {
    const two = lists(page(el)).map((list) => list.value);
    rl.set({ pair: turn ? two.reverse() : two });
  };

  document.addEventListener("change", (event) => { if (SIDES.includes(event.target.dataset.act)) choose(event.target, false); });
  document.addEventListener("click", (event) => {
    const button = event.target.closest && event.target.closest("[data-act=pair-swap]");
    if (button) choose(button, true);
  });

  /* The lists of a page show the pair in force there. */
  function sync(root, payload, keys) {
    lists(root).forEach((list, nth) => {
      if (!list) return;
      const run = payload.runs[keys[nth]], name = [...list.options].some((option) => option.value === run.id) ? run.id : run.label;
      if (list.value !== name) list.value = name;
    });
  }

  const pairs = (record) => Boolean(record.spec && record.spec.meta && record.spec.meta.pairs);
  rl.on((changed) => { if (changed.has("pair")) rl.redraw(pairs); });

  rl.onDraw((record) => {
    const { chart, figure, view } = record;
    if (!chart.meta.pairs) return;
    const keys = rl.pairOf(chart.payload, rl.state.pair), root = page(figure), place = figure.querySelector(".pair-said");
    sync(root, chart.payload, keys);
    if (place) rl.put(place, said(chart, keys, view.range));
    rl.put(root.querySelector("[data-show=pair-order]"), order(chart, keys));
  });

  function said(chart, keys, range) {
    const { meta, payload } = chart, mean = rl.pairMean(chart, keys, range);
    if (!mean) return rl.t("pair.said_none", { range: rl.rangeText(range) });
    const [one, other] = keys.map((key) => rl.runName(payload.runs[key])), number = (value, spec) => rl.number(value, spec || meta.value);
    const known = Number.isFinite(mean.half);
    const text = rl.t(known ? "pair.said" : "pair.said_short", {
      one, other, range: rl.rangeText(range), mean: number(mean.value), unit: rl.pick(meta.unit) && ` ${rl.pick(meta.unit)}`,
      low: number(mean.value - mean.half), high: number(mean.value + mean.half), pairs: mean.points, effective: number(mean.effective, ".0f"),
      verdict: (bound(meta, keys, { one, other }) || rl.t(Math.abs(mean.value) > mean.half ? "pair.settled" : "pair.open")) + (mean.unpaired ? rl.t("pair.unpaired") : ""),
      least: number(rl.detectable(mean.half), meta.value.replace("+", "")),
    });
    return [text, moves(chart, keys, range), bucket(meta)].filter(Boolean).join(rl.t("list.semicolon"));
  }

  /* A difference of values that are lower bounds settles nothing. */
  function bound({ bounds }, keys, names) {
    const [one, other] = keys.map((key) => (bounds || []).includes(key));
    return (one || other) && rl.t(one && other ? "pair.bound.both" : one ? "pair.bound.one" : "pair.bound.other", names);
  }

  const bucket = ({ bucket: n }) => n > 1 && rl.t("pair.bucket", { n });

  /* A difference that changes along the range: its mean alone would read as if it held throughout. */
  function moves(chart, keys, range) {
    const halves = rl.pairMoves(chart, keys, range);
    return halves && rl.t("pair.moves", Object.fromEntries(["early", "late"].map((name, nth) => [name, rl.number(halves[nth].value, chart.meta.value)])));
  }

  /* Whether the two runs saw the same prompts at the same step, and by what this is known. */
  function order(chart, keys) {
    const { meta } = chart, { known, why } = rl.obstacles(meta.order, keys);
    if (known && !why.length) {
      const names = Object.values(meta.conditions).map((one) => rl.pick(one.name));
      return rl.t("pair.valid", { conditions: names.join(rl.t("list.comma")) });
    }
    const reasons = known ? why.map(([id, one, other]) => rl.pick(meta.conditions[id].why).replace("{one}", one).replace("{other}", other)) : [rl.pick(meta.unknown)];
    return rl.t("pair.invalid", { why: reasons.join(rl.t("list.semicolon")) });
  }
})(window.rlboard);
