"""Links between records and categories: one mechanism for all types.

A new type needs a line in `LINKS` (`dictionaries/category_links.py`), a table (`models.py`) and a line in `KINDS`.
`class/api_categorylinks.py` makes the operations from `KINDS`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from core import BadRequest, ListQuery, NotFound, Records, Refused, current_caller, profile, transaction
from core.for_natives import Page

from ..dictionaries.category_links import LINKS, in_category, with_record
from ..products.products import products
from ..thirdparties.contacts import contacts
from ..thirdparties.thirdparties import thirdparties
from ..users.users import users
from .categories import categories, type_of
from .models import Category, ContactLink, CustomerLink, ProductLink, SupplierLink, UserLink


@dataclass(frozen=True)
class Kind:
    """A type of category.

    :param name: its name in a path
    :param noun: the noun for one of its records
    :param links: the links of its records
    :param records: the records that it can contain
    :param ref: the field with the reference used in paths; empty: the records have none
    :param path: path of a record's categories, after the record's path
    :param empty: the message for a record without categories, in the profile that responds with 404; empty: it doesn't
    """

    name: str
    noun: str
    links: Records[Any]
    records: Records[Any]
    ref: str = ""
    path: str = "categories"
    empty: str = ""

    @property
    def type(self) -> int:
        """Return the number of the type."""
        return LINKS[self.name].type

    def require(self, verb: str) -> None:
        """Check that the caller has a permission for the records."""
        caller = current_caller()
        if caller is not None:
            caller.require(f"{self.records.service}.{verb}")


KINDS = {
    each.name: each
    for each in (
        Kind("product", "product", Records(ProductLink), products, "ref"),
        Kind("supplier", "third party", Records(SupplierLink), thirdparties, "code_fournisseur", "supplier_categories"),
        Kind("customer", "third party", Records(CustomerLink), thirdparties, "code_client"),
        Kind("contact", "contact", Records(ContactLink), contacts, empty="No category found"),
        Kind("user", "user", Records(UserLink), users, "login"),
    )
}


def kind_of(word: str) -> Kind:
    """Return the type with a word or number.

    :raises BadRequest: no such type
    """
    type = type_of(word)
    return next(kind for kind in KINDS.values() if kind.type == type)


def categories_of(word: str, record: int, query: ListQuery) -> Page:
    """Return the categories of a record.

    :raises NotFound: no such record, or the caller may not see it
    """
    kind = kind_of(word)
    kind.records.load(record)
    page = categories.page(query, with_record(kind.name, record))
    # Clients read further pages until one is empty
    page.empty = "" if query.page else kind.empty
    return page


def records_in(category: int, query: ListQuery, word: str = "", *, ids_only: bool = False) -> Page:
    """Return the records in a category that the caller may see.

    :param word: the type, if given; rejected if it isn't the category's type
    """
    row = categories.load(category)
    kind = kind_of(word or str(row.type))
    _require_kind(row, kind)
    kind.require("read")
    page = kind.records.page(query, in_category(kind.name, category))
    # An empty list instead of 404, in both profiles
    page.empty = ""
    if ids_only:
        identifiers: Any = [record["id"] for record in page]
        page[:] = identifiers
    return page


def record_named(word: str, ref: str) -> int:
    """Return the ID of a record by its reference.

    :raises BadRequest: records of this type have no references
    :raises NotFound: no such record, or the caller may not see it
    """
    kind = kind_of(word)
    kind.require("write")
    if not kind.ref:
        raise BadRequest(f"a {kind.name} has no reference; use its ID")
    return int(kind.records.read(ref, kind.ref)["id"])


def link(word: str, record: int, category: int) -> dict[str, Any]:
    """Put a record into a category; return the record.

    :raises NotFound: no such record or category, or the caller may not see it
    :raises Refused: the category has another type; in the profile `specification` also if the record is already in it
    """
    with transaction():
        kind = kind_of(word)
        known = _checked(kind, record, category)
        if kind.links.count(known):
            raise profile().repeated_action(
                f"{kind.name} {record} is already in category {category}", reason="already_done"
            )
        kind.links.create({}, **known)
    return kind.records.read(record)


def unlink(word: str, record: int, category: int) -> None:
    """Remove a record from a category.

    :raises NotFound: no such record or category, or the record is not in the category
    :raises Refused: the category has another type
    """
    with transaction():
        kind = kind_of(word)
        _checked(kind, record, category)
        model = kind.links.model
        if not model.delete().where(model.category == category, model.record == record).execute():
            raise NotFound(f"{kind.name} {record} is not in category {category}")


def _checked(kind: Kind, record: int, category: int) -> dict[str, int]:
    """Check a record and a category; return their link. The record is locked, so its links are written in sequence."""
    kind.require("write")
    kind.records.load(record, lock=True, if_match=True)
    _require_kind(categories.load(category), kind)
    return {"category": category, "record": record}


def _require_kind(category: Category, kind: Kind) -> None:
    if category.type != kind.type:
        name = next(each.name for each in KINDS.values() if each.type == category.type)
        raise Refused(f"category {category.id} holds {name}s, not {kind.name}s", reason="wrong_type")
