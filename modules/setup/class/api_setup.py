"""The setup over HTTP: company, constants, modules, definitions of extra fields."""

from typing import Annotated, Any

from core import Api, ApiError, ListQuery
from core.for_natives import Event, Removed, catalogue, removed, undefine

from ..company import Company, CompanyRecord, change_company, company_record
from ..extrafields import (
    ChangedDefinition,
    Definition,
    NewDefinition,
    add_definition,
    all_definitions,
    change_definition,
    definition,
)
from ..integrity import Integrity, check_integrity
from ..listing import SettingRecord, change_constant, constants, remove_constant, settings_of_modules, show_constant
from ..models import Constant
from ..recorded_names import kind_named, module_names

ConstantRecord = Annotated[dict[str, Any], Constant]
#: sent before a constant is set
events = {"constant_set": Event("`name` and `value`", secret=("value",))}


class Setup(Api):
    """Settings for administrators: the company, constants and extra fields."""

    group = "Administration"

    def get_company(self) -> CompanyRecord:
        """Read the company's details.

        :permission: setup.read
        """
        return company_record()

    def put_company(self, request_data: Company) -> CompanyRecord:
        """Update the company's details.

        Any country field sets the other two.

        :permission: setup.write
        """
        change_company(request_data)
        return company_record()

    def get_modules(self) -> list[str]:
        """List modules.

        Returns Dolibarr's names, such as facture.

        :permission: setup.read
        """
        return module_names(service.module for service in catalogue().services.values())

    # Constants -------------------------------------------------------------------------------------------------------

    def get_conf(self, query: ListQuery) -> list[ConstantRecord]:
        """List constants.

        Omits unset constants. Secrets are null.

        :permission: setup.read
        """
        return constants.page(query)

    def get_constant(self, constantname: str) -> str:
        """Read a constant.

        :url: GET conf/{constantname}
        :param constantname: such as MAIN_MONNAIE
        :raises 403: its name or value looks like a secret
        :raises NotFound: it is not set
        :permission: setup.read
        """
        return show_constant(constantname)

    def put_constant(self, constantname: str, value: str) -> int:
        """Set a constant.

        :url: PUT conf/{constantname}
        :param constantname: such as MAIN_MONNAIE, or the name of a module's setting
        :param value: new value {@max 16000}
        :unconditional:
        :permission: setup.write
        """
        change_constant(constantname, value)
        return 1

    def delete_constant(self, constantname: str) -> Removed:
        """Remove a constant.

        Its default applies again.

        :url: DELETE conf/{constantname}
        :param constantname: such as MAIN_MONNAIE
        :raises NotFound: it is not set
        :unconditional:
        :permission: setup.write
        """
        remove_constant(constantname)
        return removed("Constant deleted")

    def get_settings(self) -> list[SettingRecord]:
        """List module settings.

        `PUT /setup/conf/{name}` sets one.

        :permission: setup.read
        """
        return settings_of_modules()

    # Extra fields ----------------------------------------------------------------------------------------------------

    def get_extrafields(
        self, sortfield: str = "t.pos", sortorder: str = "ASC", type: str = "", sqlfilters: str = ""
    ) -> dict[str, dict[str, Definition]]:
        """List extra fields.

        Returns definitions by type and name.

        :param sortfield: comma-separated fields
        :param sortorder: ASC or DESC for each field
        :param type: record type, such as propal
        :param sqlfilters: such as (t.label:like:'A%')
        :permission: setup.read
        """
        query = ListQuery(sqlfilters, sortfield, sortorder, limit=0)
        return all_definitions(query, type)

    def get_extrafield(self, elementtype: str, attrname: str) -> Definition:
        """Read an extra field.

        :url: GET extrafields/{elementtype}/{attrname}
        :param elementtype: such as propal
        :permission: setup.read
        """
        return definition(elementtype, attrname)

    def post_extrafield(self, elementtype: str, attrname: str, request_data: NewDefinition) -> int:
        """Create an extra field.

        :url: POST extrafields/{elementtype}/{attrname}
        :idempotency: apart
        :param elementtype: such as propal
        :param attrname: lower-case letters, digits and _
        :permission: setup.write
        """
        return add_definition(elementtype, attrname, request_data)

    def put_extrafield(self, elementtype: str, attrname: str, request_data: ChangedDefinition) -> Definition:
        """Update an extra field.

        Type and size can't change.

        :url: PUT extrafields/{elementtype}/{attrname}
        :param elementtype: such as propal
        :unconditional:
        :permission: setup.write
        """
        return change_definition(elementtype, attrname, request_data)

    def delete_extrafield(self, elementtype: str, attrname: str) -> Removed:
        """Delete an extra field with all its values.

        :url: DELETE extrafields/{elementtype}/{attrname}
        :param elementtype: such as propal
        :unconditional:
        :permission: setup.write
        """
        undefine(kind_named(elementtype), attrname)
        return removed("Extra field deleted")

    # The installation -------------------------------------------------------------------------------------------------

    def checkintegrity(self, target: str) -> Integrity:
        """Check the installed files.

        Compares SHA-256 hashes with the release's list.

        :param target: {@choice local}
        :raises 403: only for administrators
        :raises NotFound: no list of files
        :permission: setup.read
        """
        if not self.user.admin:
            raise ApiError(
                "only administrators can check the installed files",
                dolibarr="Error API open to admin users only",
                reason="missing_permission",
                status=403,
            )
        return check_integrity()
