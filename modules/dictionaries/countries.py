"""Countries with their names in every language."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from babel import Locale, UnknownLocaleError

from core import ListQuery, Page, wrong_fields

from .entries import entries, fill
from .lists import Dictionary
from .models import Country


class Countries(Dictionary):
    """Countries.

    :param names: code of a country → its name in the language that is asked for; the table's own where it is missing
    """

    noun = "Country"

    def __init__(self, names: dict[str, str]) -> None:
        super().__init__(Country, "id code code_iso label active")
        self.names = names

    def complete(self, records: list[dict[str, Any]]) -> None:
        """Name the countries in the language."""
        super().complete(records)
        for record in records:
            record["label"] = self.names.get(record["code"], record["label"])

    def named(self, text: str) -> list[int]:
        """The identifiers of the countries whose name holds a text, whatever its case."""
        rows = entries(Country).values()
        return [row.id for row in rows if text.casefold() in self.names.get(row.code, row.label).casefold()]


@lru_cache(maxsize=64)
def _countries(lang: str) -> Countries:
    if not lang:
        return Countries({})
    language, _, rest = lang.replace("-", "_").partition("_")
    for each in (f"{language}_{rest}", language) if rest else (language,):
        try:
            return Countries(dict(Locale.parse(each).territories))
        except (UnknownLocaleError, ValueError):
            continue
    reason = f"Expecting a language such as fr or fr_FR (got {lang!r:.20})"
    raise wrong_fields([("lang", reason)])


def list_countries(query: ListQuery, part: str = "", lang: str = "") -> Page:
    """List countries.

    :param part: only those whose name holds this text
    :param lang: language of the names, such as fr or fr_FR; the table's own names when empty
    :raises BadRequest: there is no such language, or a filter that cannot be used
    """
    countries = _countries(lang)
    return countries.listed(query, **({"id": countries.named(part)} if part else {}))


def read_country(value: Any, by: str = "", lang: str = "") -> dict[str, Any]:
    """Read one country.

    :param by: the field that holds the value: code or code_iso; the identifier when empty
    :param lang: language of the name, such as fr or fr_FR
    :raises BadRequest: there is no such language, or the value is empty
    :raises NotFound: there is no such country
    """
    fill(Country)
    return _countries(lang).read(value.upper() if by else value, by)
