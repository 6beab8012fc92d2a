/* The table of all runs: sorted by its heads, filtered by words and state. Rows stay inside their track. */
(function (rl) {
  "use strict";

  const all = (selector, root) => [...(root || document).querySelectorAll(selector)];
  const find = () => document.querySelector("table.runs");
  let order = null;              // {column, down} or null: as the page brought it
  let words = "", state = "";

  /* ---- order ---- */

  const value = (row, column) => {
    const cell = row.cells[column + 1];
    return cell && cell.dataset.by !== undefined ? Number(cell.dataset.by) : null;
  };

  /* Rows without a value go last, whichever way the others stand. */
  function compare(a, b) {
    const place = Number(a.dataset.nth) - Number(b.dataset.nth);
    if (!order) return place;
    const one = value(a, order.column), other = value(b, order.column);
    if (one === null || other === null) return (one === null) - (other === null) || place;
    return (order.down ? other - one : one - other) || place;
  }

  function sort(table) {
    for (const body of table.tBodies) {
      const rows = all("tr[data-nth]", body), sorted = [...rows].sort(compare);
      if (sorted.some((row, nth) => row !== rows[nth])) body.append(...sorted);
    }
    for (const button of all("[data-act=sort]", table)) {
      const mine = order && Number(button.dataset.value) === order.column;
      const told = mine ? (order.down ? "descending" : "ascending") : "none", head = button.closest("th");
      if (head.getAttribute("aria-sort") !== told) head.setAttribute("aria-sort", told);
    }
  }

  /* Largest first, then smallest first, then as it was. */
  document.addEventListener("click", (event) => {
    const button = event.target.closest && event.target.closest("[data-act=sort]");
    if (!button) return;
    const column = Number(button.dataset.value);
    if (!order || order.column !== column) order = { column, down: true };
    else order = order.down ? { column, down: false } : null;
    show();
  });

  /* ---- filter ---- */

  function field() {
    for (const place of all("[data-run-find]")) {
      if (place.querySelector("input")) continue;
      const input = document.createElement("input");
      Object.assign(input, { type: "search", autocomplete: "off", spellcheck: false, value: words, className: "box" });
      for (const lang of ["zh", "en"])
        for (const name of ["placeholder", "aria"]) input.setAttribute(`data-${name}-${lang}`, place.getAttribute(`data-hint-${lang}`));
      input.addEventListener("input", () => { words = input.value; show(); });
      place.append(input);
      rl.translate(place);
    }
    for (const select of all("select[data-act=run-state]")) if (select.value !== state) select.value = state;
  }
  document.addEventListener("change", (event) => {
    if (event.target.matches("select[data-act=run-state]")) { state = event.target.value; show(); }
  });

  const hide = (el, on) => { if (el.hidden !== on) el.hidden = on; };

  function filter(table) {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0, count = 0;
    for (const body of table.tBodies) {
      let left = 0;
      for (const row of all("tr[data-nth]", body)) {
        const text = `${row.dataset.value} ${row.textContent}`.toLowerCase();
        const on = (!state || row.dataset.state === state) && wanted.every((word) => text.includes(word));
        hide(row, !on);
        left += on;
        count += 1;
      }
      hide(body, !left);
      shown += left;
    }
    for (const link of all("a[data-act=csv][data-value=rows]")) rl.addressCsv(link);
    for (const el of all("[data-run-count]")) rl.put(el, shown === count ? "" : `${shown} / ${count}`);
  }

  function show() {
    const table = find();
    if (!table) return;
    field();
    sort(table);
    filter(table);
  }
  new MutationObserver(show).observe(document.documentElement,
    { childList: true, subtree: true, attributes: true, attributeFilter: ["data-by", "data-state"] });
})(window.rlboard);
