/* Help, the steps sheet of phones, one chart full screen, notices. */
(function (rl) {
  "use strict";

  const make = (tag, className, text) => {
    const el = document.createElement(tag);
    if (className) el.className = className;
    if (text !== undefined) el.textContent = text;
    return el;
  };

  function dialog(id, className, fill) {
    let box = document.getElementById(id);
    if (box) box.remove();
    box = make("dialog", className);
    box.id = id;
    fill(box);
    const close = make("button", "btn-t rl-close", rl.t("dialog.close"));
    close.type = "button";
    close.addEventListener("click", () => box.close());
    box.append(close);
    box.addEventListener("click", (event) => { if (event.target === box) box.close(); });
    box.addEventListener("close", () => box.remove());
    document.body.append(box);
    box.showModal();
    return box;
  }

  rl.make = make;
  rl.dialog = dialog;

  const SHORTCUTS = ["[ ]", "← →", "r", "s", "n", "?", "Esc"];

  rl.toggleHelp = function () {
    const open = document.getElementById("rl-help");
    if (open) { open.close(); return; }
    dialog("rl-help", "rl-dialog", (box) => {
      const title = make("h2", "", rl.t("help.title")), list = make("dl", "rl-keys"), notes = make("ul", "rl-notes");
      title.id = "rl-help-title";
      box.setAttribute("aria-labelledby", title.id);
      for (const keys of SHORTCUTS) {
        const key = make("dt");
        key.append(...keys.split(" ").map((name) => make("kbd", "", name)));
        list.append(key, make("dd", "", rl.t(`help.${keys}`)));
      }
      for (const key of ["help.drag", "help.double", "help.chip", "help.link"]) notes.append(make("li", "", rl.t(key)));
      const themes = make("p", "rl-themes");
      themes.append(make("span", "mut", rl.t("theme.label")));
      for (const theme of ["system", "light", "dark"]) {
        const button = make("button", "btn-t", rl.t(`theme.${theme}`));
        button.type = "button";
        button.dataset.act = "theme";
        button.dataset.value = theme;
        themes.append(button);
      }
      box.append(title, list, notes, themes);
    });
  };

  /* From the demo to logs of one's own: the commands, and what each is for. */
  const OWN_LOGS = {
    "own.read": "python -m app --logs /path/to/logs",
    "own.check": "python -m app check /path/to/logs/train.log",
    "own.tunnel": "ssh -L 8050:127.0.0.1:8050 you@lab-server",
  };
  rl.openOwnLogs = () => dialog("rl-own-logs", "rl-dialog", (box) => {
    const title = make("h2", "", rl.t("own.title")), list = make("dl", "rl-commands");
    title.id = "rl-own-logs-title";
    box.setAttribute("aria-labelledby", title.id);
    for (const [key, command] of Object.entries(OWN_LOGS)) {
      const shown = make("dd");
      shown.append(make("code", "mono", command));
      list.append(make("dt", "", rl.t(key)), shown);
    }
    box.append(title, list, make("p", "", rl.t("own.found")), make("p", "mut", rl.t("own.kept")));
  });

  /* Phones: the step range in a sheet from the bottom edge, with what does not fit the filter bar. */
  rl.openSheet = function () {
    dialog("rl-sheet", "rl-dialog rl-sheet", (box) => {
      const title = make("h2", "", rl.t("steps.title")), control = make("div", "ctl"), row = make("p", "rl-sheet-row");
      title.id = "rl-sheet-title";
      box.setAttribute("aria-labelledby", title.id);
      rl.buildSteps(control);
      const reset = make("button", "btn-t", rl.t("chart.reset"));
      reset.type = "button";
      reset.dataset.act = "reset";
      row.append(...copies(), reset);
      box.append(title, control, row, rl.buildConfig(make("div", "rl-sheet-row rl-config-sheet")));
    });
    rl.sync();
  };

  /* What a narrow page hides of the filter bar, once each, as copies: they act through data-act like the originals. */
  function copies() {
    const seen = new Set(), out = [];
    for (const control of document.querySelectorAll(".rl-filter select[data-act],.rl-filter .epnav,.rl-filter [data-act=notes-open],.rl-filter a[data-act=csv]")) {
      const name = control.dataset.act || control.className, source = control.closest("label") || control;
      if (seen.has(name)) continue;
      seen.add(name);
      const copy = source.cloneNode(true);
      copy.classList.remove("no-m", "narrow", "sm");
      out.push(copy);
    }
    return out;
  }

  /* ---- one chart over the page ---- */

  let full = null, opener = null;

  rl.fullscreen = function (id) {
    const figure = [...document.querySelectorAll("figure[data-chart]")].find((item) => item.dataset.chart === id && !item.closest("[hidden]"));
    if (!figure || full) { rl.leaveFullscreen(); return; }
    opener = document.activeElement;
    full = figure;
    figure.classList.add("rl-full");
    document.body.classList.add("rl-has-full");
    press(figure, true);
  };
  rl.leaveFullscreen = function () {
    if (!full) return false;
    full.classList.remove("rl-full");
    document.body.classList.remove("rl-has-full");
    press(full, false);
    full = null;
    if (opener && opener.isConnected) opener.focus({ preventScroll: true });
    return true;
  };
  const press = (figure, on) => {
    for (const button of figure.querySelectorAll("[data-act=fullscreen]")) button.setAttribute("aria-pressed", String(on));
  };
  rl.on((changed) => { if (changed.has("tab")) rl.leaveFullscreen(); });

  /* ---- notices: a line at the top that stays until it is closed ---- */

  const notices = [];
  rl.notice = function (key, values) {
    if (notices.some((item) => item.key === key && JSON.stringify(item.values) === JSON.stringify(values))) return;
    notices.push({ key, values });
    showNotices();
  };

  function showNotices() {
    if (!document.body) return;
    let bar = document.getElementById("rl-notices");
    if (!bar) {
      bar = make("div", "rl-banner rl-notices");
      bar.id = "rl-notices";
      bar.setAttribute("role", "status");
      document.body.prepend(bar);
    }
    bar.hidden = !notices.length;
    bar.replaceChildren();
    if (!notices.length) return;
    const close = make("button", "btn-t", rl.t("dialog.close"));
    close.type = "button";
    close.addEventListener("click", () => { notices.length = 0; showNotices(); });
    bar.append(make("b", "", rl.t("notice.title")), make("span", "", notices.map((item) => rl.t(item.key, item.values)).join(rl.t("list.semicolon"))), make("span", "sp"), close);
  }
  rl.showNotices = showNotices;
  rl.on((changed) => { if (changed.has("lang")) showNotices(); });

  /* Words for screen readers only: new episodes, crashes, ends. */
  rl.announce = function (text) {
    let region = document.getElementById("rl-live");
    if (!region) {
      region = make("div", "rl-sr");
      region.id = "rl-live";
      region.setAttribute("aria-live", "polite");
      document.body.append(region);
    }
    rl.put(region, text);
  };
})(window.rlboard);
