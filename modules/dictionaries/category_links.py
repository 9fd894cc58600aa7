"""The kinds of categories, and which records are in one: what other modules ask when they list their own.

Below all of these modules, so that none of them imports the one that keeps categories.
"""

from __future__ import annotations

from typing import NamedTuple

from core import Rows


class LinkTable(NamedTuple):
    """Where the links of a kind lie.

    :param type: the number of the kind, `type` of its categories
    :param table: table of the links
    :param column: its column that names the record; `fk_categorie` names the category
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
    """The condition of a list that its records are in a category, those below it left out; 0: there is none."""
    if not category:
        return {}
    _, table, column = LINKS[kind]
    return {"category": Rows(f"{{id}} IN (SELECT {column} FROM {table} WHERE fk_categorie = ?)", category)}


def with_record(kind: str, record: int) -> dict[str, Rows]:
    """The condition of a list of categories that a record is in them."""
    _, table, column = LINKS[kind]
    return {"record": Rows(f"{{id}} IN (SELECT fk_categorie FROM {table} WHERE {column} = ?)", record)}
