"""Demonstration documents: what they consist of, and how many are written together."""

from __future__ import annotations

import datetime
import random as randomness
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Generic, TypeVar

from core import Records, Values
from core.for_natives import Problems

from ..products.models import Product
from ..products.products import products
from ..thirdparties.models import Thirdparty
from ..thirdparties.thirdparties import thirdparties
from .documents import Documents
from .lines import CUSTOMER, Lines
from .models import DocumentLink, PlainDocument
from .plain_lines import AcceptedLine

P = TypeVar("P", bound=PlainDocument)

#: lines without a product: text, price, VAT rate
WORKS = (
    ("Delivery to the yard", "45", "20"), ("Fitting on site", "280", "10"), ("Advice by the hour", "95", "20"),
    ("Engraving", "12.5", "20"), ("Travel", "0.62", "20"), ("Hire of a stand", "130", "20"),
)  # fmt: skip
NOTES = ("Thank you for your trust.", "Please ring before you deliver.", "Partial delivery is welcome.")
TERMS = (1, 2, 2, 3, 4)


class Samples:
    """Random content of documents; the same for the same random numbers."""

    def __init__(self, random: randomness.Random, today: datetime.date) -> None:
        self.random = random
        self.today = today

    @cached_property
    def customers(self) -> dict[int, Thirdparty]:
        """Return the customers for documents, by ID."""
        return {row.id: row for row in thirdparties.rows({"status": 1, "client": (1, 2, 3)})}

    @cached_property
    def products(self) -> dict[int, Product]:
        """Return the products on sale, by ID."""
        return {row.id: row for row in products.rows({"status": 1})}

    def day(self) -> datetime.date:
        """Return a day of the last 540 days."""
        return self.today - datetime.timedelta(days=self.random.randint(0, 540))

    def moment(self, day: datetime.date) -> datetime.datetime:
        """Return a time in a day's office hours."""
        return datetime.datetime.combine(day, datetime.time(self.random.randint(8, 17), self.random.randint(0, 59)))

    def body(self, day: datetime.date) -> dict[str, Any]:
        """Return the body of a document of that day, for a random customer, with one to six lines."""
        random = self.random
        return {
            "socid": random.choice([*self.customers]),
            "date": str(day),
            "ref_client": f"{random.choice('ABCKMR')}-{random.randint(100, 9999)}" if random.random() < 0.4 else None,
            "cond_reglement_id": random.choice(TERMS),
            "mode_reglement_id": random.choice((2, 2, 4, 6, 7)),
            "note_public": random.choice(NOTES) if random.random() < 0.3 else None,
            "lines": [self.line() for _ in range(random.choice((1, 1, 2, 2, 3, 4, 6)))],
        }

    def line(self) -> dict[str, Any]:
        """Return a line, usually with a product."""
        random = self.random
        discount = {"remise_percent": random.choice((5, 10, "12.5"))} if random.random() < 0.2 else {}
        if self.products and random.random() < 0.75:
            return {"fk_product": random.choice([*self.products]), "qty": random.randint(1, 20), **discount}
        text, price, rate = random.choice(WORKS)
        quantity = random.choice((1, 1, 2, "1.5", 8))
        return {"desc": text, "qty": quantity, "subprice": price, "tva_tx": rate, "product_type": 1, **discount}


class DemoDocuments(Generic[P]):
    """Documents of one kind that are written together, with few statements and without events.

    Create them, then make their transitions, then `write` all of it.
    """

    def __init__(self, documents: Documents[P], samples: Samples) -> None:
        self._documents, self._samples = documents, samples
        self._lines: Lines[Any] = documents.lines  # type: ignore[assignment]
        self._changes: dict[int, dict[str, Any]] = {}

    def create(self, drafts: Iterable[tuple[dict[str, Any], dict[str, Any]]]) -> list[P]:
        """Create drafts with their lines; return their rows in the same order.

        :param drafts: the body of each, and further fields
        """
        values, lines = list[Values](), list[list[AcceptedLine]]()
        for body, managed in drafts:
            accepted, _ = self._documents.accept(body)
            accepted |= managed
            values.append(accepted)
            lines.append(self._lines.accept_all(body["lines"], Problems()))
        return self._insert(values, ("socid",), lines, self._samples.products)

    def create_from(self, source: Documents[Any], sources: Sequence[Any], more: Callable[[Any], Any]) -> list[P]:
        """Create a draft from each of several documents of another kind; return their rows in the same order.

        :param more: returns further fields for a row
        """
        parent, names = source.lines.parent, self._lines.shared_with(source.lines)
        fields = self._documents.model._meta.fields.keys() & source.model._meta.fields.keys()
        copied = [name for name in ("socid", *self._documents.copied) if name in fields]
        values = [Values({name: getattr(each, name) for name in copied} | more(each)) for each in sources]
        lines: dict[int, list[AcceptedLine]] = {each.id: [] for each in sources}
        for line in source.lines.rows({parent: [*lines]}, "t.rang"):
            lines[getattr(line, parent)].append((Values({name: getattr(line, name) for name in names}), None))
        rows = self._insert(values, copied, [*lines.values()])
        kinds = {"sourcetype": source.element, "targettype": self._documents.element}
        links = [kinds | {"fk_source": each.id, "fk_target": row.id} for row, each in zip(rows, sources, strict=True)]
        Records(DocumentLink, noun="Link").insert_all([(Values(each), None) for each in links])
        return rows

    def _insert(
        self,
        drafts: Sequence[Values],
        known: Collection[str],
        lines: Sequence[list[AcceptedLine]],
        priced_by: Mapping[int, Product] | None = None,
    ) -> list[P]:
        """Insert drafts with their lines, set their references and totals; return the rows in the same order.

        :param known: fields whose records are known to exist
        :param lines: the lines of each draft
        :param priced_by: the products from which the lines take their prices; None: the lines have prices
        """
        customers = self._samples.customers
        for values in drafts:
            values.context[CUSTOMER] = customers[values["socid"]]
        ids = self._documents.insert_all([(values, None) for values in drafts], lambda _: known)
        found = {row.id: row for row in self._documents.rows({"id": ids})}
        terms = [self._lines.terms(values) for values in drafts]
        for identifier, common, own in zip(ids, terms, lines, strict=True):
            vars(found[identifier])["customer"] = customers[found[identifier].socid]
            if priced_by is not None:
                self._lines.fill(own, common, priced_by)
                self._lines.place(own, common)
            for values, _ in own:
                values[self._lines.parent] = identifier
        every = [line for own in lines for line in own]
        self._lines.check_all(every, lambda _: (self._lines.parent, "fk_product", "fk_unit"))
        for identifier, values, common, own in zip(ids, drafts, terms, lines, strict=True):
            totals = self._lines.first_totals(own, common, values)
            self.change(found[identifier], **self._documents.first_reference(identifier), **totals)
        self._lines.insert_all(every, checked=True)
        return [found[identifier] for identifier in ids]

    def act(self, row: P, name: str, target: int | None = None, **values: Any) -> None:
        """Make a transition as `Documents.act` does; the row has the new state.

        :param values: further fields to set
        """
        transition, values = self._documents.next_state(row, name, target, values)
        self._documents.after_transition(transition, row)
        self.change(row, **values)

    def change(self, row: P, **values: Any) -> None:
        """Set fields of a row, to be written with all others."""
        for name, value in values.items():
            setattr(row, name, value)
        self._changes.setdefault(row.id, {}).update(values)

    def write(self) -> None:
        """Write what has changed."""
        for identifier, values in self._changes.items():
            self._documents.write_unchecked(identifier, **values)
        self._changes.clear()
