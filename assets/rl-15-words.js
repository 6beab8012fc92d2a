/* Words, language and theme. Pages carry both languages; CSS shows the one of <html lang>. */
(function (rl) {
  "use strict";

  const LANG = { zh: "zh-CN", en: "en" };
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const paper = window.matchMedia("print");
  let words = { zh: {}, en: {} };

  rl.setWords = (dictionary) => { if (dictionary && dictionary.zh) words = dictionary; };

  /* Text of `key` in the language of the page; `{name}` places are filled; an unknown key shows itself. */
  rl.t = (key, values) => rl.tIn(rl.state.lang, key, values);
  rl.tIn = function (lang, key, values) {
    const text = (words[lang] || {})[key];
    return text === undefined ? key : fill(text, values);
  };
  /* `{n} {n:step|steps}`: a value, and the word for one or for several of it. The grammar of components/text. */
  const fill = (text, values) => text.replace(/\{(\w+)(?::([^{}|]*)\|([^{}|]*))?\}/g, (whole, name, one, several) => {
    if (!values || !(name in values)) return whole;
    return one === undefined ? String(values[name]) : single(values[name]) ? one : several;
  });
  const single = (value) => (typeof value === "string" ? /^\d+$/.test(value) : value === 1);

  /* A [zh, en] pair, or a plain string, in the language of the page. */
  rl.pick = (pair) => (Array.isArray(pair) ? pair[rl.state.lang === "en" ? 1 : 0] : pair == null ? "" : String(pair));

  /* Attributes a page gives in both languages: data-title-zh/-en → title, data-aria-zh/-en → aria-label. */
  rl.translate = function (root) {
    const lang = rl.state.lang;
    for (const el of root.querySelectorAll("[data-title-zh]")) el.title = el.getAttribute(`data-title-${lang}`) || "";
    for (const el of root.querySelectorAll("[data-aria-zh]"))
      el.setAttribute("aria-label", el.getAttribute(`data-aria-${lang}`) || "");
    for (const el of root.querySelectorAll("[data-placeholder-zh]"))
      el.placeholder = el.getAttribute(`data-placeholder-${lang}`) || "";
    for (const el of root.querySelectorAll("option[data-zh]")) el.textContent = el.getAttribute(`data-${lang}`);
    for (const el of root.querySelectorAll("[data-word]")) rl.put(el, rl.t(el.dataset.word));
  };

  /* Set the text of an element only when it differs, so that observers stay quiet. */
  rl.put = (el, text) => { if (el && el.textContent !== text) el.textContent = text; };

  rl.isDark = () => rl.state.theme === "dark" || (rl.state.theme === "system" && dark.matches);
  rl.nextTheme = () => (rl.isDark() ? "light" : "dark");

  function apply() {
    const html = document.documentElement, theme = rl.isDark() && !paper.matches ? "dark" : "light";
    if (html.lang !== LANG[rl.state.lang]) html.lang = LANG[rl.state.lang];
    if (html.dataset.bsTheme !== theme) html.dataset.bsTheme = theme;
    for (const el of document.querySelectorAll("[data-act=lang]:empty, [data-act=lang][data-filled]")) {
      el.dataset.filled = "";
      rl.put(el, rl.state.lang === "en" ? "中文" : "EN");
      el.lang = rl.state.lang === "en" ? "zh-CN" : "en";
    }
    for (const el of document.querySelectorAll("[data-act=theme]:empty, [data-act=theme][data-filled]")) {
      el.dataset.filled = "";
      rl.put(el, rl.t(el.dataset.value ? `theme.${el.dataset.value}` : `theme.${rl.nextTheme()}`));
    }
  }
  rl.applyLook = apply;

  /* Language and theme are the only things a browser remembers for a user. */
  rl.loadPreferences = function () {
    const patch = {};
    try {
      const lang = localStorage.getItem("rlboard.lang"), theme = localStorage.getItem("rlboard.theme");
      if (lang in LANG) patch.lang = lang;
      if (["light", "dark", "system"].includes(theme)) patch.theme = theme;
    } catch { /* storage switched off: the page still works */ }
    return patch;
  };

  rl.on((changed) => {
    if (!changed.has("lang") && !changed.has("theme")) return;
    for (const key of ["lang", "theme"]) {
      if (!changed.has(key)) continue;
      try { localStorage.setItem(`rlboard.${key}`, rl.state[key]); } catch { /* as above */ }
    }
    apply();
    if (changed.has("lang")) rl.translate(document);
  });
  dark.addEventListener("change", apply);
  paper.addEventListener("change", apply);
})(window.rlboard);
