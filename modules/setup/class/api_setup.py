"""The setup over HTTP: company, constants, modules, definitions of extra fields, dictionaries."""

from typing import Annotated, Any

from core import Api, ListQuery, catalogue, define, redefine, undefine

from ...dictionaries.countries import list_countries, read_country
from ...dictionaries.lists import listed
from ...dictionaries.models import (
    Availability,
    ContactRole,
    Country,
    Origin,
    PaymentTerm,
    PaymentType,
    ShippingMethod,
    Unit,
    VatRate,
)
from ..company import Company, change_company, company
from ..extrafields import ChangedDefinition, Definition, NewDefinition, all_definitions, definition, definition_id
from ..listing import change_constant, constants, remove_constant, show_constant
from ..models import Constant

ConstantRecord = Annotated[dict[str, Any], Constant]
CountryRecord = Annotated[dict[str, Any], Country]


class Setup(Api):
    """What an administrator sets: the company, constants, extra fields; and the dictionaries that records refer to."""

    def get_company(self) -> Company:
        """Read the own company.

        :permission: setup.read
        """
        return company()

    def put_company(self, request_data: Company) -> Company:
        """Change the fields of the own company that the body gives. Any of those of the country sets all three.

        :raises BadRequest: a value does not fit; there is no such country, or its fields name different ones
        :permission: setup.write
        """
        change_company(request_data)
        return company()

    def get_modules(self) -> list[str]:
        """List the modules that serve something.

        :permission: setup.read
        """
        return sorted({service.module for service in catalogue().services.values()})

    # Constants -------------------------------------------------------------------------------------------------------

    def get_conf(self, query: ListQuery) -> list[ConstantRecord]:
        """List the constants that are set; the value of one whose name looks like a secret's is null.

        :permission: setup.read
        """
        return constants.page(query)

    def get_constant(self, constantname: str) -> str:
        """Read the value of a constant.

        :url: GET conf/{constantname}
        :param constantname: name of the constant, such as MAIN_MONNAIE
        :raises Forbidden: its name looks like that of a secret
        :raises NotFound: it is not set
        :permission: setup.read
        """
        return show_constant(constantname)

    def put_constant(self, constantname: str, value: str) -> int:
        """Set a constant.

        :url: PUT conf/{constantname}
        :param constantname: capital letters, digits and _
        :param value: its value {@max 16000}
        :raises BadRequest: the name cannot be one, or what reads the constant could not use the value
        :permission: setup.write
        """
        change_constant(constantname, value)
        return 1

    def delete_constant(self, constantname: str) -> int:
        """Remove a constant, so that its default counts again.

        :url: DELETE conf/{constantname}
        :param constantname: name of the constant
        :raises NotFound: it is not set
        :permission: setup.write
        """
        remove_constant(constantname)
        return 1

    # Extra fields ----------------------------------------------------------------------------------------------------

    def get_extrafields(
        self, sortfield: str = "t.pos", sortorder: str = "ASC", type: str = "", sqlfilters: str = ""
    ) -> dict[str, dict[str, Definition]]:
        """List the definitions of extra fields: kind of record → name → definition.

        :param sortfield: fields to sort by, separated by commas
        :param sortorder: ASC or DESC for each of them
        :param type: only those of this kind of record, such as propal
        :param sqlfilters: conditions such as (t.label:like:'A%')
        :permission: setup.read
        """
        query = ListQuery(sqlfilters, sortfield, sortorder, limit=0)
        return all_definitions(query, type)

    def get_extrafield(self, elementtype: str, attrname: str) -> Definition:
        """Read one definition.

        :url: GET extrafields/{elementtype}/{attrname}
        :param elementtype: kind of record, such as propal
        :param attrname: name of the extra field
        :raises NotFound: there is no such extra field
        :permission: setup.read
        """
        return definition(elementtype, attrname)

    def post_extrafield(self, elementtype: str, attrname: str, request_data: NewDefinition) -> int:
        """Define an extra field, usable at once on every worker; answers the definition's row identifier.

        :url: POST extrafields/{elementtype}/{attrname}
        :idempotency: apart
        :param elementtype: kind of record, such as propal
        :param attrname: name of the extra field: lower-case letters, digits and _
        :raises BadRequest: the definition is not complete, or the name is taken
        :raises NotFound: there is no such kind of record
        :permission: setup.write
        """
        define(elementtype, attrname, request_data)
        return definition_id(elementtype, attrname)

    def put_extrafield(self, elementtype: str, attrname: str, request_data: ChangedDefinition) -> Definition:
        """Change a definition; its type and size stay.

        :url: PUT extrafields/{elementtype}/{attrname}
        :param elementtype: kind of record, such as propal
        :param attrname: name of the extra field
        :raises BadRequest: a value does not fit, or the type is another one
        :raises NotFound: there is no such extra field
        :permission: setup.write
        """
        redefine(elementtype, attrname, request_data)
        return definition(elementtype, attrname)

    def delete_extrafield(self, elementtype: str, attrname: str) -> int:
        """Remove an extra field with all its values.

        :url: DELETE extrafields/{elementtype}/{attrname}
        :param elementtype: kind of record, such as propal
        :param attrname: name of the extra field
        :raises NotFound: there is no such extra field
        :permission: setup.write
        """
        undefine(elementtype, attrname)
        return 1

    # Dictionaries ----------------------------------------------------------------------------------------------------

    def payment_terms(self, query: ListQuery, active: int = 1) -> list[Annotated[dict[str, Any], PaymentTerm]]:
        """List terms of payment.

        :url: GET dictionary/payment_terms
        :param active: {@values 1 those that are offered, 0 the hidden ones} {@min 0} {@max 1}
        :permission: proposals.read or orders.read or invoices.read
        """
        return listed("payment_terms", query, active=active)

    def payment_types(self, query: ListQuery, active: int = 1) -> list[Annotated[dict[str, Any], PaymentType]]:
        """List modes of payment.

        :url: GET dictionary/payment_types
        :param active: {@values 1 those that are offered, 0 the hidden ones} {@min 0} {@max 1}
        :permission: proposals.read or orders.read or invoices.read
        """
        return listed("payment_types", query, active=active)

    def vat_rates(
        self, query: ListQuery, country: int = 0, active: int = 1
    ) -> list[Annotated[dict[str, Any], VatRate]]:
        """List rates of VAT.

        :url: GET dictionary/vat_rates
        :param country: only those of the country with this identifier {@min 0}
        :param active: {@values 1 those that are offered, 0 the hidden ones} {@min 0} {@max 1}
        """
        return listed("vat_rates", query, active=active, country_id=country or None)

    def units(self, query: ListQuery, active: int = 1) -> list[Annotated[dict[str, Any], Unit]]:
        """List units of measure.

        :url: GET dictionary/units
        :param active: {@values 1 those that are offered, 0 the hidden ones} {@min 0} {@max 1}
        """
        return listed("units", query, active=active)

    def contact_types(
        self, query: ListQuery, type: str = "", module: str = "", active: int = 1
    ) -> list[Annotated[dict[str, Any], ContactRole]]:
        """List the roles that contacts can have in documents.

        :url: GET dictionary/contact_types
        :param type: only for this kind of document: propal, commande, facture
        :param module: only those this module brought
        :param active: {@values 1 those that are offered, 0 the hidden ones} {@min 0} {@max 1}
        """
        return listed("contact_types", query, active=active, element=type, module=module)

    def countries(self, query: ListQuery, filter: str = "", lang: str = "") -> list[CountryRecord]:
        """List countries.

        :url: GET dictionary/countries
        :param filter: only those whose name holds this text
        :param lang: language of the names, such as fr or fr_FR; English when empty
        """
        return list_countries(query, filter, lang)

    def country(self, id: int, lang: str = "") -> CountryRecord:
        """Read one country.

        :url: GET dictionary/countries/{id}
        :param id: identifier of the country
        :param lang: language of the name, such as fr or fr_FR; English when empty
        :raises NotFound: there is no such country
        """
        return read_country(id, lang=lang)

    def country_by_code(self, code: str, lang: str = "") -> CountryRecord:
        """Read the country with a code of two letters.

        :url: GET dictionary/countries/byCode/{code}
        :param code: ISO 3166-1 code, such as FR
        :param lang: language of the name, such as fr or fr_FR; English when empty
        :raises NotFound: there is no such country
        """
        return read_country(code, "code", lang)

    def country_by_iso(self, iso: str, lang: str = "") -> CountryRecord:
        """Read the country with a code of three letters.

        :url: GET dictionary/countries/byISO/{iso}
        :param iso: ISO 3166-1 code, such as FRA
        :param lang: language of the name, such as fr or fr_FR; English when empty
        :raises NotFound: there is no such country
        """
        return read_country(iso, "code_iso", lang)

    def availability(self, query: ListQuery, active: int = 1) -> list[Annotated[dict[str, Any], Availability]]:
        """List how soon something can be had.

        :url: GET dictionary/availability
        :param active: {@values 1 those that are offered, 0 the hidden ones} {@min 0} {@max 1}
        :permission: orders.read
        """
        return listed("availability", query, active=active)

    def ordering_origins(self, query: ListQuery, active: int = 1) -> list[Annotated[dict[str, Any], Origin]]:
        """List what makes customers order.

        :url: GET dictionary/ordering_origins
        :param active: {@values 1 those that are offered, 0 the hidden ones} {@min 0} {@max 1}
        :permission: orders.read
        """
        return listed("ordering_origins", query, active=active)

    def shipping_methods(self, query: ListQuery, active: int = 1) -> list[Annotated[dict[str, Any], ShippingMethod]]:
        """List the ways goods travel.

        :url: GET dictionary/shipping_methods
        :param active: {@values 1 those that are offered, 0 the hidden ones} {@min 0} {@max 1}
        """
        return listed("shipping_methods", query, active=active)
