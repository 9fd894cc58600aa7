"""All dictionaries, as data: name, shown fields, sorting, and the columns that reference their entries."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from core import NotFound, profile

from .dictionary import Dictionary
from .entries import entries
from .filters import OFFERED, Filter
from .models import (
    Availability,
    Civility,
    CompanyType,
    ContactProspectLevel,
    ContactProspectStatus,
    ContactRole,
    Country,
    Currency,
    Department,
    EventType,
    ExpenseType,
    Function,
    Incoterm,
    LeadStatus,
    LegalForm,
    OrderingMethod,
    Origin,
    PaymentTerm,
    PaymentType,
    ProductNature,
    ProposalStatusLabel,
    ProspectLevel,
    ProspectStatus,
    Region,
    ResourceType,
    ShippingMethod,
    SocialNetwork,
    Staff,
    State,
    TicketCategory,
    TicketResolution,
    TicketSeverity,
    TicketType,
    Town,
    TransportMode,
    Unit,
    VatRate,
)

_SALES = "proposals.read or orders.read or invoices.read"
_ORDERS = "orders.read"

_MODULE = Filter("module", "only this module {@max 32}", "module")
_TYPE = Filter("type", "only this type {@max 50}", "type")
_COUNTRY = Filter("country", "only this country {@min 0}", "country_id", 0)


def _regions_of(_: Dictionary, country: int) -> list[int]:
    rows = entries(Region).values()
    return [row.code_region for row in rows if row.country_id == country]


def _named(dictionary: Dictionary, text: str) -> list[int]:
    return dictionary.named(text)


class States(Dictionary):
    """States, counties, departments."""

    def complete(self, records: list[dict[str, Any]]) -> None:
        """Add the country, which is a field of the state's region."""
        super().complete(records)
        as_text = profile().text_values
        countries = {row.code_region: row.country_id for row in entries(Region).values()}
        for record in records:
            country = countries.get(int(record["region_code"]))
            record["country_id"] = str(country) if country is not None and as_text else country


_ALL = (
    Dictionary(
        Availability, "availability", "delivery times", shown="rowid code label", right=_ORDERS,
        columns="fk_availability availability_id",
    ),
    Dictionary(Civility, "civilities", "titles of people", recorded="rowid code label module",
               filters=(_MODULE, OFFERED), by="code", columns="civility civility_code"),
    Dictionary(CompanyType, "company_types", "types of company", sort="id", filters=(_COUNTRY, OFFERED),
               columns="fk_typent typent_id"),
    Dictionary(
        ContactRole, "contact_types", "roles of contacts",
        shown="rowid code type label source module position", columns="fk_c_type_contact",
        filters=(
            Filter("type", "only for this kind of document: propal, commande, facture … {@max 30}", "element"),
            _MODULE, OFFERED,
        ),
    ),
    Dictionary(ContactProspectLevel, "contact_prospect_levels", "prospect levels of contacts",
               sort="sortorder", by="code", columns="fk_prospectcontactlevel"),
    Dictionary(ContactProspectStatus, "contact_prospect_statuses", "prospect statuses of contacts",
               sort="id", columns="fk_stcommcontact"),
    Dictionary(
        Country, "countries", "countries", noun="Country", shown="id code code_iso label active",
        filters=(Filter("filter", "part of the name", "id", find=_named),),
        names="territories", key="code", columns="fk_pays fk_country country_id",
        constants="MAIN_INFO_SOCIETE_COUNTRY",
    ),
    Dictionary(
        Currency, "currencies", "currencies", recorded="code_iso label unicode", sort="code_iso", names="currencies",
        key="code_iso", by="code_iso", columns="multicurrency_code currency_code", constants="MAIN_MONNAIE",
        filters=(
            Filter(
                "multicurrency",
                "{@values 0 all, 1 those with a rate, 2 those with several (none: no rates are kept)} {@min 0} "
                "{@max 2}", "id", 0, find=lambda *_: [],
            ),
            OFFERED,
        ),
    ),
    Dictionary(EventType, "event_types", "types of event", filters=(_TYPE, _MODULE, OFFERED),
               columns="fk_action"),
    Dictionary(ExpenseType, "expensereport_types", "types of expense", filters=(_MODULE, OFFERED),
               columns="fk_c_type_fees"),
    Dictionary(Department, "hrm_departments", "company departments", sort="pos",
               columns="fk_hrm_department"),
    Dictionary(Function, "hrm_functions", "job functions", sort="pos", columns="fk_hrm_function"),
    Dictionary(Incoterm, "incoterms", "Incoterms", names="", columns="fk_incoterms"),
    Dictionary(LeadStatus, "lead_statuses", "lead statuses", sort="position", columns="fk_opp_status"),
    Dictionary(LegalForm, "legal_form", "legal forms", sort="id", names="", by="code",
               filters=(_COUNTRY, OFFERED), columns="fk_forme_juridique",
               constants="MAIN_INFO_SOCIETE_FORME_JURIDIQUE"),
    Dictionary(OrderingMethod, "ordering_methods", "ordering methods", right=_ORDERS,
               columns="fk_input_method"),
    Dictionary(Origin, "ordering_origins", "order sources", shown="rowid code label module",
               right=_ORDERS, columns="fk_input_reason demand_reason_id"),
    Dictionary(
        PaymentTerm, "payment_terms", "payment terms", sort="sortorder", right=_SALES, translated="label descr",
        shown="id code sortorder label descr type_cdr nbjour decalage module",
        columns="fk_cond_reglement cond_reglement cond_reglement_supplier cond_reglement_id "
        "retained_warranty_fk_cond_reglement",
    ),
    Dictionary(
        PaymentType, "payment_types", "payment types", shown="id code type label module", right=_SALES,
        columns="fk_mode_reglement mode_reglement mode_reglement_supplier mode_reglement_id fk_paiement fk_typepayment",
    ),
    Dictionary(ProductNature, "product_natures", "product natures", by="code",
               columns="llx_product.finished"),
    Dictionary(ProposalStatusLabel, "proposal_statuses", "labels of proposal statuses", sort="id",
               columns="llx_propal.fk_statut"),
    Dictionary(ProspectLevel, "prospect_levels", "prospect levels of third parties",
               sort="sortorder", by="code", columns="fk_prospectlevel"),
    Dictionary(ProspectStatus, "prospect_statuses", "prospect statuses of third parties", sort="id",
               columns="fk_stcomm"),
    Dictionary(Region, "regions", "regions", sort="code_region", names="", translated="name",
               filters=(_COUNTRY, OFFERED), by="code_region", columns="fk_region"),
    Dictionary(ResourceType, "resource_types", "types of resource", by="code",
               columns="fk_code_type_resource"),
    Dictionary(
        ShippingMethod, "shipping_methods", "shipping methods", translated="label description",
        shown="id code label description tracking module", columns="fk_shipping_method shipping_method_id",
    ),
    Dictionary(SocialNetwork, "socialnetworks", "social networks", sort="id", names="", by="code",
               columns="socialnetworks"),
    Dictionary(Staff, "staff", "company sizes", sort="id", names="", columns="fk_effectif effectif_id"),
    States(
        State, "states", "states and departments", noun="State", sort="code_departement", names="",
        translated="name", columns="fk_departement fk_state state_id fk_county", constants="MAIN_INFO_SOCIETE_STATE",
        filters=(
            replace(_COUNTRY, field="region_code", find=_regions_of),
            Filter("filter", "part of the name {@max 100}", "name", within=True),
        ),
    ),
    Dictionary(TicketCategory, "ticket_categories", "ticket categories", by="code", columns="category_code"),
    Dictionary(TicketResolution, "ticket_resolutions", "ticket resolutions", by="code", columns="resolution"),
    Dictionary(TicketSeverity, "ticket_severities", "ticket severities", by="code",
               columns="severity_code"),
    Dictionary(TicketType, "ticket_types", "ticket types", by="code", columns="type_code"),
    Dictionary(
        Town, "towns", "towns", sort="zip,town", names="", translated="town",
        filters=(
            Filter("zipcode", "part of the postal code {@max 10}", "zip", within=True),
            Filter("town", "part of the name {@max 100}", "town", within=True),
            OFFERED,
        ),
    ),
    Dictionary(TransportMode, "transport_modes", "transport modes", columns="fk_transport_mode"),
    Dictionary(Unit, "units", "units", sort="rowid", columns="fk_unit",
               shown="rowid code label short_label active scale unit_type"),
    Dictionary(
        VatRate, "vat_rates", "VAT rates", sort="country_id,rowid", translated="note", by="rate", copied=True,
        columns="tva_tx", filters=(_COUNTRY, OFFERED),
        shown="id country_id code rate localtax1 localtax1_type localtax2 localtax2_type recuperableonly note active",
    ),
)  # fmt: skip

#: by name in the API
DICTIONARIES = {each.name: each for each in _ALL}


def dictionary(name: str) -> Dictionary:
    """Return the dictionary with a name.

    :raises NotFound: no such dictionary
    """
    found = DICTIONARIES.get(name.lower())
    if found is None:
        raise NotFound(f"Dictionary {name[:40]} not found")
    return found
