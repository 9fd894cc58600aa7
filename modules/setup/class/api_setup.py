"""The setup over HTTP: company, constants, modules, definitions of extra fields."""

from typing import Annotated, Any

from core import Api, Forbidden, ListQuery, catalogue, define, redefine, undefine

from ...answers.deeds import Removed, removed
from ..company import Company, change_company
from ..company_record import CompanyRecord, company_record
from ..establishments import establishments
from ..extrafields import ChangedDefinition, Definition, NewDefinition, all_definitions, definition, definition_id
from ..integrity import Integrity, check_integrity
from ..listing import change_constant, constants, remove_constant, show_constant
from ..models import Constant, Establishment
from ..recorded_names import kind_named, module_names

ConstantRecord = Annotated[dict[str, Any], Constant]
EstablishmentRecord = Annotated[dict[str, Any], Establishment]


class Setup(Api):
    """What an administrator sets: the company, constants, extra fields."""

    def get_company(self) -> CompanyRecord:
        """Read the own company.

        :permission: setup.read
        """
        return company_record()

    def put_company(self, request_data: Company) -> CompanyRecord:
        """Change the own company: the fields that the body gives. Any of those of the country sets all three.

        :raises BadRequest: a value does not fit; there is no such country, or its fields name different ones
        :permission: setup.write
        """
        change_company(request_data)
        return company_record()

    def get_modules(self) -> list[str]:
        """List modules, those that serve something, by their names in Dolibarr where it has one: facture, societe …

        :permission: setup.read
        """
        return module_names(service.module for service in catalogue().services.values())

    # Constants -------------------------------------------------------------------------------------------------------

    def get_conf(self, query: ListQuery) -> list[ConstantRecord]:
        """List constants, those that are set; the value of a secret is null.

        :permission: setup.read
        """
        return constants.page(query)

    def get_constant(self, constantname: str) -> str:
        """Read the value of a constant.

        :url: GET conf/{constantname}
        :param constantname: name of the constant, such as MAIN_MONNAIE
        :raises Forbidden: its name looks like that of a secret, or its value holds a URL with a password
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

    def delete_constant(self, constantname: str) -> Removed:
        """Remove a constant, so that its default counts again.

        :url: DELETE conf/{constantname}
        :param constantname: name of the constant
        :raises NotFound: it is not set
        :permission: setup.write
        """
        remove_constant(constantname)
        return removed("Constant deleted")

    # Extra fields ----------------------------------------------------------------------------------------------------

    def get_extrafields(
        self, sortfield: str = "t.pos", sortorder: str = "ASC", type: str = "", sqlfilters: str = ""
    ) -> dict[str, dict[str, Definition]]:
        """List the definitions of extra fields: kind of record → name → definition.

        :param sortfield: fields to sort by, separated by commas
        :param sortorder: ASC or DESC for each of them
        :param type: only those of this kind of record, such as propal or thirdparty
        :param sqlfilters: conditions such as (t.label:like:'A%')
        :permission: setup.read
        """
        query = ListQuery(sqlfilters, sortfield, sortorder, limit=0)
        return all_definitions(query, type)

    def get_extrafield(self, elementtype: str, attrname: str) -> Definition:
        """Read the definition of an extra field.

        :url: GET extrafields/{elementtype}/{attrname}
        :param elementtype: kind of record, such as propal or proposal
        :param attrname: name of the extra field
        :raises NotFound: there is no such extra field
        :permission: setup.read
        """
        return definition(elementtype, attrname)

    def post_extrafield(self, elementtype: str, attrname: str, request_data: NewDefinition) -> int:
        """Define an extra field, usable at once on every worker; answers the definition's row identifier.

        :url: POST extrafields/{elementtype}/{attrname}
        :idempotency: apart
        :param elementtype: kind of record, such as propal or proposal
        :param attrname: name of the extra field: lower-case letters, digits and _
        :raises BadRequest: the definition is not complete, or the name is taken
        :raises NotFound: there is no such kind of record
        :permission: setup.write
        """
        define(kind_named(elementtype), attrname, request_data)
        return definition_id(elementtype, attrname)

    def put_extrafield(self, elementtype: str, attrname: str, request_data: ChangedDefinition) -> Definition:
        """Change the definition of an extra field; its type and size stay.

        :url: PUT extrafields/{elementtype}/{attrname}
        :param elementtype: kind of record, such as propal or proposal
        :param attrname: name of the extra field
        :raises BadRequest: a value does not fit, or the type is another one
        :raises NotFound: there is no such extra field
        :permission: setup.write
        """
        redefine(kind_named(elementtype), attrname, request_data)
        return definition(elementtype, attrname)

    def delete_extrafield(self, elementtype: str, attrname: str) -> Removed:
        """Remove an extra field with all its values.

        :url: DELETE extrafields/{elementtype}/{attrname}
        :param elementtype: kind of record, such as propal or proposal
        :param attrname: name of the extra field
        :raises NotFound: there is no such extra field
        :permission: setup.write
        """
        undefine(kind_named(elementtype), attrname)
        return removed("Extra field deleted")

    # Establishments --------------------------------------------------------------------------------------------------

    def get_establishments(self, query: ListQuery) -> list[EstablishmentRecord]:
        """List establishments, the places where the company works.

        :access: protected
        """
        return establishments.page(query)

    def get_establishment(self, id: int) -> EstablishmentRecord:
        """Read one establishment, a place where the company works.

        :url: GET establishments/{id}
        :param id: row identifier of the establishment
        :raises NotFound: there is no such establishment
        :access: protected
        """
        return establishments.read(id)

    def post_establishment(self, request_data: EstablishmentRecord) -> int:
        """Add an establishment, a place where the company works; answers its identifier.

        :url: POST establishments
        :raises BadRequest: a field is missing or does not fit
        :permission: setup.write
        """
        return establishments.create(request_data)

    def put_establishment(self, id: int, request_data: EstablishmentRecord) -> EstablishmentRecord:
        """Change an establishment: the fields that are sent.

        :url: PUT establishments/{id}
        :url: PATCH establishments/{id}
        :param id: row identifier of the establishment
        :raises BadRequest: a field does not fit
        :raises NotFound: there is no such establishment
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: setup.write
        """
        establishments.change(id, request_data)
        return establishments.answer(id)

    def delete_establishment(self, id: int) -> Removed:
        """Delete an establishment.

        :url: DELETE establishments/{id}
        :param id: row identifier of the establishment
        :raises NotFound: there is no such establishment
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: setup.write
        """
        establishments.delete(id)
        return removed("Establishment deleted")

    # The installation -------------------------------------------------------------------------------------------------

    def checkintegrity(self, target: str) -> Integrity:
        """Check the installed files: compare them with the names and SHA-256 of the release's own list.

        :param target: {@choice local}
        :raises Forbidden: the caller is no administrator
        :raises NotFound: no list is known, as in a checkout
        :permission: setup.read
        """
        if not self.user.admin:
            raise Forbidden("only administrators may call this", dolibarr="Error API open to admin users only")
        return check_integrity()
