"""Lines of documents: adding, changing, removing, ranking; each priced by the rule of `totals.py`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from peewee import fn

from core import NotFound, Values, wrong_fields

from ..products.models import Product
from ..products.products import products
from .line_records import (
    BASE,
    LONGEST_TEXTS,
    MOST_LINES,
    AcceptedLine,
    L,
    LineRecords,
    same_extras,
    take_from_product,
)
from .precision import Terms
from .totals import Amounts, LinePrice, Rounding, as_credit, price_line, sum_lines

#: what a line's amounts depend on; a change of anything else leaves them as they are
PRICED = (
    "qty", "subprice", "tva_tx", "vat_src_code", "remise_percent", "info_bits", "product_type", "localtax1_tx",
    "localtax2_tx", "situation_percent",
)  # fmt: skip
#: what `prepare` is told besides the fields: what the document's lines are priced by
TERMS = "terms"


class Lines(LineRecords[L]):
    """The lines of a kind of document: ``Lines(OrderLine, parent="fk_commande")``, or derive from it.

    :cvar parent: the field of a line that leads to its document
    :cvar put_replaces: whether PUT of a line sets what is not sent back to its default
    """

    put_replaces = False

    def add(
        self,
        document: int,
        lines: Sequence[AcceptedLine],
        terms: Terms,
        *,
        ranked: bool = False,
    ) -> tuple[list[int], list[tuple[Decimal, int, Amounts]]]:
        """Write new lines of a document, inside the transaction that has locked it.

        :param lines: what `accept_all` answered
        :param terms: what the document's lines are priced by
        :param ranked: the document had no lines: ranks are taken as they are sent
        :returns: their identifiers, and rate, type and amounts of each
        :raises NotFound: a product, unit or line that one names does not exist
        """
        there = _products({values["fk_product"] for values, _ in lines if values.get("fk_product")})
        last = 0 if ranked else self.last_rank(document)
        ids, amounts, characters = [], [], 0
        for values, extras in lines:
            take_from_product(values, there.get(values.get("fk_product") or 0), values.besides)
            rank = values.get("rang") or 0
            if rank <= 0:
                rank = last + 1
            elif not ranked:
                self._make_room(document, rank)
            last = max(last, rank)
            values |= {"rang": rank, self.parent: document}
            values.besides[TERMS] = terms
            product = values.get("fk_product")
            characters += len(values.get("desc") or "")
            ids.append(self.insert(values, extras, known=(self.parent, "fk_product" if product in there else "")))
            amounts.append(_weight(values))
        check_size(len(ids), characters)
        return ids, amounts

    def prepare(self, values: Values, before: L | None) -> None:
        """Price a line: a new one, and one whose price, quantity or taxes change."""
        terms: Terms | None = values.besides.get(TERMS)
        self._check_parent(values, before)
        if before is not None:
            start = values.get("date_start", before.date_start)
            end = values.get("date_end", before.date_end)
            if start and end and end < start:
                reason = "Expecting a date that is not before date_start"
                raise wrong_fields([("date_end", reason)])
            if not any(name in values for name in PRICED):
                return
        if terms is not None:
            self.price(values, before, terms, with_tax=values.besides.get(BASE) == "TTC")

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
        self.delete(line.id)

    def alter(self, line: L, body: Mapping[str, Any], terms: Terms, *, replace: bool) -> bool:
        """Change a line, inside the transaction that has locked its document; extra fields one by one.

        Answers whether anything is another than before.

        :param terms: what the document's lines are priced by
        :param replace: what is not sent becomes what a new line would have; its place, product and extra fields stay
        """
        sent = dict(body)
        ranked, rank = "rang" in sent, sent.pop("rang", None)
        if replace and line.fk_product:
            take_from_product(sent, products.load(line.fk_product), sent)
        given = {TERMS: terms}
        changed = self.change(line.id, sent | {"rang": line.rang}, merge_extras=True, replace=replace, besides=given)
        if ranked:
            moved = self._rerank(line, self.accept({"rang": rank}, creating=False)[0].get("rang"))
        return changed or (ranked and moved)

    def _rerank(self, line: L, rank: int | None) -> bool:
        """Move a line to a place, the last one for None, 0 and below; the lines from there on make room."""
        document = getattr(line, self.parent)
        last = self.last_rank(document)
        if not rank or rank < 0:
            rank = last + (line.rang != last)
        elif rank != line.rang:
            self._make_room(document, rank)
        if rank == line.rang:
            return False
        self.write(line.id, rang=rank)
        return True

    def copy(self, source: Lines[Any], document: int, target: int) -> None:
        """Copy the lines of another kind's document with their amounts, and the extra fields both kinds have.

        :param document: the document they are copied from
        :param target: the document they are copied to
        """
        left_out = ("id", "fk_parent_line", "fk_remise_except", self.parent)
        others = source.model._meta.fields
        shared = [name for name in self.model._meta.fields if name in others and name not in left_out]
        records = source.every({source.parent: document}) if self.extra_names() else []
        extras = {int(record["id"]): same_extras(self, record) for record in records}
        made: dict[int, int] = {}
        for line in source.rows({source.parent: document}, "t.rang"):
            values = {name: getattr(line, name) for name in shared} | {self.parent: target}
            if line.fk_parent_line in made:
                values["fk_parent_line"] = made[line.fk_parent_line]
            made[line.id] = self.insert(values, extras.get(line.id), known=(self.parent, "fk_product", "fk_unit"))

    # Together --------------------------------------------------------------------------------------------------------

    def of(self, document: int, identifier: Any) -> L:
        """A line of a document.

        :raises NotFound: the document has no such line
        """
        found = self.rows({"id": identifier, self.parent: document})
        if not found:
            raise NotFound(f"Line {identifier} not found in this record")
        return found[0]

    def last_rank(self, document: int) -> int:
        """The highest rank among the lines of a document; 0 when it has none."""
        highest = self.model.select(fn.MAX(self.model.rang)).where(getattr(self.model, self.parent) == document)
        return highest.scalar() or 0

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
                self.write(identifier, **as_fields(after))
        return as_fields(total)

    def _make_room(self, document: int, rank: int) -> None:
        mine = getattr(self.model, self.parent) == document
        if self.model.select().where(mine & (self.model.rang == rank)).exists():
            self.model.update(rang=self.model.rang + 1).where(mine & (self.model.rang >= rank)).execute()

    def _check_parent(self, values: Mapping[str, Any], before: L | None) -> None:
        parent = values.get("fk_parent_line")
        if not parent:
            return
        if before is not None and parent == before.id:
            raise wrong_fields([("fk_parent_line", "a line does not belong to itself")])
        self.of(values.get(self.parent) or getattr(before, self.parent), parent)

    def _check_limits(self, amounts: Amounts) -> None:
        limit = self.model._meta.fields["total_ht"].limit()
        for name, value in amounts._asdict().items():
            if abs(value) > limit:
                reason = f"Expecting amounts up to {limit:f}"
                raise wrong_fields([(name, reason)])


def check_size(lines: int, characters: int) -> None:
    """Refuse a document that would be read and printed for ever.

    :param characters: of the texts of all its lines
    :raises BadRequest: it has too many lines, or their texts are too long
    """
    if lines > MOST_LINES:
        raise wrong_fields([("lines", f"Expecting {MOST_LINES} lines of a document at most (got {lines})")])
    if characters > LONGEST_TEXTS:
        reason = f"Expecting texts of {LONGEST_TEXTS} characters at most in all lines (got {characters})"
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
