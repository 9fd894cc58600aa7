"""The company's country: whatever names it, identifier, code and name are set together, as the dictionary has them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

from core import wrong_fields

from ..dictionaries.entries import entries
from ..dictionaries.models import Country, State

#: languages in which a country may be named; its name in the dictionary always will do
LANGUAGES = ("en", "fr", "de", "es", "it", "nl", "pl", "pt")
NONE = ("", "0")


def country_constant(sent: Mapping[str, str], stored: Mapping[str, str | None]) -> str:
    """What the constant of the country holds, ``identifier:code:name``, after some of them are sent; empty for none.

    What is sent empty counts only where all is.

    :param sent: of `country_id`, `country_code` and `country` those that a body names
    :param stored: the three as they are; a client may send back what it has read
    :raises BadRequest: there is no such country, or they name different ones
    """
    given = {name: text for name, text in sent.items() if text not in NONE}
    if not given:
        return ""
    if all(stored[name] == text for name, text in given.items()):
        country = _by_code(stored["country_code"] or "") if not all(stored.values()) else None
        return _written(country) if country else ":".join(text or "" for text in stored.values())
    found = {name: FINDERS[name](text) for name, text in given.items()}
    unknown = [name for name, country in found.items() if country is None]
    if unknown:
        raise wrong_fields(
            [(name, f"expected a country from the dictionary, got {given[name]!r:.60}") for name in unknown]
        )
    countries = {country.id: country for country in found.values() if country is not None}
    if len(countries) > 1:
        several = " and ".join(f"{country.label} in `{name}`" for name, country in found.items() if country is not None)
        raise wrong_fields([(name, f"expected one country, got {several}") for name in found])
    return _written(next(iter(countries.values())))


def state_constant(identifier: str) -> str:
    """What the constant of the company's state holds, ``identifier:code:name``; empty for none.

    :raises BadRequest: there is no such state
    """
    if identifier in NONE:
        return ""
    state = entries(State).get(int(identifier))
    if state is None:
        raise wrong_fields([("state_id", f"expected the ID of a state, got {identifier!r:.60}")])
    return f"{state.id}:{state.code_departement}:{state.name}"


def _written(country: Country) -> str:
    return f"{country.id}:{country.code}:{country.label}"


def _by_code(text: str) -> Country | None:
    code = text.upper()
    return next((row for row in entries(Country).values() if code in (row.code, row.code_iso)), None)


def _by_name(text: str) -> Country | None:
    name = text.casefold()
    rows = entries(Country).values()
    return next((row for row in rows if row.label.casefold() == name), None) or _by_code(_codes().get(name, "-"))


@lru_cache(maxsize=1)
def _codes() -> dict[str, str]:
    """Name of a country, in any of the languages → its code."""
    from babel import Locale

    return {
        str(name).casefold(): code
        for language in LANGUAGES
        for code, name in Locale(language).territories.items()
        if len(code) == 2
    }


#: field → how the country is found that it names
FINDERS: dict[str, Callable[[str], Country | None]] = {
    "country_id": lambda text: entries(Country).get(int(text)),
    "country_code": _by_code,
    "country": _by_name,
}
