/* Rows that match what is typed. A place `[data-find="words|regex"]` gets a field that filters the `[data-row]`
   elements of its `[data-find-in]`; a `[data-group]` goes when all its rows do. */
(function (rl) {
  "use strict";

  const LONGEST = 400;      // characters of a name a pattern is tried on
  const all = (selector, root) => [...root.querySelectorAll(selector)];

  /* Text → test of a row, or null when the text is no valid pattern. An empty text lets every row pass. */
  const TESTS = {
    words: (text) => {
      const words = text.toLowerCase().split(/\s+/).filter(Boolean);
      return (row) => { const found = row.textContent.toLowerCase(); return words.every((word) => found.includes(word)); };
    },
    regex: (text) => {
      let pattern;
      try { pattern = new RegExp(text.trim(), "i"); } catch { return null; }
      return (row) => row.dataset.row.split("\n").some((name) => pattern.test(name.slice(0, LONGEST)));
    },
  };

  /* Give every place under `root` its field, empty and with all rows shown. */
  rl.filters = function (root) {
    for (const place of all("[data-find]", root)) {
      const field = place.querySelector("input") || build(place);
      for (const lang of ["zh", "en"])
        for (const name of ["placeholder", "aria"]) field.setAttribute(`data-${name}-${lang}`, place.getAttribute(`data-hint-${lang}`));
      field.value = "";
      apply(place, field);
    }
    rl.translate(root);
  };

  /* Fields of the page itself, given once; those of a drawer come with its content. */
  new MutationObserver(() => {
    for (const place of all("main [data-find]", document)) if (!place.querySelector("input")) rl.filters(place.closest("[data-find-in]"));
  }).observe(document.documentElement, { childList: true, subtree: true });

  function build(place) {
    const field = document.createElement("input");
    field.type = "search";
    field.autocomplete = "off";
    field.spellcheck = false;
    field.addEventListener("input", () => apply(place, field));
    place.append(field);
    return field;
  }

  function apply(place, field) {
    const test = TESTS[place.dataset.find](field.value), root = place.closest("[data-find-in]");
    const rows = all("[data-row]", root);
    let shown = 0;
    for (const row of rows) {
      row.hidden = test !== null && !test(row);
      if (!row.hidden) shown += 1;
    }
    for (const group of all("[data-group]", root)) group.hidden = !all("[data-row]", group).some((row) => !row.hidden);
    const show = (name, on) => { for (const el of all(`[data-find-${name}]`, root)) el.hidden = !on; };
    show("bad", test === null);
    show("none", shown === 0 && rows.length > 0);
    field.setAttribute("aria-invalid", String(test === null));
    for (const el of all("[data-find-count]", root)) rl.put(el, `${shown} / ${rows.length}`);
  }
})(window.rlboard);
