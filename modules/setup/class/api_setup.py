"""The setup over HTTP: company, constants, modules, definitions of extra fields."""

from typing import Annotated, Any

from core import Api, ListQuery, catalogue, define, redefine, undefine

from ..company import change_company, company
from ..extrafields import all_definitions, definition, definition_id
from ..listing import change_constant, constants, remove_constant, show_constant
from ..models import Constant

ConstantRecord = Annotated[dict[str, Any], Constant]


class Setup(Api):
    """What an administrator sets: the company, constants, extra fields."""

    def get_company(self) -> dict[str, Any]:
        """Read the own company.

        :permission: setup.read
        """
        return company()

    def put_company(self, request_data: dict[str, Any]) -> dict[str, Any]:
        """Change the fields of the own company that the body gives.

        :raises BadRequest: a value does not fit
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
        :raises BadRequest: the name cannot be one
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
    ) -> dict[str, Any]:
        """List the definitions of extra fields: kind of record → name → definition.

        :param sortfield: fields to sort by, separated by commas
        :param sortorder: ASC or DESC for each of them
        :param type: only those of this kind of record, such as propal
        :param sqlfilters: conditions such as (t.label:like:'A%')
        :permission: setup.read
        """
        query = ListQuery(sqlfilters, sortfield, sortorder, limit=0)
        return all_definitions(query, type)

    def get_extrafield(self, elementtype: str, attrname: str) -> dict[str, Any]:
        """Read one definition.

        :url: GET extrafields/{elementtype}/{attrname}
        :param elementtype: kind of record, such as propal
        :param attrname: name of the extra field
        :raises NotFound: there is no such extra field
        :permission: setup.read
        """
        return definition(elementtype, attrname)

    def post_extrafield(self, elementtype: str, attrname: str, request_data: dict[str, Any]) -> int:
        """Define an extra field, usable at once on every worker.

        The body may say `label`, `type` (both needed), `size`, `default`, `unique`, `required`, `param` and `pos`.

        :url: POST extrafields/{elementtype}/{attrname}
        :param elementtype: kind of record, such as propal
        :param attrname: name of the extra field: lower-case letters, digits and _
        :raises BadRequest: the definition is not complete, or the name is taken
        :raises NotFound: there is no such kind of record
        :permission: setup.write
        """
        define(elementtype, attrname, request_data)
        return definition_id(elementtype, attrname)

    def put_extrafield(self, elementtype: str, attrname: str, request_data: dict[str, Any]) -> dict[str, Any]:
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
