"""The bodies of lines: what is accepted, what a line takes from its product, what is shown besides its fields."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, TypeVar

from core import BadRequest, Records, Values, settings, warn, wrong_fields

from ..dictionaries.entries import entry
from ..dictionaries.models import Unit
from ..products.models import Product
from .models import Line

L = TypeVar("L", bound=Line)

#: key of a body that says whether its price is one before taxes (HT) or taxes included (TTC); it is no field
BASE = "price_base_type"

#: what is to be written of a line, and of its extra fields
AcceptedLine = tuple[Values, dict[str, Any] | None]

#: the last place a line can ask for: those behind it still fit their column
LAST_PLACE = 1_000_000

#: lines of one document, and characters of all their texts: papers are printed of them, and they are read together
MOST_LINES, LONGEST_TEXTS = 10_000, 500_000
#: lines of all documents of a page
MOST_LINES_OF_A_PAGE = 100_000

_RATE = re.compile(r"\s*([^()\s]*)\s*\(([^()]{1,10})\)\s*")


def _not_negative(text: str) -> str:
    if text.lstrip().startswith("-"):
        raise ValueError("Expecting a rate from 0 on")
    return text


class LineRecords(Records[L]):
    """The records of lines; see `Lines`."""

    noun = "Line"
    sort = "t.rang"
    second_alias = "d"
    joins = {
        "p": (Product, "fk_product", ("ref", "label", "description", "barcode", "type")),
        "u": (Unit, "fk_unit", ("code", "short_label")),
    }
    answers = {
        "product_ref": "p.ref",
        "product_label": "p.label",
        "product_desc": "p.description",
        "product_barcode": "p.barcode",
        "fk_product_type": "p.type",
    }
    besides = (BASE,)
    cleaners = {"tva_tx": _not_negative}
    parent = ""
    put_replaces = False

    def __init__(self, model: type[L] | None = None, *, parent: str = "") -> None:
        super().__init__(model)
        self.parent = parent or self.parent
        # No body moves a line to another document
        self.managed = (*self.managed, self.parent)

    def complete(self, records: list[dict[str, Any]]) -> None:
        """Add the second names of what comes from the product, and the margins."""
        for record in records:
            record["ref"] = record["product_ref"]
            record["libelle"] = record["product_label"]
            record["marge_tx"], record["marque_tx"] = _margins(record)

    # Checking --------------------------------------------------------------------------------------------------------

    def accept(
        self, body: Mapping[str, Any], *, creating: bool = True, replace: bool = False
    ) -> tuple[Values, dict[str, Any] | None]:
        """Check the body of a line; `tva_tx` may be ``20 (CODE)``.

        :raises BadRequest: a field is missing or does not fit; all of them are named
        """
        body = dict(body)
        # Without the blanks around it: a long row of them could be shared out in too many ways
        if isinstance(body.get("tva_tx"), str) and (found := _RATE.fullmatch(body["tva_tx"].strip())):
            body["tva_tx"], body["vat_src_code"] = found[1], found[2]
        elif "tva_tx" in body:
            # The code belongs to the rate
            body.setdefault("vat_src_code", "")
        wrong: list[tuple[str, str]] = []
        try:
            values, extras = super().accept(body, creating=creating, replace=replace)
        except BadRequest as error:
            values, extras, wrong = Values(), None, error.errors
        base = body.get(BASE) or "HT"
        if base not in ("HT", "TTC"):
            wrong.append((BASE, f"Expected one of (HT,TTC). (got {base!r:.60})"))
        if (values.get("rang") or 0) > LAST_PLACE:
            wrong.append(("rang", f"Expecting a place up to {LAST_PLACE} (got {body['rang']!r:.60})"))
        if values.get("fk_unit"):
            # An empty dictionary is filled when it is asked
            entry(Unit, values["fk_unit"])
        start, end = values.get("date_start"), values.get("date_end")
        if start and end and end < start:
            wrong.append(("date_end", "Expecting a date that is not before date_start"))
        if wrong:
            raise wrong_fields(wrong)
        if base == "TTC" and "subprice" in body:
            values.besides[BASE] = base
        return values, extras

    def accept_all(self, sent: Any, *, key: str = "lines") -> tuple[list[AcceptedLine], list[tuple[str, str]]]:
        """Check a list of lines; answers what is to be written, and every wrong field, such as ``lines[2].qty``.

        :param key: what the list is called in messages
        """
        if sent in (None, "", [], {}):
            return [], []
        if not isinstance(sent, list):
            return [], [(key, "Expecting a list of lines")]
        if len(sent) > MOST_LINES:
            return [], [(key, f"Expecting {MOST_LINES} lines at most (got {len(sent)})")]
        accepted, wrong = [], []
        for number, body in enumerate(sent):
            if not isinstance(body, dict):
                wrong.append((f"{key}[{number}]", "Expecting an object"))
                continue
            try:
                accepted.append(self.accept(body))
            except BadRequest as error:
                wrong += [(f"{key}[{number}].{name}", reason) for name, reason in error.errors]
        return accepted, wrong


def take_from_product(values: dict[str, Any], product: Product | None, besides: dict[str, Any]) -> None:
    """Price, VAT, type, unit and text of the product, where the line gives none.

    :param values: of the line; changed in place
    :param besides: where `price_base_type` stands
    """
    if product is None:
        return
    if "subprice" not in values and besides.pop(BASE, None):
        # The product's price is taken before taxes
        warn(f"ignored: {BASE}")
    values.setdefault("subprice", product.price)
    if "tva_tx" not in values:
        values["tva_tx"] = product.tva_tx
        values.setdefault("vat_src_code", product.default_vat_code or "")
        values.setdefault("localtax1_tx", product.localtax1_tx)
        values.setdefault("localtax2_tx", product.localtax2_tx)
    values.setdefault("product_type", product.type)
    values.setdefault("fk_unit", product.fk_unit)
    values.setdefault("pa_ht", product.cost_price or product.pmp or Decimal(0))
    if not values.get("desc"):
        values["desc"] = product.description or ""


def same_extras(target: Records[Any], record: Mapping[str, Any]) -> dict[str, Any] | None:
    """The extra fields of a record that records of another kind have, too, ready to be written there.

    :param target: the other kind
    """
    known = {f"options_{name}" for name in target.extra_names()}
    values = {name: value for name, value in dict(record.get("array_options") or {}).items() if name in known}
    return target.accept({"array_options": values}, creating=False)[1] if values else None


def _margins(record: Mapping[str, Any]) -> tuple[Any, Any]:
    """Margin rate on the cost and mark rate on the price, percent; without a cost there is none to speak of."""
    cost = Decimal(record["pa_ht"] or 0)
    if not cost:
        return ("" if settings().profile.text_values else None), 100
    price = Decimal(record["subprice"] or 0) * (1 - Decimal(record["remise_percent"] or 0) / 100)
    margin = price - cost
    rate = round(margin * 100 / cost, 4)
    return f"{rate:.4f}", f"{round(margin * 100 / price, 4):.4f}" if price else None
