"""Types of the values in responses and bodies of documents that are not fields; the explorer shows them.

``Annotated[int, Contact.id]`` is converted as this field is, ``Annotated[int, IntegerField]`` as any field of this
class: to text, if the profile returns columns as text.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Literal, Never, TypedDict

from peewee import IntegerField

from core.for_natives import ByProfile, OnlyWhere

from ..dictionaries.models import ContactRole
from ..products.models import Product
from ..thirdparties.models import Contact

#: kind of document → one ID, several IDs, or, in a response, ID of the link → ID of the document
Links = dict[str, int | str | list[int | str] | dict[str, int | str]] | list[Never] | None


class RoleRow(TypedDict):
    """A contact, or a user, with a role in a document."""

    socid: Annotated[int | None, Contact.socid, "third party of the contact; null for a user"]
    id: Annotated[int, IntegerField, "row identifier of the contact, of the user where the source is internal"]
    nom: Annotated[str | None, "the same as lastname"]
    civility: Annotated[str, "code of the form of address; empty: none"]
    lastname: Annotated[str | None, "last name"]
    firstname: Annotated[str | None, "first name"]
    email: Annotated[str | None, "email address"]
    login: Annotated[str, "login of a user; empty for a contact"]
    photo: Annotated[Literal[""], "always empty"]
    statuscontact: Annotated[int | None, IntegerField, "1: contact or user are active, 0: disabled"]
    source: Annotated[str, ContactRole.source, "external: a contact, internal: a user"]
    rowid: Annotated[int, IntegerField, "names that this person has this role here"]
    code: Annotated[str, "the role, such as BILLING"]
    libelle: Annotated[str, "the role in words"]
    status: Annotated[int, IntegerField, "always 4"]
    fk_c_type_contact: Annotated[int, ContactRole.id, "row identifier of the role in its dictionary"]


#: values only in the profile of Dolibarr 16
RECORDED = OnlyWhere("documents_as_recorded")
#: selects the first or the second type of margins, by profile
MARGINS = ByProfile("margins_as_text")


class PlainAnswers(TypedDict, total=False):
    """What the record of a document without prices holds besides its fields and lines."""

    contacts_ids: Annotated[
        list[Annotated[int, Contact.id]] | list[RoleRow] | None,
        "contacts with a role in the document; with contact_list=0 as objects, with -1 null",
    ]
    linkedObjectsIds: Annotated[
        dict[str, dict[str, Annotated[int, IntegerField]]] | None,
        "documents it is linked with: kind → identifier of the link → row identifier; null in lists",
    ]
    linkedObjectsFullLoaded: Annotated[
        dict[str, Literal[True]] | list[Never],
        RECORDED,
        "whether linkedObjectsIds is complete, by the ID of the document; empty in lists, and after some actions",
    ]
    oldref: Annotated[str, RECORDED, "reference before, in the answer of `validate`"]
    brouillon: Annotated[
        Annotated[Literal[0, 1] | None, "1: it is a draft; 0: it has just been validated"]
        | Annotated[Literal[1] | None, "1: it is a draft"],
        ByProfile("documents_as_recorded"),
    ]


class DocumentAnswers(PlainAnswers, total=False):
    """What the record of a document holds besides its fields and lines."""

    cond_reglement_code: Annotated[str | None, "code of the terms of payment"]
    cond_reglement_doc: Annotated[str | None, "terms of payment as they are printed"]
    mode_reglement_code: Annotated[str | None, "code of the mode of payment"]
    origin: Annotated[str, "kind of document that it has just been made of, such as propal"]
    origin_id: Annotated[int, IntegerField, "row identifier of the document that it has just been made of"]


class DocumentAccepts(TypedDict, total=False):
    """What the body of a document may say besides fields and lines."""

    linked_objects: Annotated[
        Links, 'links a new document with others: {"commande": 12} or {"commande": [12, 13]}; changes ignore it'
    ]
    linkedObjectsIds: Annotated[Links, "linked documents, if linked_objects is empty"]


class PricedAccepts(DocumentAccepts, total=False):
    """Keys of the body of a document with prices that are not fields or lines."""

    cond_reglement_code: Annotated[str | None, "code of the terms of payment, in place of cond_reglement_id"]
    mode_reglement_code: Annotated[str | None, "code of the mode of payment, in place of mode_reglement_id"]


class OfferAccepts(PricedAccepts, total=False):
    """Keys of the body of a proposal or an order that are not fields or lines."""

    availability_code: Annotated[str | None, "code of the time of delivery, in place of availability_id"]
    demand_reason_code: Annotated[str | None, "code of what brought the customer, in place of demand_reason_id"]


class LineAnswers(TypedDict, total=False):
    """What the record of a line holds besides its fields."""

    product_ref: Annotated[str | None, "reference of the product"]
    product_label: Annotated[str | None, "label of the product"]
    product_desc: Annotated[str | None, "description of the product"]
    product_barcode: Annotated[str | None, "barcode of the product"]
    fk_product_type: Annotated[int | None, Product.type]
    product_tosell: Annotated[int | None, Product.status, "1: the product is for sale today"]
    product_tobuy: Annotated[int | None, Product.status_buy, "1: it is bought today"]
    product_tobatch: Annotated[int | None, Product.status_batch, "1: the product has lot numbers"]
    weight: Annotated[str | None, Product.weight, "of one piece of the product, in weight_units"]
    weight_units: Annotated[int | None, Product.weight_units]
    volume: Annotated[str | None, Product.volume, "of one piece of the product, in volume_units"]
    volume_units: Annotated[int | None, Product.volume_units]
    price: Annotated[str | None, "price of one unit less discount, before taxes"]
    ref: Annotated[str | None, "the same as product_ref"]
    libelle: Annotated[str | None, "the same as product_label"]
    marge_tx: Annotated[
        Annotated[str | None, "margin over what the unit costs, percent of the cost; null or empty: no cost"]
        | Annotated[float | Literal[""], "margin over what the unit costs, percent of the cost; empty: no cost"],
        MARGINS,
    ]
    marque_tx: Annotated[
        Annotated[str | Literal[100] | None, "margin, percent of the price less discount; 100: no cost, null: no price"]
        | Annotated[float | Literal[""], "margin, percent of the price less discount; 100: no cost, empty: no price"],
        MARGINS,
    ]


class LineAccepts(TypedDict, total=False):
    """What the body of a line may say besides fields."""

    price_base_type: Annotated[
        Literal["HT", "TTC", ""] | None, "TTC: subprice includes taxes; else it is the price before taxes"
    ]
    tva_tx: Annotated[Decimal | str, "VAT rate in percent, from 0; `20 (CODE)` includes its code"]
