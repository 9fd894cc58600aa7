"""Categories: one tree for each type of record."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from core import BadRequest, NotFound, Records, Refused, shown, transaction
from core.for_natives import named_uses

from ..dictionaries.category_links import LINKS
from ..setup.stamps import stamp
from ..setup.trees import is_within
from .models import Category

_COLOR = re.compile(r"#?([0-9a-fA-F]{6})")


def type_of(sent: str) -> int:
    """Return the number of a type of category, given as a word or a number.

    :raises BadRequest: no such type
    """
    for kind, link in LINKS.items():
        if sent in (kind, str(link.type)):
            return link.type
    raise BadRequest(errors=[("type", f"expected one of {', '.join(LINKS)}; got {shown(sent)}")])


def clean_type(sent: str) -> str:
    """Return the number of a type given as a word; other values are returned unchanged for the field to check."""
    return str(LINKS[sent].type) if sent in LINKS else sent


def clean_color(sent: str) -> str | None:
    """Return the six hexadecimal digits of a color, without `#`."""
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
        self, identifier: Any, body: Mapping[str, Any], *, context: Mapping[str, Any] | None = None, **more: Any
    ) -> bool:
        """Change a category. A move locks the whole tree, because two moves at once could form a cycle."""
        body = self.check_body("changed", identifier, body, **more)
        with transaction():
            # Locked in order of ID
            rows = self.rows({"type": self.load(identifier).type}, lock=True) if "fk_parent" in body else []
            known = {**(context or {}), "tree": {row.id: row for row in rows}}
            return super().change(identifier, body, context=known, checked=True, **more)

    def prepare(self, values: Any, before: Category | None) -> None:
        """Check the position in the tree, and set the fields that the server sets."""
        parent = values.get("fk_parent")
        if parent is not None and parent <= 0:
            parent = values["fk_parent"] = 0
        if parent and before is None:
            _check_parent(values.get("type"), parent, {})
        elif parent and before is not None:
            _check_parent(before.type, parent, values.context["tree"])
            if is_within(Category.fk_parent, parent, before.id):
                where = "itself" if parent == before.id else f"category {parent}, which is one of its subcategories"
                reason = f"can't move category {before.id} under {where}"
                raise Refused(reason, errors=[("fk_parent", reason)], reason="circular")
        stamp(values, new=before is None)

    def inserting(self, values: Any) -> None:
        """Lock the category above, so that it can't be deleted in the meantime."""
        if parent := values.get("fk_parent"):
            _check_parent(values.get("type"), parent, {row.id: row for row in self.rows({"id": parent}, lock=True)})

    def removing(self, row: Category) -> None:
        """Delete the links of a category; refuse if it has subcategories."""
        below = self.count({"fk_parent": row.id})
        if below:
            (told,) = named_uses([(Category, "1 subcategory" if below == 1 else f"{below} subcategories")])
            raise Refused(f"can't delete category {row.id}: it is used by {told}", reason="in_use")


def _check_parent(type: int | None, parent: int, known: Mapping[int, Category]) -> None:
    row = known.get(parent) or Category.get_or_none(Category.id == parent)
    if row is None:
        raise NotFound(f"Category {parent} not found", errors=[("fk_parent", "no such record")])
    if row.type != type:
        reason = f"category {parent} has a different type from this category"
        raise Refused(reason, errors=[("fk_parent", reason)], reason="wrong_type")


categories = Categories()
