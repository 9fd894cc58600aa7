"""The rules of each country: the built-in ones, and those of further modules."""

from __future__ import annotations

from core.for_natives import Catalogue, cached_per_catalogue

from . import belgium, britain, france, germany, switzerland, united_states
from .rule import Rule

NATIVE = {
    "BE": belgium.RULES,
    "CH": switzerland.RULES,
    "DE": germany.RULES,
    "FR": france.RULES,
    "GB": britain.RULES,
    "US": united_states.RULES,
}
#: ``<module>/mentiontemplates/country_<code>.py`` contains the ``RULES`` of a country; ``country_any.py`` for all
FOLDER, FILES, ANY = "mentiontemplates", "country", "any"


def rules_of(country: str) -> tuple[Rule, ...]:
    """Return the rules of a country, by its code; empty if it has none."""
    return _rules(country.upper())


@cached_per_catalogue
def _further(served: Catalogue) -> dict[str, list[Rule]]:
    """Return the rules of further modules: country → rules."""
    found: dict[str, list[Rule]] = {}
    for each in served.templates:
        if (each.folder, each.kind) == (FOLDER, FILES):
            rules = getattr(each.content, "RULES", ())
            found.setdefault(each.name.upper(), []).extend(rule for rule in rules if isinstance(rule, Rule))
    return found


def _rules(country: str) -> tuple[Rule, ...]:
    native, further = NATIVE.get(country, ()), _further()
    if not further:
        return native
    every = [*native, *further.get(ANY.upper(), ()), *further.get(country, ())]
    return tuple({rule.key: rule for rule in every}.values())
