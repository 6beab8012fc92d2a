/* The choice of two runs, and what is said of them in words. */
(function (rl) {
  "use strict";

  const SIDES = ["pair-one", "pair-other"];
  const select = (side) => document.querySelector(`select[data-act=${side}]`);
  const nameOf = (payload, key) => {
    const values = [...((select(SIDES[0]) || {}).options || [])].map((option) => option.value), run = payload.runs[key];
    return values.includes(run.id) ? run.id : run.label;
  };

  function choose(two) { rl.set({ pair: two }); }
  document.addEventListener("change", (event) => {
    if (event.target.matches && event.target.matches(SIDES.map((side) => `select[data-act=${side}]`).join())) choose(SIDES.map((side) => select(side).value));
  });
  document.addEventListener("click", (event) => {
    if (event.target.closest && event.target.closest("[data-act=pair-swap]")) choose(SIDES.map((side) => select(side).value).reverse());
  });

  /* The lists show the pair in force. */
  function sync() {
    const payload = rl.payload();
    if (!payload || !select(SIDES[0])) return;
    rl.pairOf(payload, rl.state.pair).forEach((key, nth) => {
      const list = select(SIDES[nth]), name = nameOf(payload, key);
      if (list.value !== name) list.value = name;
    });
  }

  const pairs = (record) => Boolean(record.spec && record.spec.meta && record.spec.meta.pairs);
  rl.on((changed) => { if (changed.has("pair")) { sync(); rl.redraw(pairs); } });
  rl.onPayload(sync);

  rl.onDraw((record) => {
    if (!record.chart.meta.pairs) return;
    sync();
    const keys = rl.pairOf(record.chart.payload, rl.state.pair);
    const place = record.figure.querySelector(".pair-said");
    if (place) rl.put(place, said(record.chart, keys, record.view.range));
    for (const el of document.querySelectorAll("[data-show=pair-order]")) rl.put(el, order(record.chart, keys));
  });

  function said(chart, keys, range) {
    const { meta, payload } = chart, mean = rl.pairMean(chart, keys, range);
    if (!mean) return rl.t("pair.said_none", { range: rl.rangeText(range) });
    const [one, other] = keys.map((key) => rl.runName(payload.runs[key])), number = (value, spec) => rl.number(value, spec || meta.value);
    const known = Number.isFinite(mean.half);
    const text = rl.t(known ? "pair.said" : "pair.said_short", {
      one, other, range: rl.rangeText(range), mean: number(mean.value), unit: rl.pick(meta.unit) && ` ${rl.pick(meta.unit)}`,
      low: number(mean.value - mean.half), high: number(mean.value + mean.half), pairs: mean.points, effective: number(mean.effective, ".0f"),
      verdict: rl.t(Math.abs(mean.value) > mean.half ? "pair.settled" : "pair.open") + (mean.unpaired ? rl.t("pair.unpaired") : ""),
      least: number(rl.detectable(mean.half), meta.value.replace("+", "")),
    });
    return meta.bucket > 1 ? text + rl.t("list.semicolon") + rl.t("pair.bucket", { n: meta.bucket }) : text;
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
