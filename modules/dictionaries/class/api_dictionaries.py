"""Dictionaries over HTTP: all of them below `/setup/dictionary`, and a list of which there are."""

from typing import Annotated, Any

from core import Api

from ..described import AnyEntry, DictionaryDescription, Removal, describe, removal
from ..lists import DICTIONARIES, dictionary
from ..models import Country, State
from ..operations import list_operation

CountryRecord = Annotated[dict[str, Any], Country]
StateRecord = Annotated[dict[str, Any], State]


class Dictionaries(Api):
    """What records refer to by identifier or code: countries, rates of VAT, terms of payment, units …

    Their entries are read and changed below `/setup/dictionary`, on the page of the setup.
    """

    def index(self) -> list[DictionaryDescription]:
        """List dictionaries, with the fields of their entries.

        :access: protected
        """
        return [describe(each) for each in DICTIONARIES.values()]

    # One entry --------------------------------------------------------------------------------------------------------

    def country(self, id: int, lang: str = "") -> CountryRecord:
        """Read one country.

        :url: GET ../setup/dictionary/countries/{id}
        :param id: identifier of the country
        :param lang: language of the name, such as fr or fr_FR; English when empty
        :raises NotFound: there is no such country
        """
        return DICTIONARIES["countries"].read_one(id, lang=lang)

    def country_by_code(self, code: str, lang: str = "") -> CountryRecord:
        """Read the country with a code of two letters.

        :url: GET ../setup/dictionary/countries/byCode/{code}
        :param code: ISO 3166-1 code, such as FR
        :param lang: language of the name, such as fr or fr_FR; English when empty
        :raises NotFound: there is no such country
        """
        return DICTIONARIES["countries"].read_one(code.upper(), "code", lang)

    def country_by_iso(self, iso: str, lang: str = "") -> CountryRecord:
        """Read the country with a code of three letters.

        :url: GET ../setup/dictionary/countries/byISO/{iso}
        :param iso: ISO 3166-1 code, such as FRA
        :param lang: language of the name, such as fr or fr_FR; English when empty
        :raises NotFound: there is no such country
        """
        return DICTIONARIES["countries"].read_one(iso.upper(), "code_iso", lang)

    def state(self, id: int) -> StateRecord:
        """Read one state (county or department).

        :url: GET ../setup/dictionary/states/{id}
        :param id: identifier of the state
        :raises NotFound: there is no such state
        """
        return DICTIONARIES["states"].read_one(id)

    def state_by_code(self, code: str) -> StateRecord:
        """Read a state by its code (county or department).

        If several countries have the code, the state with the lowest ID is returned.

        :url: GET ../setup/dictionary/states/byCode/{code}
        :param code: such as 69
        :raises NotFound: there is no such state
        """
        return DICTIONARIES["states"].read_first(code, "code_departement")

    def entry(self, name: str, id: int, lang: str = "") -> AnyEntry:
        """Read one entry of any dictionary; the right is that of its list.

        :url: GET ../setup/dictionary/{name}/{id}
        :param name: name of the dictionary, such as vat_rates
        :param id: identifier of the entry
        :param lang: language of the label, such as fr or fr_FR; English when empty
        :raises NotFound: there is no such dictionary, or no such entry
        """
        asked = dictionary(name)
        if asked.right:
            self.user.require(asked.right)
        return asked.read_one(id, lang=lang)

    # Changing ---------------------------------------------------------------------------------------------------------

    def add(self, name: str, request_data: AnyEntry) -> int:
        """Add an entry to a dictionary; answers its identifier, 10000 or more. `GET /dictionaries` tells the fields.

        :url: POST ../setup/dictionary/{name}
        :param name: name of the dictionary, such as vat_rates
        :raises BadRequest: a field is missing or does not fit
        :raises NotFound: there is no such dictionary
        :raises Refused: the code is already used
        :permission: write
        """
        return dictionary(name).add(request_data)

    def change(self, name: str, id: int, request_data: AnyEntry) -> AnyEntry:
        """Change an entry of a dictionary: the fields that are sent. A changed label is shown so in every language.

        :url: PUT ../setup/dictionary/{name}/{id}
        :url: PATCH ../setup/dictionary/{name}/{id}
        :param name: name of the dictionary, such as vat_rates
        :param id: identifier of the entry
        :raises BadRequest: a field does not fit
        :raises NotFound: there is no such dictionary, or no such entry
        :raises Refused: the code is already used, or records name the entry by it
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: write
        """
        dictionary(name).alter(id, request_data)
        return dictionary(name).read_one(id)

    def remove(self, name: str, id: int) -> Removal:
        """Delete an entry of a dictionary; one that is in use is hidden (active 0) and stays.

        :url: DELETE ../setup/dictionary/{name}/{id}
        :param name: name of the dictionary, such as vat_rates
        :param id: identifier of the entry
        :raises NotFound: there is no such dictionary, or no such entry
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: delete
        """
        return removal(dictionary(name), id)


for _each in DICTIONARIES.values():
    setattr(Dictionaries, _each.name, list_operation(_each))
