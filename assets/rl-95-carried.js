/* A page written by `python -m app export` carries words and figures of every page in its element #carried. */
(function (rl) {
  "use strict";

  const place = document.getElementById("carried");
  if (!place) return;
  const { words, figures, fixed } = JSON.parse(place.textContent);
  rl.setWords(words);

  /* Its figures were made for one choice of some settings: a link that asks for another one is told so. */
  const asked = rl.readQuery(location.search).patch;
  const refused = fixed.filter((key) => key in asked && String(asked[key]) !== String(rl.defaults[key]));
  rl.start({ words, figures });
  for (const key of refused) rl.notice("url.bad", { key, value: String(asked[key]).slice(0, 40) });
  rl.set(Object.fromEntries(refused.map((key) => [key, rl.defaults[key]])));
})(window.rlboard);
