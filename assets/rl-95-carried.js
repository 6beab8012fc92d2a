/* A page written by `python -m app export` carries words and figures of every tab in its element #carried. */
(function (rl) {
  "use strict";

  const place = document.getElementById("carried");
  if (!place) return;
  const carried = JSON.parse(place.textContent), html = document.documentElement;
  rl.setWords(carried.words);

  /* Its figures were made for one choice of these; a link that asks for another one is told so. */
  const asked = rl.readQuery(location.search).patch;
  const fixed = carried.fixed.filter((key) => key in asked && asked[key] !== rl.defaults[key]);
  if (html.dataset.lang === "auto") html.lang = navigator.language.startsWith("zh") ? "zh-CN" : "en";
  rl.start({ words: carried.words, figures: carried.figures, tab: carried.tab });
  for (const key of fixed) rl.notice("url.bad", { key, value: asked[key] });
  rl.set(Object.fromEntries(fixed.map((key) => [key, rl.defaults[key]])));
})(window.rlboard);
