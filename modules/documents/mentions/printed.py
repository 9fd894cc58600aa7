"""The printed legal notices: the sentences below the terms, and the small print of each page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from core.for_natives import cached

from ...setup.account_numbers import packed
from ..content.addresses import place_lines
from ..content.language import Language
from ..content.parties import identifier_labels
from .case import Case
from .countries import rules_of
from .rule import fields_of

#: number of lines of small print
ROWS = 3
#: maximum number of cached small prints, one per language, kind and company data
MOST_KEPT = 256


def mention_sentences(case: Case) -> list[str]:
    """Return the sentences to print below the terms."""
    return [text for text, _ in mention_notes(case)]


def mention_notes(case: Case) -> list[tuple[str, str]]:
    """Return the sentences to print below the terms, each with the `subject` of its rule."""
    return [
        (text, rule.subject)
        for rule in rules_of(case.country)
        if rule.place == "mention" and rule.applies(case) and (text := rule.printed(case))
    ]


def without_repeats(sentences: Iterable[str]) -> list[str]:
    """Return the sentences without those that an earlier one contains."""
    kept: list[str] = []
    for sentence in sentences:
        if sentence and not any(_said(sentence) in _said(each) for each in kept):
            kept.append(sentence)
    return kept


def _said(sentence: str) -> str:
    return sentence.strip().rstrip(".").casefold()


@cached
def _small_prints() -> dict[Any, list[str]]:
    """Return the cache of small prints; a changed constant clears it."""
    return {}


def small_print(own: Mapping[str, Any], words: Language, kind: str = "") -> list[str]:
    """Return the small print: the company's identity and registration numbers, as its country requires.

    Numbers that no rule of the country requires follow with a generic label.

    :param kind: the kind of document; empty: any
    """
    # It depends only on company, language and kind; texts or rules that change make a new `Language`
    known, key = _small_prints(), (words, kind, *own.values())
    if key not in known:
        if len(known) >= MOST_KEPT:
            known.clear()
        known[key] = _small_print(Case(own, words, kind))
    return list(known[key])


def _small_print(case: Case) -> list[str]:
    rows = {row: [] for row in range(1, ROWS + 1)}  # type: dict[int, list[str]]
    name, place = case.text("company.name"), _place(case.own)
    rows[1] = [part for part in (name, *place) if part]
    rules = [rule for rule in rules_of(case.country) if rule.place == "foot" and rule.is_for(case)]
    for rule in rules:
        if rule.when(case) and (text := rule.printed(case)) and not _is_told(text, rows):
            rows[min(max(rule.row, 1), ROWS)].append(text)
    told = {name for rule in rules for sentence in rule.sentences for name in fields_of(sentence)}
    capital = case.text("company.capital")
    if capital and not any(capital in part for parts in rows.values() for part in parts):
        rows[1].append(f"{case.words.say('Capital')} {capital}")
    _leave_out(rows, place, name)
    rows[ROWS] += _numbers(case, told)
    return [" · ".join(parts) for parts in rows.values() if parts]


def _is_told(text: str, rows: Mapping[int, list[str]]) -> bool:
    """Return whether the rows already contain a text, such as a legal form in the name."""
    return any(f" {text} " in f" {part} " for parts in rows.values() for part in parts)


def _leave_out(rows: dict[int, list[str]], place: list[str], name: str) -> None:
    """Remove the address from the first line if another part, such as the registered office, contains it."""
    parts = [part for row in rows.values() for part in row if part != name and part not in place]
    if place and any(all(line in part for line in place) for part in parts):
        rows[1] = [part for part in rows[1] if part not in place]


def _place(own: Mapping[str, Any]) -> list[str]:
    return place_lines(own["country_code"], own["address"], own["zip"], own["town"])


def _numbers(case: Case, told: set[str]) -> list[str]:
    """Return the numbers that no rule prints; a number equal to the VAT number appears only as such."""
    found = []
    vat = packed(case.text("company.tva_intra"))
    for place, label in enumerate(identifier_labels(case.country, case.words), 1):
        name = f"company.idprof{place}"
        if name not in told and (text := case.text(name)) and packed(text) != vat:
            found.append(f"{label} {text}")
    if "company.tva_intra" not in told and (text := case.text("company.tva_intra")):
        found.append(f"{case.words.say('VAT number')} {text}")
    return found
