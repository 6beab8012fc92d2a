/* Range statistics under a chart and its summary for screen readers, from the unsmoothed points in view. */
(function (rl) {
  "use strict";

  let open = false;

  /* One switch unfolds the table of every chart. */
  rl.toggleStats = function () {
    open = !open;
    document.body.classList.toggle("stats-open", open);
    for (const record of rl.records()) if (record.mounted) table(record);
    for (const button of document.querySelectorAll("[data-act=stats]")) button.setAttribute("aria-pressed", String(open));
  };

  /* [{run, key, stats}] of the logged line of every visible run. */
  function rows(record) {
    const { chart, view } = record;
    if ((chart.meta.kind || "steps") !== "steps") return [];
    return chart.lines.filter((line) => view.visible.has(line.key) && (line.role === "raw" || line.role === "val"))
      .map((line) => ({ run: line.run, key: line.key, stats: whole(record, line) || rl.describe(line.steps, line.y, view.range[0], view.range[1]) }))
      .filter((row) => row.stats);
  }

  /* Statistics of all points, which come with a line that is drawn from a part of them. */
  const whole = (record, { trace }) => (rl.exact(record) && trace.meta.stats) || null;

  /* Tables say one digit more than labels where labels say few; tokens in full. */
  const detail = (spec) => (/s$/.test(spec) ? ",.0f" : /^\.[02]f$/.test(spec) ? `.${Number(spec[1]) + 1}f` : spec);

  const element = (tag, text, className) => {
    const el = document.createElement(tag);
    if (text !== undefined) el.textContent = text;
    if (className) el.className = className;
    return el;
  };

  function table(record) {
    record.figure.querySelector(":scope > .rl-stats")?.remove();
    if (!open || !record.chart) return;     // without a chart it is out of view and gets its table when it is drawn
    const found = rows(record);
    if (!found.length) return;
    const spec = detail(record.chart.meta.value), format = (value) => rl.number(value, spec);
    const head = ["stats.first", "stats.last", "stats.mean", "stats.min", "stats.max"].map((key) => element("th", rl.t(key)));
    const body = found.map(({ run, stats }) => {
      const row = element("tr"), name = element("td"), at = ([step, value]) => {
        const cell = element("td", format(value));
        cell.append(" ", element("span", `@${step}`, "x"));
        return cell;
      };
      name.append(rl.mark(run), " ", rl.runName(run));
      row.append(name, element("td", format(stats.first[1])), element("td", format(stats.last[1])),
        element("td", format(stats.mean), "ink"), at(stats.min), at(stats.max));
      return row;
    });
    const out = element("table", undefined, "rs"), wrap = element("div", undefined, "rl-stats"), top = element("tr");
    const caption = element("th", rl.t(rl.exact(record) ? "stats.range" : "stats.sampled", { range: rl.rangeText(record.view.range) }));
    for (const cell of [caption, ...head]) cell.scope = "col";
    top.append(caption, ...head);
    out.append(element("thead"), element("tbody"));
    out.tHead.append(top);
    out.tBodies[0].append(...body);
    wrap.append(out);
    record.figure.append(wrap);
  }

  /* The mark of a run as an element, for tables and lists made here. */
  rl.mark = function (run) {
    const mark = element("span", undefined, rl.markClass(run));
    mark.setAttribute("aria-hidden", "true");
    return mark;
  };

  /* "Pass rate, steps 1–129. Last values: E1 61.7, E3 68.1." */
  function summary(record) {
    let caption = record.figure.querySelector(":scope > figcaption");
    if (!caption) {
      caption = element("figcaption", undefined, "rl-sr");
      record.figure.append(caption);
    }
    const values = record.ends.map((end) => `${end.name} ${end.value}`).join(rl.t("list.comma"));
    rl.put(caption, rl.t(values ? "chart.summary" : "chart.summary_none", { range: rl.rangeText(record.view.range), values }));
  }

  rl.onDraw((record) => {
    summary(record);
    if (open) table(record);
  });
})(window.rlboard);
