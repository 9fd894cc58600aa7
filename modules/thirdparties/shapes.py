"""Fields of third parties, contacts and discounts in addition to the columns, in responses and bodies."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypedDict

from peewee import IntegerField

from core import Account, ExactField

from ..dictionaries.codes import PlaceCodes


class LeftField(ExactField):
    """Format of an amount that is left to use or pay: like Dolibarr 16, without trailing zeros."""

    def __init__(self, **options: Any) -> None:
        super().__init__(24, 8, trimmed=True, **options)


#: the column that formats such an amount in `as_column`
LEFT = LeftField()


class ThirdpartyAnswers(TypedDict, total=False):
    """What a third party holds besides its columns."""

    country_code: Annotated[str | None, "ISO 3166-1 code of two letters of the country"]
    prospect: Annotated[int, "always 0; see client"]
    region_id: Annotated[None, "the state knows its region"]
    typent_code: Annotated[str | None, "code of the kind of company"]
    effectif: Annotated[str | None, "size of the staff, in words of the language"]
    forme_juridique: Annotated[str | None, "legal form, in words"]
    status_prospect_label: Annotated[str | None, "label of the prospect's status; null without one"]
    absolute_discount: Annotated[
        str,
        LeftField,
        "what was paid in advance and may still be used, taxes included, in the company's currency; not in lists",
    ]
    absolute_creditnote: Annotated[
        str,
        LeftField,
        "what credit notes gave back and may still be used, taxes included, in the company's currency; not in lists",
    ]


class ThirdpartyAccepts(PlaceCodes, total=False):
    """What the body of a third party may say besides its columns."""

    typent_code: Annotated[str | None, "code of the kind of company, in place of typent_id"]
    commercial_id: Annotated[
        int | str | None, "sales representative of the new third party; 0, -1 or empty: none. A change ignores it"
    ]


class ContactAnswers(TypedDict, total=False):
    """What a contact holds besides its columns."""

    country_code: Annotated[str | None, "ISO 3166-1 code of two letters of the country"]
    fk_soc: Annotated[int | None, IntegerField, "another name of socid"]
    socname: Annotated[str | None, "name of the third party"]
    user_id: Annotated[int | None, Account.id, "user who was made from the contact"]
    user_login: Annotated[str | None, "login of that user; null for who may not read users"]
    civility: Annotated[str | None, "form of address, in words of the language"]
    gender: Annotated[Literal["man", "woman"] | None, "derived from the form of address; null if it doesn't imply one"]
    statut_commercial: Annotated[str | None, "where the prospect stands, in words of the language"]
    ref_facturation: Annotated[None, "invoices of the contact aren't counted"]
    ref_contrat: Annotated[None, "contracts of the contact aren't counted"]
    ref_commande: Annotated[None, "orders of the contact aren't counted"]
    ref_propal: Annotated[None, "proposals of the contact aren't counted"]
    roles: Annotated[
        list[str] | None,
        "always empty: documents list their contacts with the roles. Null if one contact is read without includeroles",
    ]


class ContactAccepts(PlaceCodes, total=False):
    """What the body of a contact may say besides its columns."""

    civility_id: Annotated[str | None, "the same as civility_code, and takes precedence over it; ignored if empty"]


class DiscountAnswers(TypedDict, total=False):
    """What a discount holds besides its columns."""

    ref_facture_source: Annotated[str | None, "reference of the invoice that it came from"]
    type_facture_source: Annotated[
        int | None,
        IntegerField,
        "type of that invoice: 0 standard, 1 replacement, 2 credit note, 3 deposit, 5 situation",
    ]
    factype: Annotated[int | None, IntegerField, "another name of type_facture_source"]
