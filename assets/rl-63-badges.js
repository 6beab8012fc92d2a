/* Remarks beside the title of a chart. A press unfolds what a tooltip would tell; what runs differ in is said of the
   runs in view alone, and not at all while these agree. */
(function (rl) {
  "use strict";

  /* Values by run → the groups of runs in view that share one, or null when all in view agree. */
  rl.groupsOf = function (of, visible) {
    const groups = new Map();
    for (const key of Object.keys(of)) {
      if (!visible.has(key)) continue;
      const value = rl.pick(of[key]);
      groups.set(value, [...(groups.get(value) || []), key]);
    }
    return groups.size > 1 ? groups : null;
  };

  /* A remark as it holds for the runs in view: {kind, text, title}, or null when it does not. */
  function resolved(badge, payload, visible) {
    if (!badge.differs) return { kind: badge.kind, text: rl.pick(badge.text), title: rl.pick(badge.title) };
    const parts = badge.differs.map((part) => ({ part, groups: rl.groupsOf(part.of, visible) })).filter((item) => item.groups);
    if (!parts.length) return null;
    const title = parts.map(({ part, groups }) => {
      const told = [...groups].map(([value, keys]) => `${keys.map((key) => rl.runName(payload.runs[key])).join("·")} ${value}`);
      return rl.t("badge.differs", { aspect: rl.pick(part.name), groups: told.join(rl.t("list.semicolon")), why: rl.pick(part.why) });
    });
    return { kind: badge.kind, text: rl.pick(badge.text) + parts.map(({ part }) => rl.pick(part.name)).join(rl.t("list.comma")), title: title.join("\n") };
  }

  /* A close range shows the logged points alone: nothing there is smoothed. */
  const smoothed = ({ data }) => data.some((trace) => (trace.meta || {}).role === "ma");

  rl.onDraw((record) => {
    const place = record.figure.querySelector(".badges");
    if (!place) return;
    const list = (record.chart.meta.badges || []).filter((badge) => !badge.smooth || smoothed(record)).map((badge) => resolved(badge, record.chart.payload, record.view.visible)).filter(Boolean);
    const text = JSON.stringify(list);
    if (place.dataset.shown === text) return;
    place.dataset.shown = text;
    fold(record.figure);
    place.replaceChildren(...list.map(element));
  });

  function element({ kind, text, title }) {
    const button = document.createElement("button"), word = document.createElement("span");
    button.type = "button";
    word.className = kind === "tag" ? "tg" : "bg";
    word.textContent = text;
    button.append(word);
    if (title) { word.title = title; button.setAttribute("aria-expanded", "false"); } else button.disabled = true;
    return button;
  }

  /* The place that holds a remark and what it unfolds. */
  const home = (button) => button.closest("figure, .first-step");
  const fold = (place) => {
    place.querySelector(".badge-why")?.remove();
    for (const button of place.querySelectorAll(".badges [aria-expanded=true], :scope > [aria-expanded=true]")) button.setAttribute("aria-expanded", "false");
  };
  const whole = (button) => button.getAttribute(`data-why-${rl.state.lang}`) || button.firstChild.title;

  document.addEventListener("click", (event) => {
    const button = event.target.closest && event.target.closest(".badges button[aria-expanded]");
    if (!button) return;
    const place = home(button), open = button.getAttribute("aria-expanded") === "true";
    fold(place);
    if (open) return;
    const told = document.createElement("p");
    told.className = "badge-why";
    told.textContent = whole(button);
    button.setAttribute("aria-expanded", "true");
    (place.querySelector(".ch-h") || place.lastElementChild).after(told);
  });
  rl.on((changed) => {
    if (changed.has("lang")) for (const told of document.querySelectorAll(".first-step .badge-why")) fold(told.closest(".first-step"));
  });
})(window.rlboard);
