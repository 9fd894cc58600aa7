"""Types of categories, and conditions for lists: other modules use them to list the records of a category.

Imported by all of these modules, so that none imports `categories`.
"""

from __future__ import annotations

from typing import NamedTuple

from core import Rows


class LinkTable(NamedTuple):
    """The table with the links of a type of category.

    :param type: number of the type, `type` of its categories
    :param table: table of the links
    :param column: its column with the ID of the record; `fk_categorie` has the ID of the category
    """

    type: int
    table: str
    column: str


LINKS = {
    "product": LinkTable(0, "llx_categorie_product", "fk_product"),
    "supplier": LinkTable(1, "llx_categorie_fournisseur", "fk_soc"),
    "customer": LinkTable(2, "llx_categorie_societe", "fk_soc"),
    "contact": LinkTable(4, "llx_categorie_contact", "fk_socpeople"),
    "user": LinkTable(7, "llx_categorie_user", "fk_user"),
}


def in_category(kind: str, category: int) -> dict[str, Rows]:
    """Return the condition for records in a category, without its subcategories; empty for 0."""
    if not category:
        return {}
    _, table, column = LINKS[kind]
    return {"category": Rows(f"{{id}} IN (SELECT {column} FROM {table} WHERE fk_categorie = ?)", category)}


def with_record(kind: str, record: int) -> dict[str, Rows]:
    """Return the condition for categories that contain a record."""
    _, table, column = LINKS[kind]
    return {"record": Rows(f"{{id}} IN (SELECT fk_categorie FROM {table} WHERE {column} = ?)", record)}
