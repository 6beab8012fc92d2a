/* The panel of settings: what runs are grouped, coloured and chosen by. It stands in the filter bar, and in the sheet of phones. */
(function (rl) {
  "use strict";

  const make = (tag, className, text) => Object.assign(document.createElement(tag), { className: className || "", textContent: text || "" });
  const BANDS = ["range", "sd", "se"];
  const places = [];       // every panel on the page
  let key = "";            // setting whose values are shown

  const field = (word, control, hint) => {
    const label = make("label", "ctl");
    label.append(make("span", "", rl.t(word)), control);
    if (hint) label.title = hint;
    return label;
  };

  function select(name, value, options, choose) {
    const list = make("select", "sel");
    list.dataset.config = name;
    for (const [id, text] of options) list.add(new Option(text, id));
    if (value && !options.some(([id]) => id === value)) list.add(new Option(value, value));
    list.value = value;
    list.addEventListener("change", () => choose(list.value));
    return list;
  }

  /* Why there is nothing to choose by. */
  function nothing(payload) {
    const runs = Object.values(payload.runs || {}).filter((run) => run.settings !== undefined), known = runs.filter((run) => run.settings);
    return known.length < 2 ? rl.t(known.length ? "vary.one" : "vary.none") : rl.t("vary.equal");
  }

  function fill(root) {
    const payload = rl.payload() || {}, { keys, left } = payload.settings || { keys: [], left: 0 }, { state } = rl;
    const focused = root.contains(document.activeElement) ? document.activeElement.dataset.config : null;
    const named = keys.map((one) => [one, rl.settingName(payload, one)]), seeds = rl.groupsBy(payload, "seed", rl.visibleRuns(payload, null)).length;
    if (state.where) key = state.where.key;
    if (!keys.includes(key)) key = "";
    root.replaceChildren();
    if (!keys.length && !seeds) { root.append(make("p", "mut", nothing(payload))); return; }
    const by = [["", rl.t("vary.off")], ...(seeds ? [["seed", rl.t("vary.seed", { n: seeds })]] : []), ...named];
    root.append(
      field("vary.group", select("group", state.group, by, (group) => rl.set({ group }))),
      field("vary.band", select("band", state.band, BANDS.map((band) => [band, rl.t(`band.${band}`)]), (band) => rl.set({ band }))),
      field("vary.colour", select("colour", state.colour, [["", rl.t("vary.run")], ...named], (colour) => rl.set({ colour }))),
      field("vary.where", select("where", key, [["", rl.t("vary.all")], ...named], (chosen) => { key = chosen; if (state.where) rl.chooseWhere(null); refresh(); })),
    );
    root.querySelector("[data-config=band]").disabled = !state.group;
    if (key) root.append(values(payload, key), make("p", "mut rl-config-key", key));
    const without = Object.values(payload.runs).filter((run) => run.settings === null).length;
    if (without) root.append(make("p", "mut", rl.t("vary.without", { n: without })));
    if (left) root.append(make("p", "mut", rl.t("vary.left", { n: left })));
    if (focused) [...root.querySelectorAll("[data-config]")].find((el) => el.dataset.config === focused)?.focus({ preventScroll: true });
  }

  /* The values of a setting as toggles, with the number of runs that have each. */
  function values(payload, by) {
    const group = make("div", "chips rl-config-values"), { where } = rl.state, on = (value) => Boolean(where && where.values.includes(value));
    group.setAttribute("role", "group");
    group.setAttribute("aria-label", rl.settingName(payload, by));
    for (const { value, keys } of rl.settingValues(payload, by)) {
      if (value === null) continue;
      const toggle = make("button", `chip${where && !on(value) ? " off" : ""}`);
      toggle.type = "button";
      toggle.dataset.config = `value:${value}`;
      toggle.setAttribute("aria-pressed", String(on(value)));
      if (rl.state.colour === by) toggle.append(rl.mark(payload.runs[keys[0]]));
      toggle.append(make("span", "id", rl.settingText(value)), make("span", "nm", `×${keys.length}`));
      toggle.addEventListener("click", () => {
        const now = where ? where.values : [], next = on(value) ? now.filter((one) => one !== value) : [...now, value];
        rl.chooseWhere(next.length ? { key: by, values: next } : null);
      });
      group.append(toggle);
    }
    return group;
  }

  function refresh() {
    for (const root of [...places]) if (root.isConnected) fill(root); else places.splice(places.indexOf(root), 1);
    const { group, colour, where } = rl.state;
    for (const summary of document.querySelectorAll(".rl-config > summary")) summary.classList.toggle("on", Boolean(group || colour || where));
  }

  /* Fill an element with the panel and keep it so. */
  rl.buildConfig = function (root) {
    places.push(root);
    fill(root);
    return root;
  };

  rl.mountConfig = function () {
    const root = document.getElementById("config-menu");
    if (root && !places.includes(root)) rl.buildConfig(root);
  };

  rl.on((changed) => { if (["group", "band", "colour", "where", "lang"].some((name) => changed.has(name))) refresh(); });
  rl.onPayload(refresh);

  /* A press elsewhere, or Escape, folds the panel. */
  const open = () => document.querySelector(".rl-config[open]");
  document.addEventListener("pointerdown", (event) => { const panel = open(); if (panel && !panel.contains(event.target)) panel.open = false; });
  document.addEventListener("keydown", (event) => {
    const panel = event.key === "Escape" && open();
    if (panel) { panel.open = false; panel.querySelector("summary").focus(); }
  });
})(window.rlboard);
