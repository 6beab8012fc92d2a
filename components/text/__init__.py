"""Every text a reader sees, in Chinese and English.

Each module of this package holds a dictionary `TEXT`: message key → (Chinese, English), with `{name}` places
and, in English, words that follow a number: `{n} {n:step|steps}`, `step{steps:|s} {steps}`. The first word stands
for one, which a value names when it is the number 1, or text that is a single number such as the `136` of a range.
Both languages stand in the page; style sheets show the one of `<html lang>`.
"""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Container, Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any

from dash import html

from components.numbers import plain
from data_loaders.schema import Note

Bilingual = tuple[str, str]
Sentence = Note | Bilingual
"""A message key with its numbers, or a pair that is ready to be shown."""
ZH, EN = "zh-CN", "en"
PLACE = re.compile(r"\{(\w+)(?::([^{}|]*)\|([^{}|]*))?\}")
"""A value, or the word for one or for several of it; `assets/rl-15-words.js` reads the same."""


def modules(name: str = "TEXT") -> Iterator[tuple[str, Mapping[str, Bilingual]]]:
    """Names of the modules of this package, with their dictionaries of this name, those that have one."""
    for found in pkgutil.iter_modules(__path__):
        texts = getattr(import_module(f"{__name__}.{found.name}"), name, None)
        if texts is not None:
            yield found.name, texts


TEXT: Mapping[str, Bilingual] = {key: pair for _, texts in modules() for key, pair in texts.items()}


def words(key: str, /, **values: Any) -> Bilingual:
    """The text of `key` in both languages; an unknown key shows itself.

    A value may be bilingual itself: a `Note` or a pair. Numbers are set with a true minus sign.
    """
    zh, en = TEXT.get(key, (key, key))
    filled = {name: _pair(value) for name, value in values.items()}
    single = {name for name, value in values.items() if _single(value)}
    return (
        _fill(zh, {name: pair[0] for name, pair in filled.items()}, single),
        _fill(en, {name: pair[1] for name, pair in filled.items()}, single),
    )


def said(sentence: Sentence) -> Bilingual:
    """Any sentence as a pair."""
    return words(sentence.key, **sentence.values) if isinstance(sentence, Note) else sentence


def span(pair: Bilingual, className: str = "") -> html.Span:  # noqa: N803 - Dash's own name
    """A pair as the two elements of which the page shows one; one element where both are equal."""
    zh, en = pair
    if zh == en:
        return html.Span(zh, className=className)
    return html.Span([html.Span(zh, lang=ZH), html.Span(en, lang=EN)], className=className)


def both(key: str, /, **values: Any) -> html.Span:
    """The text of `key` as an element."""
    return span(words(key, **values))


def sentence(what: Sentence, className: str = "") -> html.Span:  # noqa: N803
    """Any sentence as an element."""
    return span(said(what), className)


def titled(key: str, /, **values: Any) -> dict[str, Any]:
    """Attributes for a tooltip in both languages; the page's script sets `title`."""
    return _attributes("title", words(key, **values))


def labelled(key: str, /, **values: Any) -> dict[str, Any]:
    """Attributes for an accessible name in both languages; the page's script sets `aria-label`."""
    return _attributes("aria", words(key, **values))


def option(value: str, key: str, /, **values: Any) -> html.Option:
    """An entry of a drop-down list, which cannot hold elements."""
    zh, en = words(key, **values)
    names: dict[str, Any] = {"data-zh": zh, "data-en": en}
    return html.Option(en, value=value, **names)


def joined(parts: list[Bilingual], zh: str = "，", en: str = ", ") -> Bilingual:
    """Pairs put together with the separator of each language."""
    return zh.join(part[0] for part in parts), en.join(part[1] for part in parts)


def inside(pair: Bilingual) -> Bilingual:
    """A name inside a sentence: `response length`; `PPO KL` and `E1` stay."""
    zh, en = pair
    return zh, en[:1].lower() + en[1:] if en[1:2].islower() else en


def listing(names: Iterable[str]) -> Bilingual:
    """Names that are the same in both languages, listed: `E1、E2`, `E1, E2`."""
    return joined([(name, name) for name in names], "、", ", ")


def _attributes(name: str, pair: Bilingual) -> dict[str, Any]:
    return {f"data-{name}-zh": pair[0], f"data-{name}-en": pair[1]}


def _pair(value: object) -> Bilingual:
    if isinstance(value, Note):
        return said(value)
    if isinstance(value, tuple) and len(value) == 2 and all(isinstance(part, str) for part in value):
        return value
    return (plain(value),) * 2


def _single(value: object) -> bool:
    """Whether a word that follows a value stands in the singular: after 1, and after a range of one step."""
    return value.isdecimal() if isinstance(value, str) else value == 1


def _fill(text: str, values: Mapping[str, str], single: Container[str]) -> str:
    """Places are filled at once, so that a value cannot bring a place of its own."""

    def filled(found: re.Match[str]) -> str:
        name, one, several = found.groups()
        if name not in values:
            return found[0]
        return values[name] if one is None else one if name in single else several

    return PLACE.sub(filled, text)
