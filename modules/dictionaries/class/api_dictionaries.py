"""Dictionaries over HTTP, under `/setup/dictionary`, and the list of dictionaries."""

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Annotated, Any

from core import Api, ListQuery
from core.for_natives import Page

from ..described import AnyEntry, DictionaryDescription, Removal, describe, removal
from ..dictionary import Dictionary
from ..lists import DICTIONARIES, dictionary
from ..models import Country, State

LANG = "label language; default: English"


def list_operation(dictionary: Dictionary) -> Callable[..., Page]:
    """Return the method that lists a dictionary, with its path, parameters and permission."""

    def listed(_: Any, query: ListQuery, **asked: Any) -> Page:
        return dictionary.listed(query, **asked)

    parameters: list[tuple[str, Any, Any]] = [("self", Any, Parameter.empty), ("query", ListQuery, Parameter.empty)]
    parameters += [(each.name, type(each.default), each.default) for each in dictionary.filters]
    parameters += [("lang", str, "")]
    lines = [f"List {dictionary.title}.", "", f":url: GET ../setup/dictionary/{dictionary.name}"]
    lines += [f":param {each.name}: {each.text}" for each in dictionary.filters]
    lines += [f":param lang: {LANG}", *([f":permission: {dictionary.right}"] if dictionary.right else [])]
    listed.__name__ = dictionary.name
    listed.__qualname__ = f"Dictionaries.{dictionary.name}"
    listed.__doc__ = "\n".join(lines)
    model = dictionary.model
    listed.__signature__ = Signature(  # type: ignore[attr-defined]
        [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, annotation=kind, default=default)
         for name, kind, default in parameters],
        return_annotation=list[Annotated[dict[str, Any], model]],
    )  # fmt: skip
    return listed


CountryRecord = Annotated[dict[str, Any], Country]
StateRecord = Annotated[dict[str, Any], State]


class Dictionaries(Api):
    """Reference data that records use: countries, VAT rates, payment terms, units …

    The entries are under `/setup/dictionary`.
    """

    group = "Administration"

    def index(self) -> list[DictionaryDescription]:
        """List dictionaries.

        Returns each dictionary's fields.

        :access: protected
        """
        return [describe(each) for each in DICTIONARIES.values()]

    # One entry --------------------------------------------------------------------------------------------------------

    def country(self, id: int, lang: str = "") -> CountryRecord:
        """Read a country.

        :url: GET ../setup/dictionary/countries/{id}
        :param lang: default: English
        """
        return DICTIONARIES["countries"].read_one(id, lang=lang)

    def country_by_code(self, code: str, lang: str = "") -> CountryRecord:
        """Read a country by two-letter code.

        :url: GET ../setup/dictionary/countries/byCode/{code}
        :param code: such as FR
        :param lang: default: English
        """
        return DICTIONARIES["countries"].read_one(code.upper(), "code", lang)

    def country_by_iso(self, iso: str, lang: str = "") -> CountryRecord:
        """Read a country by three-letter code.

        :url: GET ../setup/dictionary/countries/byISO/{iso}
        :param iso: such as FRA
        :param lang: default: English
        """
        return DICTIONARIES["countries"].read_one(iso.upper(), "code_iso", lang)

    def state(self, id: int) -> StateRecord:
        """Read a state or county.

        :url: GET ../setup/dictionary/states/{id}
        """
        return DICTIONARIES["states"].read_one(id)

    def state_by_code(self, code: str) -> StateRecord:
        """Read a state or county by code.

        If several countries have the code, returns the lowest ID.

        :url: GET ../setup/dictionary/states/byCode/{code}
        :param code: such as 69
        """
        return DICTIONARIES["states"].read_first(code, "code_departement")

    def entry(self, name: str, id: int, lang: str = "") -> AnyEntry:
        """Read a dictionary entry.

        Needs the permission to list the dictionary.

        :url: GET ../setup/dictionary/{name}/{id}
        :param name: such as vat_rates
        :param lang: default: English
        """
        asked = dictionary(name)
        if asked.right:
            self.user.require(asked.right)
        return asked.read_one(id, lang=lang)

    # Changing ---------------------------------------------------------------------------------------------------------

    def add(self, name: str, request_data: AnyEntry) -> int:
        """Add a dictionary entry.

        `GET /dictionaries` lists the fields.

        :url: POST ../setup/dictionary/{name}
        :param name: such as vat_rates
        :raises Refused: the code is used
        :permission: write
        """
        return dictionary(name).add(request_data)

    def change(self, name: str, id: int, request_data: AnyEntry) -> AnyEntry:
        """Update a dictionary entry.

        A changed label applies to all languages.

        :url: PUT ../setup/dictionary/{name}/{id}
        :param name: such as vat_rates
        :raises Refused: the code is used, or records refer to it
        :permission: write
        """
        dictionary(name).alter(id, request_data)
        return dictionary(name).read_one(id)

    def patch(self, name: str, id: int, request_data: AnyEntry) -> AnyEntry:
        """Change some fields of a dictionary entry.

        A changed label applies to all languages.

        :url: PATCH ../setup/dictionary/{name}/{id}
        :param name: such as vat_rates
        :raises Refused: the code is used, or records refer to it
        :permission: write
        """
        return self.change(name, id, request_data)

    def remove(self, name: str, id: int) -> Removal:
        """Delete a dictionary entry.

        An entry in use is only hidden (`active` 0).

        :url: DELETE ../setup/dictionary/{name}/{id}
        :param name: such as vat_rates
        :permission: delete
        """
        return removal(dictionary(name), id)


for _each in DICTIONARIES.values():
    setattr(Dictionaries, _each.name, list_operation(_each))
