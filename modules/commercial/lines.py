"""Lines of documents with prices, each priced by the rule of `totals.py`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from core import Values, current_caller, wrong_fields

from ..prices.offers import LineOffers
from ..products.models import Product
from ..products.products import products
from .line_records import BASE, L, LineRecords, same_extras, take_from_product
from .plain_lines import KNOWN, LONGEST_TEXTS, MOST_LINES, TERMS, AcceptedLine
from .precision import Terms
from .totals import Amounts, LinePrice, Rounding, as_credit, price_line, sum_lines

#: what a line's amounts depend on; a change of anything else leaves them as they are
PRICED = (
    "qty", "subprice", "tva_tx", "vat_src_code", "remise_percent", "info_bits", "product_type", "localtax1_tx",
    "localtax2_tx", "situation_percent",
)  # fmt: skip


class Lines(LineRecords[L]):
    """The priced lines of a kind of document: ``Lines(OrderLine, parent="fk_commande")``, or derive from it."""

    def add(
        self, document: int, lines: Sequence[AcceptedLine], terms: Terms, *, ranked: bool = False
    ) -> tuple[list[int], list[tuple[Decimal, int, Amounts]]]:
        """Write new lines of a document; answers their identifiers, and rate, type and amounts of each.

        :param terms: what the document's lines are priced by
        """
        there = _products({values["fk_product"] for values, _ in lines if values.get("fk_product")})
        offers = LineOffers(there.values(), terms.customer, terms.price_level)
        for values, _ in lines:
            product = values.get("fk_product") or 0
            take_from_product(values, there.get(product), values.context, offers)
            values.context[KNOWN] = ("fk_product",) if product in there else ()
        ids, _ = super().add(document, lines, terms, ranked=ranked)
        check_size(len(ids), sum(len(values.get("desc") or "") for values, _ in lines))
        return ids, [_weight(values) for values, _ in lines]

    def prepare(self, values: Values, before: L | None) -> None:
        """Price a line: a new one, and one whose price, quantity or taxes change."""
        terms: Terms | None = values.context.get(TERMS)
        self._check_parent(values, before)
        if before is not None:
            start = values.get("date_start", before.date_start)
            end = values.get("date_end", before.date_end)
            if start and end and end < start:
                reason = f"expected a date on or after `date_start` ({start:%Y-%m-%d}), got {end:%Y-%m-%d}"
                raise wrong_fields([("date_end", reason)])
            if not any(name in values for name in PRICED):
                return
        if terms is not None:
            self.price(values, before, terms, with_tax=values.context.get(BASE) == "TTC")

    def price(self, values: dict[str, Any], before: L | None, terms: Terms, *, with_tax: bool) -> None:
        """Set the amounts of a line from what is written and what stays."""

        def of(name: str) -> Any:
            value = values.get(name)
            if value is None:
                value = getattr(before, name, None) if before is not None and name not in values else None
            return self.model._meta.fields[name].default if value is None else value

        code = of("vat_src_code") or ""
        first, second = terms.local_taxes(of("tva_tx"), code, of("localtax1_tx"), of("localtax2_tx"))
        line = LinePrice(
            qty=of("qty"),
            subprice=of("subprice"),
            tva_tx=of("tva_tx"),
            remise_percent=of("remise_percent"),
            situation_percent=self.progress(values, before),
            with_tax=with_tax,
            info_bits=of("info_bits"),
            product_type=of("product_type"),
            localtax1=first,
            localtax2=second,
        )
        priced = price_line(as_credit(line) if terms.credit else line, terms.rounding)
        self._check_limits(priced.amounts)
        values |= {
            "qty": priced.qty,
            "subprice": priced.subprice,
            "remise_percent": priced.remise_percent,
            "localtax1_tx": first.rate,
            "localtax2_tx": second.rate,
            "localtax1_type": first.type,
            "localtax2_type": second.type,
            "multicurrency_subprice": priced.subprice,
            **as_fields(priced.amounts),
        }

    def progress(self, values: Mapping[str, Any], before: L | None) -> Decimal:
        """How much of the line is charged, percent."""
        return Decimal(100)

    def remove(self, line: L) -> None:
        """Delete a line; those that belonged to it stand by themselves."""
        self.model.update(fk_parent_line=None).where(
            (getattr(self.model, self.parent) == getattr(line, self.parent)) & (self.model.fk_parent_line == line.id)
        ).execute()
        super().remove(line)

    def alter(self, line: L, body: Mapping[str, Any], terms: Terms, *, replace: bool) -> bool:
        """Change a line; answers whether anything is another than before.

        :param replace: what is not sent becomes what a new line would have, of its product; its place stays
        """
        sent = dict(body)
        if replace and line.fk_product:
            product = products.load(line.fk_product)
            take_from_product(sent, product, sent, LineOffers([product], terms.customer, terms.price_level))
            caller = current_caller()
            if caller is not None and not caller.is_internal and "pa_ht" not in body:
                # Only internal users set it, and it stays
                del sent["pa_ht"]
        return super().alter(line, sent, terms, replace=replace)

    def copy(self, source: Lines[Any], document: int, target: int, reword: Callable[[str], str] | None = None) -> None:
        """Copy the lines of another kind's document with their amounts, and the extra fields both kinds have.

        :param document: the document they are copied from
        :param target: the document they are copied to
        :param reword: what becomes of their texts
        """
        left_out = ("id", "fk_parent_line", "fk_remise_except", self.parent)
        others = source.model._meta.fields
        shared = [name for name in self.model._meta.fields if name in others and name not in left_out]
        records = source.every({source.parent: document}) if self.extra_names() else []
        extras = {int(record["id"]): same_extras(self, record) for record in records}
        made: dict[int, int] = {}
        for line in source.rows({source.parent: document}, "t.rang"):
            values = {name: getattr(line, name) for name in shared} | {self.parent: target}
            if reword is not None:
                values |= {name: reword(values[name]) for name in ("desc", "label") if values[name]}
            if line.fk_parent_line in made:
                values["fk_parent_line"] = made[line.fk_parent_line]
            made[line.id] = self.insert(values, extras.get(line.id), known=(self.parent, "fk_product", "fk_unit"))

    def total(self, document: int, rounding: Rounding) -> dict[str, Decimal]:
        """The totals of a document by field, from its lines as they stand."""
        rows = self.rows({self.parent: document})
        check_size(len(rows), sum(len(row.desc or "") for row in rows))
        return self.settle([row.id for row in rows], [_weight(row.__data__) for row in rows], rounding)

    def settle(
        self, ids: Sequence[int], amounts: list[tuple[Decimal, int, Amounts]], rounding: Rounding
    ) -> dict[str, Decimal]:
        """The totals of a document by field; lines whose VAT gives way to them are written anew."""
        total, kept = sum_lines(amounts, rounding)
        self._check_limits(total)
        for identifier, (_, _, before), after in zip(ids, amounts, kept, strict=True):
            if after != before:
                self.write_unchecked(identifier, **as_fields(after))
        return as_fields(total)

    def _check_parent(self, values: Mapping[str, Any], before: L | None) -> None:
        parent = values.get("fk_parent_line")
        if not parent:
            return
        if before is not None and parent == before.id:
            raise wrong_fields([("fk_parent_line", f"expected another line, got {parent}, which is this line")])
        self.of(values.get(self.parent) or getattr(before, self.parent), parent)

    def _check_limits(self, amounts: Amounts) -> None:
        limit = self.model._meta.fields["total_ht"].limit()
        for name, value in amounts._asdict().items():
            if abs(value) > limit:
                reason = f"expected an amount up to {limit:f}, got {value:f}"
                raise wrong_fields([(name, reason)])


def check_size(lines: int, characters: int) -> None:
    """Refuse a document that would be read and printed for ever.

    :param characters: of the texts of all its lines
    :raises BadRequest: it has too many lines, or their texts are too long
    """
    if lines > MOST_LINES:
        raise wrong_fields([("lines", f"expected at most {MOST_LINES} lines, got {lines}")])
    if characters > LONGEST_TEXTS:
        reason = f"expected at most {LONGEST_TEXTS} characters of text in all lines, got {characters}"
        raise wrong_fields([("lines", reason)])


def as_fields(amounts: Amounts) -> dict[str, Decimal]:
    """Amounts by field; those in the document's currency are the same while there is one currency."""
    return amounts._asdict() | {
        "multicurrency_total_ht": amounts.total_ht,
        "multicurrency_total_tva": amounts.total_tva,
        "multicurrency_total_ttc": amounts.total_ttc,
    }


def _weight(values: Mapping[str, Any]) -> tuple[Decimal, int, Amounts]:
    return (
        values.get("tva_tx", Decimal(0)),
        values.get("product_type", 0),
        Amounts(*(values[name] for name in Amounts._fields)),
    )


def _products(identifiers: set[int]) -> dict[int, Product]:
    """The products that lines name; one that does not exist is found out when its line is written."""
    return {product.id: product for product in products.rows({"id": identifiers})} if identifiers else {}
