/* Everything a user presses. One listener per kind of event for the whole page; elements say what they do in data-act. */
(function (rl) {
  "use strict";

  const all = (selector) => [...document.querySelectorAll(selector)];

  /* ---- runs ---- */

  const chipNames = () => [...new Set(all("[data-act=chip]").map((chip) => chip.dataset.value))];
  const labelOf = (name) => {
    const run = Object.values((rl.payload() || {}).runs || {}).find((item) => item.id === name);
    return run && run.label ? run.label : name;
  };
  const stands = (name) => (entry) => entry === name || labelOf(entry) === name;
  const isOn = (name) => rl.state.exp === null || rl.state.exp.some(stands(name));

  function toggleChip(name) {
    const names = chipNames(), now = rl.state.exp === null ? names : rl.state.exp;
    const next = isOn(name) ? now.filter((entry) => !stands(name)(entry)) : [...now, name];
    rl.set({ exp: names.every((chip) => next.some((entry) => entry === chip)) ? null : next });
  }

  /* Show one run alone; the same again shows all. */
  function only(name) {
    const alone = rl.state.exp !== null && rl.state.exp.length === 1 && rl.state.exp[0] === name;
    rl.set({ exp: alone ? null : [name] });
  }

  /* ---- episodes ---- */

  const episodes = () => {
    const payload = rl.payload();
    if (!payload) return [];
    const visible = rl.visibleRuns(payload, rl.state.exp);
    return (payload.episodes || []).filter((episode) => visible.has(episode.run));
  };
  const CONTEXT = 8;     // steps shown on either side of an episode
  let before = null;     // range to return to when the episode closes

  rl.openEpisode = function (id) {
    const payload = rl.payload(), found = id ? rl.episodeOf(payload, id) : null;
    if (!id) {
      rl.pinCursor(null);
      rl.set({ ep: null, range: before });
      before = null;
      return;
    }
    if (rl.state.ep === null) before = rl.state.range;
    const patch = { ep: id };
    if (found) {
      const run = payload.runs[found.run];
      patch.range = [Math.max(found.start - CONTEXT, run.first || 1), Math.min(found.end + CONTEXT, run.last || found.end + CONTEXT)];
      if (run.track && all(`[data-act=tab][data-value="${CSS.escape(run.track)}"]`).length) patch.tab = run.track;
    }
    rl.set(patch);
    rl.pinCursor(found ? found.peak : null);
  };

  function stepEpisode(by) {
    const list = episodes(), at = list.findIndex((episode) => episode.id === rl.state.ep);
    if (list.length) rl.openEpisode(list[at < 0 ? (by > 0 ? 0 : list.length - 1) : (at + by + list.length) % list.length].id);
  }

  /* The current step inside an open episode: the line in the charts and the framed table row. */
  function moveStep(by) {
    const rows = all("tr[data-step]").filter((row) => !row.closest("[hidden]")).map((row) => Number(row.dataset.step)).sort((a, b) => a - b);
    const [low, high] = rows.length ? [rows[0], rows[rows.length - 1]] : rl.state.range || [1, 1];
    const now = rl.pinnedStep() === null ? low : rl.pinnedStep() + by;
    currentStep(Math.min(Math.max(now, low), high));
  }
  function currentStep(step) {
    rl.pinCursor(step);
    frameRow();
  }
  function frameRow() {
    const step = rl.pinnedStep();
    for (const row of all("tr[data-step]")) {
      const on = step !== null && Number(row.dataset.step) === step;
      row.classList.toggle("cur", on);
      if (on) row.setAttribute("aria-current", "step"); else row.removeAttribute("aria-current");
    }
  }

  /* ---- what each data-act does ---- */

  const CLICK = {
    tab: (value, el, event) => { if (!event.ctrlKey && !event.metaKey && !event.shiftKey) { event.preventDefault(); rl.openTab(value); } },
    chip: (value) => toggleChip(value),
    run: (value, el, event) => { if (!event.target.closest("a,button,input,select")) only(value); },
    only: (value, el, event) => { event.preventDefault(); rl.set({ exp: [value] }); },
    range: (value, el, event) => { event.preventDefault(); const range = rl.parseRange(value); if (range) rl.set({ range }); },
    episode: (value, el, event) => { event.preventDefault(); rl.openEpisode(value || null); },
    "episode-prev": () => stepEpisode(-1),
    "episode-next": () => stepEpisode(1),
    inspect: (value) => rl.openEpisode(`${value}:${rl.rangeText(rl.state.range, "-")}`),
    step: (value) => currentStep(Number(value)),
    reset: () => { rl.pinCursor(null); before = null; rl.freeY(); rl.reset(); },
    window: (value, el, event) => { event.preventDefault(); rl.set({ win: value === "all" ? "all" : "aligned", range: null }); },
    lang: (value) => rl.set({ lang: value || (rl.state.lang === "en" ? "zh" : "en") }),
    theme: (value) => rl.set({ theme: value || rl.nextTheme() }),
    help: () => rl.toggleHelp(),
    "own-logs": () => rl.openOwnLogs(),
    "steps-sheet": () => rl.openSheet(),
    fullscreen: (value) => rl.fullscreen(value),
    stats: () => rl.toggleStats(),
  };
  const CHANGE = {
    smooth: (value) => rl.set({ smooth: value }),
    x: (value) => rl.set({ x: value }),
    units: (value) => rl.set({ units: value }),
    seg: (value) => rl.set({ seg: value }),
    yscale: (value) => rl.set({ yscale: value }),
    notes: (value) => rl.set({ notes: value }),
    theme: (value) => rl.set({ theme: value }),
    lang: (value) => rl.set({ lang: value }),
  };

  rl.openTab = (value) => { rl.pinCursor(null); rl.set({ tab: value, ep: null }); };

  const acting = (event) => event.target.closest && event.target.closest("[data-act]");
  document.addEventListener("click", (event) => {
    const el = acting(event);
    if (el && CLICK[el.dataset.act] && !el.disabled && el.tagName !== "SELECT") CLICK[el.dataset.act](el.dataset.value, el, event);
  });
  document.addEventListener("dblclick", (event) => {
    const el = acting(event);
    if (el && el.dataset.act === "chip") only(el.dataset.value);
  });
  document.addEventListener("change", (event) => {
    const el = acting(event);
    if (el && CHANGE[el.dataset.act]) CHANGE[el.dataset.act](el.value);
  });

  /* ---- keyboard ---- */

  const KEYS = {
    "[": () => stepEpisode(-1), "]": () => stepEpisode(1), r: () => CLICK.reset(), "?": () => rl.toggleHelp(), s: () => rl.toggleStats(), n: () => rl.openNotes(),
  };
  const ARROWS = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const target = event.target, typing = target.closest("input,select,textarea,[contenteditable],[role=slider]");
    if (event.key === "Escape" && rl.leaveFullscreen()) { event.preventDefault(); return; }
    if (typing || (target.closest("dialog") && !(event.key === "?" && target.closest("#rl-help")))) return;
    if (target.dataset.act === "tab" && event.key in ARROWS) { moveTab(target, ARROWS[event.key]); event.preventDefault(); return; }
    if ((event.key === "Enter" || event.key === " ") && target.matches("tr[data-act]")) { CLICK[target.dataset.act](target.dataset.value, target, event); event.preventDefault(); return; }
    if (event.key in KEYS) { KEYS[event.key](); event.preventDefault(); return; }
    if (rl.state.ep !== null && event.key in ARROWS && !target.closest("[role=tablist],.raw")) { moveStep(ARROWS[event.key]); event.preventDefault(); }
  });

  function moveTab(from, by) {
    const tabs = [...(from.closest("[role=tablist]") || document).querySelectorAll("[data-act=tab]")];
    const to = tabs[(tabs.indexOf(from) + by + tabs.length) % tabs.length];
    to.focus();
    rl.openTab(to.dataset.value);
  }

  /* ---- the page shows the state ---- */

  const attribute = (el, name, value) => { if (el.getAttribute(name) !== value) el.setAttribute(name, value); };

  rl.sync = function () {
    const { state } = rl;
    for (const chip of all("[data-act=chip]")) {
      attribute(chip, "aria-pressed", String(isOn(chip.dataset.value)));
      chip.classList.toggle("off", !isOn(chip.dataset.value));
    }
    for (const row of all("[data-act=run]")) {
      const on = state.exp !== null && state.exp.includes(row.dataset.value);
      if (row.tagName === "TR") attribute(row, "aria-selected", String(on));
      if (row.tagName === "TR" && !row.hasAttribute("tabindex")) row.tabIndex = 0;
    }
    for (const tab of all("[data-act=tab]")) {
      const on = tab.dataset.value === state.tab;
      if (tab.getAttribute("role") === "tab") { attribute(tab, "aria-selected", String(on)); tab.tabIndex = on ? 0 : -1; }
      else if (on) attribute(tab, "aria-current", "page"); else tab.removeAttribute("aria-current");
      tab.classList.toggle("on", on);
      if (on && tab.id) for (const page of all("[role=tabpanel]")) attribute(page, "aria-labelledby", tab.id);
    }
    for (const select of all("select[data-act]")) if (select.dataset.act in state && select.value !== state[select.dataset.act]) select.value = state[select.dataset.act];
    for (const button of all("[data-act=reset]")) button.disabled = rl.isReset();
    for (const link of all("[data-act=window]")) link.hidden = (link.dataset.value === "all") === (state.win === "all" && state.range === null);
    for (const link of all("a[data-act=csv]")) rl.addressCsv(link);
    for (const button of all("[data-act=inspect]")) offerInspect(button);
    const list = episodes(), open = rl.episodeOf(rl.payload(), state.ep);
    for (const el of all("[data-show=episodes]")) rl.put(el, episodeText(list, open));
    for (const el of all("[data-show=episode-index]")) rl.put(el, rl.t("episode.index", { i: list.indexOf(open) + 1 || "–", n: list.length }));
    for (const button of all("[data-act=episode-prev],[data-act=episode-next]")) button.disabled = !list.length;
    for (const el of all("[data-show=range]")) rl.put(el, rangeWords());
    frameRow();
  };

  /* Steps a user chose, of a run that has any of them. */
  function offerInspect(button) {
    const { range } = rl.state, runs = Object.values((rl.payload() || {}).runs || {});
    const run = runs.find((entry) => entry.id === button.dataset.value);
    button.hidden = !range || !run || run.first === null || range[1] < run.first || range[0] > run.last;
    if (!button.hidden) rl.put(button, rl.t("episode.inspect", { range: rl.rangeText(range) }));
  }

  function episodeText(list, open) {
    if (!open) return rl.t("episode.count", { n: list.length });
    return `${rl.runName(rl.payload().runs[open.run])} · ${rl.rangeText([open.start, open.end])}`;
  }

  function rangeWords() {
    const { range, win } = rl.state, payload = rl.payload() || {};
    if (range) return rl.t("range.set", { range: rl.rangeText(range) });
    if (payload.window && win !== "all") return rl.t("range.window", { range: rl.rangeText(payload.window) });
    return payload.steps ? rl.t("range.all", { range: rl.rangeText(payload.steps) }) : "";
  }

  rl.on(rl.sync);
  rl.onPayload((payload) => {
    rl.sync();
    const open = rl.episodeOf(payload, rl.state.ep);
    if (open && rl.state.range === null) rl.openEpisode(open.id);
    else if (open && rl.pinnedStep() === null) rl.pinCursor(open.peak);
  });
})(window.rlboard);
