/* What pages need beside charts and controls: formulas, drawers, the group size, sections of hidden runs, the open tab. */
(function (rl) {
  "use strict";

  const all = (selector, root) => [...(root || document).querySelectorAll(selector)];

  /* Formulas come as MathML in an attribute: constants of ours, as Dash has no elements for mathematics. */
  function formulas() {
    for (const el of all("[data-math]:empty")) el.innerHTML = el.dataset.math;
  }

  /* The advantage chart of one group size; all sizes stand in the page. */
  function groups() {
    for (const select of all("select[data-act=advantage-group]")) {
      if (select.dataset.ready) continue;
      select.dataset.ready = "1";
      const shown = all("[data-of-group]").find((place) => !place.hidden);
      if (shown) select.value = shown.dataset.ofGroup;
    }
  }
  document.addEventListener("change", (event) => {
    if (!event.target.matches("select[data-act=advantage-group]")) return;
    for (const place of all("[data-of-group]")) place.hidden = place.dataset.ofGroup !== event.target.value;
  });

  /* Drawers at the right edge: the reading report, the details of a run. */
  const DRAWERS = { report: "report", detail: "detail" };
  document.addEventListener("click", (event) => {
    const el = event.target.closest && event.target.closest("[data-act]"), action = el && el.dataset.act;
    const drawer = document.getElementById(DRAWERS[action] || "");
    if (drawer) { if (!drawer.open) drawer.showModal(); }
    else if (action === "close") el.closest("dialog")?.close();
    else if (event.target.matches("dialog.rl-drawer")) event.target.close();
  });

  /* A run that is switched off leaves the page with its whole section. */
  function sections() {
    const payload = rl.payload();
    if (!payload) return;
    const visible = rl.visibleRuns(payload, rl.state.exp);
    for (const el of all("[data-of-run]")) el.hidden = el.dataset.ofRun in payload.runs && !visible.has(el.dataset.ofRun);
  }

  /* Captions name the x axis and the units in force; style sheets choose among their names. */
  const axis = () => Object.assign(document.documentElement.dataset, { x: rl.state.x, units: rl.state.units });

  /* On a narrow screen the open tab is moved to where it is seen. */
  function openTab() {
    for (const tab of all(".rl-tabs a.on")) {
      const row = tab.closest(".rl-tabs");
      row.scrollLeft += tab.getBoundingClientRect().left - row.getBoundingClientRect().left - (row.clientWidth - tab.offsetWidth) / 2;
    }
  }

  rl.on((changed) => {
    if (changed.has("exp")) sections();
    if (changed.has("x") || changed.has("units")) axis();
  });
  rl.onPayload(() => { axis(); sections(); openTab(); });
  new MutationObserver(() => { formulas(); groups(); }).observe(document.documentElement, { childList: true, subtree: true });
})(window.rlboard);
