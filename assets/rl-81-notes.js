/* The notes of the runs on a page: list and form in a dialog, a strip for the one a link names. Text only ever becomes text. */
(function (rl) {
  "use strict";

  const make = rl.make;
  const CONTEXT = 8;      // steps shown on either side of a note
  let nth = 0, waiting = null, place = null;

  const notes = () => (rl.payload() || {}).notes || [];
  const visible = () => { const payload = rl.payload(); return payload ? notes().filter((note) => rl.visibleRuns(payload, rl.state.exp).has(note.run)) : []; };
  const stepsOf = (note) => (note.start === note.end ? String(note.start) : rl.rangeText([note.start, note.end]));
  const box = () => document.getElementById("rl-notes");

  /* ---- on the charts ---- */

  rl.onPayload((payload) => { for (const note of payload.notes || []) note.look = payload.runs[note.run] || { slot: 1, dash: 0, id: note.run }; });
  /* A press on a flag opens its note. */
  rl.openFlag = function (name) {
    const [, id] = /^note:(.+)$/.exec(name || "") || [];
    if (id) rl.set({ note: id });
  };
  rl.on((changed) => { if (changed.has("note") || changed.has("notes")) rl.redraw(); });

  /* ---- the strip of the open note ---- */

  function strip() {
    const note = notes().find((entry) => entry.id === rl.state.note);
    let bar = document.getElementById("rl-note");
    if (!note) { bar?.remove(); return; }
    if (!bar) {
      bar = make("div", "rl-banner rl-note");
      bar.id = "rl-note";
      bar.setAttribute("role", "status");
      document.body.prepend(bar);
    }
    const close = button("note-close", "", rl.t("dialog.close"));
    bar.replaceChildren(make("b", "", `${rl.runName(note.look)} · ${stepsOf(note)}`), make("span", "", note.text), make("span", "mut", when(note)), make("span", "sp"), close);
  }

  const when = (note) => new Date(note.written).toLocaleString(rl.state.lang === "en" ? "en-GB" : "zh-CN", { dateStyle: "short", timeStyle: "short" });

  function button(act, value, text, className) {
    const el = make("button", className || "btn-t", text);
    el.type = "button";
    el.dataset.act = act;
    el.dataset.value = value;
    return el;
  }

  /* ---- list and form ---- */

  rl.openNotes = function () {
    if (box()) { box().close(); return; }
    rl.dialog("rl-notes", "rl-dialog rl-noted", (dialog) => {
      const title = make("h2", "", rl.t("notes.title"));
      title.id = "rl-notes-title";
      dialog.setAttribute("aria-labelledby", title.id);
      dialog.append(title, make("div", "rl-noted-list"), form());
    });
    fill();
    box().querySelector("textarea, .rl-close")?.focus();
  };

  function fill() {
    const list = box() && box().querySelector(".rl-noted-list");
    if (!list) return;
    const shown = visible().sort((a, b) => a.start - b.start);
    list.replaceChildren(...(shown.length ? shown.map(item) : [make("p", "mut", rl.t(place && place.writable ? "notes.none" : "notes.none.read"))]));
  }

  function item(note) {
    const row = make("article", "rl-noted-row"), head = make("p", "");
    const open = button("note", note.id, `${rl.runName(note.look)} · ${rl.t("notes.steps", { range: stepsOf(note) })}`, "lnk");
    head.append(open, make("span", "mut", ` ${when(note)}`));
    if (place && place.writable) head.append(make("span", "sp"), button("note-remove", note.id, rl.t("notes.remove"), "lnk"));
    row.append(head, make("p", "rl-noted-text", note.text));
    return row;
  }

  function form() {
    if (!place || !place.writable) return make("p", "mut", rl.t(place ? "notes.read_only" : "notes.exported"));
    const form = make("form", "rl-noted-form"), run = make("select", "sel"), steps = make("input", "num"), text = make("textarea", "");
    const payload = rl.payload() || {}, shown = rl.visibleRuns(payload, rl.state.exp);
    for (const [key, entry] of Object.entries(payload.runs || {})) {
      if (!shown.has(key) || entry.first === null) continue;
      const option = make("option", "", rl.runName(entry));
      option.value = entry.id;
      run.append(option);
    }
    const at = rl.pinnedStep();
    steps.value = at !== null ? String(at) : rl.state.range ? rl.rangeText(rl.state.range, "-") : "";
    Object.assign(steps, { required: true, name: "steps", placeholder: "133-140" });
    Object.assign(text, { required: true, rows: 3, maxLength: 2000, name: "text" });
    run.name = "run";
    const error = make("p", "bad", "");
    error.setAttribute("role", "alert");
    const save = make("button", "btn-t", rl.t("notes.save"));
    save.type = "submit";
    form.append(field("notes.run", run), field("notes.steps.label", steps), field("notes.text", text), error, save);
    form.addEventListener("submit", (event) => { event.preventDefault(); send(form, error); });
    return form;
  }

  function field(key, control) {
    const label = make("label", "");
    label.append(make("span", "", rl.t(key)), control);
    return label;
  }

  function send(form, error) {
    const range = rl.parseRange(form.elements.steps.value);
    rl.put(error, range ? "" : rl.t("notes.refused.steps"));
    if (!range || waiting) return;
    ask({ do: "add", run: form.elements.run.value, start: range[0], end: range[1], text: form.elements.text.value });
  }

  function ask(what) {
    waiting = Object.assign({ nth: ++nth }, what);
    window.dash_clientside.set_props("note-asked", { data: waiting });
  }

  /* The server has taken a note, or says why not. */
  rl.noted = function (answer) {
    if (!answer || !waiting || answer.nth !== waiting.nth) return;
    const added = waiting.do === "add";
    waiting = null;
    const form = box() && box().querySelector("form");
    if (answer.error) { form ? rl.put(form.querySelector(".bad"), rl.t(answer.error, answer.values)) : rl.notice(answer.error, answer.values); return; }
    if (added && form) form.elements.text.value = "";
  };

  /* Where notes are kept, as the server tells; a page that carries its payload has no such place. */
  rl.notesPlace = (told) => { place = told || null; };

  document.addEventListener("click", (event) => {
    const el = event.target.closest && event.target.closest("[data-act]");
    if (!el) return;
    const { act, value } = el.dataset;
    if (act === "notes-open") rl.openNotes();
    if (act === "note-close") rl.set({ note: null });
    if (act === "note-remove" && !waiting) ask({ do: "remove", id: value });
    if (act === "note") { show(notes().find((entry) => entry.id === value)); box()?.close(); }
  });

  function show(note) {
    if (!note) return;
    const { first, last } = note.look, low = Math.max(first || 1, note.start - CONTEXT), high = Math.min(last || note.end + CONTEXT, note.end + CONTEXT);
    rl.set({ note: note.id, notes: "shown", range: [Math.min(low, note.start), Math.max(high, note.end)] });
  }

  /* ---- what the page shows of them ---- */

  function sync() {
    const count = visible().length, text = count ? rl.t("notes.count", { n: count }) : rl.t("notes.open");
    for (const el of document.querySelectorAll("[data-show=notes]")) rl.put(el, text);
    strip();
    fill();
  }
  rl.on((changed) => { if (["note", "exp", "lang", "tab"].some((key) => changed.has(key))) sync(); });
  rl.onPayload(sync);
})(window.rlboard);
