/* Pages as plain data: elements are built from it, and a page on the screen is brought up to date by what differs,
   so that charts, focus, scroll and open parts stay. Text only ever becomes text; `html` is sanitised by the server. */
(function (rl) {
  "use strict";

  const places = new Map();       // id of a place → {el, in, dom}: what was put there

  /* Node of a page → element. The node keeps its element, and the elements of what is in it. */
  rl.build = function (node) {
    if (typeof node === "string") return document.createTextNode(node);
    const el = document.createElement(node.tag);
    for (const [name, value] of Object.entries(node.with)) el.setAttribute(name, value);
    look(el, node.style);
    node.el = el;
    fill(node);
    return el;
  };

  function fill(node) {
    if (node.html !== undefined) node.el.innerHTML = node.html;
    const later = node.tag === "details" && "data-full" in node.with;
    if (later) folded.set(node.el, node);
    node.dom = later ? [rl.build(node.in[0])] : node.in.map(rl.build);
    if (node.dom.length) node.el.replaceChildren(...node.dom);
  }

  /* ---- the full version of a run is half of a page, and built when it is first unfolded ---- */

  const folded = new WeakMap();   // element of such a part → its node

  document.addEventListener("toggle", ({ target }) => {
    const node = folded.get(target);
    if (!node || !target.open || node.dom.length === node.in.length) return;
    node.dom = [node.dom[0], ...node.in.slice(1).map(rl.build)];
    target.append(...node.dom.slice(1));
  }, true);
  const look = (el, style) => { for (const [name, value] of Object.entries(style || {})) el.style.setProperty(name, value); };

  /* ---- one element with one node becomes the same element with another ---- */

  const KEYS = ["id", "data-chart", "data-of-run", "data-full", "data-value"];
  const alike = (a, b) => (typeof a === "string" || typeof b === "string" ? typeof a === typeof b
    : a.tag === b.tag && a.html === b.html && KEYS.every((key) => a.with[key] === b.with[key]));

  function alter(old, now) {
    const { el } = old;
    for (const name of Object.keys(old.with)) if (!(name in now.with)) el.removeAttribute(name);
    for (const [name, value] of Object.entries(now.with)) if (old.with[name] !== value) el.setAttribute(name, value);
    for (const name of Object.keys(old.style || {})) if (!(name in (now.style || {}))) el.style.removeProperty(name);
    look(el, now.style);
  }

  function renew(dom, old, now) {
    if (typeof now === "string") { if (old !== now) dom.data = now; return dom; }
    if (old === now) return dom;
    now.el = old.el;
    alter(old, now);
    within(old, now);
    return now.el;
  }

  /* What is in an element: equal ends are kept, the middle is exchanged. What scripts added is not ours to touch. */
  function within(old, now) {
    const { el } = now, part = old.dom.length < old.in.length, dom = old.dom;     // a part that was never unfolded
    if (folded.get(el) === old) folded.set(el, now);
    const a = part ? old.in.slice(0, 1) : old.in, b = part ? now.in.slice(0, 1) : now.in;
    if (old.in === now.in) { now.dom = dom; return; }
    if (dom.some((child) => child.parentNode !== el)) {     // scripts exchanged what was here
      if (JSON.stringify(plain(a)) === JSON.stringify(plain(b))) { now.dom = dom; return; }
      now.dom = b.map(rl.build);
      el.replaceChildren(...now.dom);
      return;
    }
    let head = 0, tail = 0;
    const most = Math.min(a.length, b.length);
    while (head < most && alike(a[head], b[head])) head++;
    while (tail < most - head && alike(a[a.length - 1 - tail], b[b.length - 1 - tail])) tail++;
    const kept = b.map((node, nth) => {
      if (nth < head) return renew(dom[nth], a[nth], node);
      const back = b.length - nth;
      return back <= tail ? renew(dom[a.length - back], a[a.length - back], node) : null;
    });
    for (const gone of dom.slice(head, a.length - tail)) gone.remove();
    let before = head ? kept[head - 1] : null;
    now.dom = kept.map((child, nth) => {
      if (child) { before = child; return child; }
      const fresh = rl.build(b[nth]);
      if (before) before.after(fresh); else el.prepend(fresh);
      before = fresh;
      return fresh;
    });
  }

  const plain = (list) => list.map((node) => (typeof node === "string" ? node
    : { tag: node.tag, with: node.with, style: node.style, html: node.html, in: plain(node.in) }));

  /* ---- places ---- */

  /* Show nodes in the element with this id; what is there already stays where it can. */
  rl.show = function (id, list) {
    const el = document.getElementById(id), old = places.get(id);
    if (!el) return;
    const now = { el, in: list, with: {} };
    if (old && old.el === el) within(old, now);
    else {
      now.dom = list.map(rl.build);
      el.replaceChildren(...now.dom);
    }
    places.set(id, now);
    rl.paintMarks(el);
  };

  /* The nodes of a place after edits: `{at: path, put: node}` or `{at: path, with, style}`. */
  rl.edited = function (id, edits) {
    const root = { tag: "", with: {}, in: (places.get(id) || { in: [] }).in };
    return edits.reduce((node, edit) => put(node, edit.at, edit), root).in;
  };

  function put(node, [first, ...rest], edit) {
    if (first === undefined) {
      if (edit.put === undefined) return Object.assign({}, node, { with: edit.with, style: edit.style || undefined });
      return Array.isArray(edit.put) ? Object.assign({}, node, { in: edit.put }) : edit.put;
    }
    return Object.assign({}, node, { in: node.in.map((child, nth) => (nth === first ? put(child, rest, edit) : child)) });
  }
})(window.rlboard);
