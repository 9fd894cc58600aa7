"""Categories: a tree for each kind of record."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from core import NotFound, Records, Refused, transaction, wrong_fields

from ..dictionaries.category_links import LINKS
from ..setup.stamps import stamp
from .models import Category

_COLOR = re.compile(r"#?([0-9a-fA-F]{6})")


def type_of(sent: str) -> int:
    """The number of a kind of category, sent as its word or its number.

    :raises BadRequest: there is no such kind
    """
    for kind, link in LINKS.items():
        if sent in (kind, str(link.type)):
            return link.type
    raise wrong_fields([("type", f"expected one of {', '.join(LINKS)}; got {sent!r:.60}")])


def clean_type(sent: str) -> str:
    """The number of a word; anything else is looked at by the field."""
    return str(LINKS[sent].type) if sent in LINKS else sent


def clean_color(sent: str) -> str | None:
    """Six hexadecimal digits without the sign that stands before them in style sheets."""
    found = _COLOR.fullmatch(sent.strip())
    if sent.strip() and not found:
        raise ValueError("expected six hexadecimal digits such as 207040")
    return found[1].lower() if found else None


class Categories(Records[Category]):
    """Categories."""

    model = Category
    service = "categories"
    noun = "Category"
    empty = "No category found"
    second_alias = "s"
    cleaners = {"type": clean_type, "color": clean_color, "label": str.strip}

    def change(
        self,
        identifier: Any,
        body: Mapping[str, Any],
        *,
        merge_extras: bool = False,
        replace: bool = False,
        context: Mapping[str, Any] | None = None,
        **managed: Any,
    ) -> bool:
        """Change a category. Whoever moves one holds its whole tree: two moves at once may close a cycle together."""
        with transaction():
            tree = self._locked_tree(self.load(identifier).type) if "fk_parent" in body else {}
            known = {**(context or {}), "tree": tree}
            return super().change(
                identifier, body, merge_extras=merge_extras, replace=replace, context=known, **managed
            )

    def _locked_tree(self, type: int) -> dict[int, Category]:
        """All categories of a kind; each is locked, in the order of their identifiers."""
        return {row.id: row for row in self.rows({"type": type}, lock=True)}

    def prepare(self, values: Any, before: Category | None) -> None:
        """Check the place in the tree, and set what the server sets."""
        parent = values.get("fk_parent")
        if parent is not None and parent <= 0:
            parent = values["fk_parent"] = 0
        if parent and before is None:
            # Locked, or it might be deleted meanwhile
            _check_parent(values.get("type"), parent, {row.id: row for row in self.rows({"id": parent}, lock=True)})
        elif parent and before is not None:
            _check_parent(before.type, parent, values.context["tree"])
            _check_cycle(before.id, parent, values.context["tree"])
        stamp(values, new=before is None)

    def removing(self, row: Category) -> None:
        """Refuse to delete a category that others lie below; links go with it."""
        below = self.count({"fk_parent": row.id})
        if below:
            several = (
                "1 subcategory; delete or move it" if below == 1 else f"{below} subcategories; delete or move them"
            )
            raise Refused(f"category {row.id} has {several} first", reason="in_use")


def _check_parent(type: int | None, parent: int, known: Mapping[int, Category]) -> None:
    row = known.get(parent) or Category.get_or_none(Category.id == parent)
    if row is None:
        raise NotFound(f"Category {parent} not found", errors=[("fk_parent", "no such record")])
    if row.type != type:
        reason = f"category {parent} has a different type from this category"
        raise Refused(reason, errors=[("fk_parent", reason)], reason="wrong_type")


def _check_cycle(identifier: int, parent: int, tree: Mapping[int, Category]) -> None:
    """Refuse a parent that is the category itself or lies below it."""
    above: int = parent
    while above in tree:
        if above == identifier:
            where = "itself" if parent == identifier else f"category {parent}, which is one of its subcategories"
            reason = f"can't move category {identifier} under {where}"
            raise Refused(reason, errors=[("fk_parent", reason)], reason="circular")
        above = tree[above].fk_parent


categories = Categories()
