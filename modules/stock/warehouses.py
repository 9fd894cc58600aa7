"""Warehouses: checks of writes, and the stock shown with products."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from decimal import Decimal
from typing import Any

from core import ExactField, ListQuery, NotFound, Refused, Values, profile, query, transaction
from core.for_natives import Page, as_column, catalogue, default_context, named_uses

from ..dictionaries.codes import CodedRecords, code_cleaners
from ..dictionaries.models import Country
from ..products.products import products
from ..products.subproducts import components, kits_of
from ..setup.stamps import stamp, unset_zeros
from ..setup.trees import is_within, lock_tree
from .levels import kept_qty, rows_of, stocks
from .models import ProductStock, Warehouse

#: format of computed quantities in responses
QUANTITY = ExactField(24, 8, trimmed=True)
#: columns with the ID of a warehouse, without a foreign key: service and field
NAMED = (
    ("products", "fk_default_warehouse"),
    ("orders", "warehouse_id"),
    ("proposals", "warehouse_id"),
    ("thirdparties", "fk_warehouse"),
    ("users", "fk_warehouse"),
)


class Warehouses(CodedRecords[Warehouse]):
    """Warehouses."""

    model = Warehouse
    service = "warehouses"
    noun = "Warehouse"
    cleaners = code_cleaners(Warehouse)
    codes = {"country_code": ("country_id", Country)}
    empty = "No warehouse found"

    # Reading --------------------------------------------------------------------------------------------------------

    def products_of(self, identifier: int, query: ListQuery) -> Page:
        """List the products that are or were in a warehouse.

        :raises NotFound: there is no such warehouse
        """
        page = stocks.page(query, {"warehouse_id": identifier})
        self.load(identifier)
        return page

    def places_of(self, product: int, warehouse: int | None) -> dict[str, Any]:
        """Return the stock of a product by warehouse.

        :param warehouse: only this one
        :raises NotFound: there is no such product; or it has no stock, and the profile rejects empty lists
        """
        products.load(product)
        places = _places([row for row in rows_of([product]) if warehouse in (None, row.warehouse_id)])
        if not places and profile().empty_list_is_missing:
            raise NotFound("No stock found")
        return {"stock_warehouses": places or _empty_map()}

    @default_context
    def add_stock(self, records: list[dict[str, Any]]) -> None:
        """Add to products the stock by warehouse, and the stock after all open orders are shipped."""
        found: dict[int, list[ProductStock]] = {int(record["id"]): [] for record in records}
        for row in rows_of(found):
            found[row.product_id].append(row)
        ordered = expected_of(found)
        for record in records:
            rows = found[int(record["id"])]
            held = sum((row.reel for row in rows), Decimal(0))
            record["stock_warehouse"] = _places(rows) or _empty_map()
            record["stock_theorique"] = _text(held - ordered.get(int(record["id"]), Decimal(0)))

    # Writing --------------------------------------------------------------------------------------------------------

    def change(self, identifier: Any, body: Mapping[str, Any], **more: Any) -> bool:
        """Change a warehouse. A new parent waits for concurrent ones, which could create a cycle with it."""
        body = self.check_body("changed", identifier, body, **more)
        with transaction():
            if body.get("fk_parent"):
                lock_tree(Warehouse.fk_parent)
            return super().change(identifier, body, checked=True, **more)

    def prepare(self, values: Values, before: Warehouse | None) -> None:
        """Set the fields that the server sets, and check that no warehouse contains itself."""
        super().prepare(values, before)
        unset_zeros(values, "fk_parent", "fk_project", "country_id", "state_id")
        parent = values.get("fk_parent")
        if before and parent != before.fk_parent and is_within(Warehouse.fk_parent, parent, before.id):
            where = "itself" if parent == before.id else f"warehouse {parent}, which is inside it"
            reason = f"can't move warehouse {before.id} into {where}"
            raise Refused(reason, errors=[("fk_parent", reason)], reason="circular")
        stamp(values, new=before is None, creator="user_creation_id", changer="user_modification_id")

    def removing(self, row: Warehouse) -> None:
        """Refuse to delete a warehouse that is in use; stock in it and its movements also prevent this."""
        users = []
        for service, name in NAMED:
            served = catalogue().services.get(service)
            if served is not None and served.records is not None:
                model = served.records.model
                count = model.select().where(getattr(model, name) == row.id).count()
                users += [(model, f"{service} ({count})")] if count else []
        if users:
            told = ", ".join(named_uses(users))
            raise Refused(f"can't delete warehouse {row.label} ({row.id}): it is used by {told}", reason="in_use")


def _places(rows: list[ProductStock]) -> dict[str, Any]:
    """Return warehouse → quantity, with numbers in the format of the profile."""
    number: Any = str if profile().text_values else int
    return {str(row.warehouse_id): {"id": number(row.id), "real": _text(row.reel)} for row in rows}


def _text(qty: Decimal) -> str:
    """Return a quantity in the format of its column."""
    return as_column(QUANTITY, qty)


def _empty_map() -> Any:
    return [] if profile().text_values else {}


warehouses = Warehouses()


#: states of orders with goods to ship: validated, and in shipment
OPEN = (1, 2)


@default_context
def expected_of(product_ids: Collection[int]) -> dict[int, Decimal]:
    """Return the quantities that open orders still need of products and, for kits, of their components."""
    wanted = set(product_ids)
    kits = kits_of(wanted)
    ordered = _ordered_of(wanted | kits)
    found = {product: qty for product, qty in ordered.items() if product in wanted}
    for kit, parts in components(kits).items() if kits else ():
        for product, count in parts:
            if product in wanted and kit in ordered:
                found[product] = found.get(product, Decimal(0)) + kept_qty(ordered[kit] * count)
    return found


def _ordered_of(product_ids: Collection[int]) -> dict[int, Decimal]:
    """Return the ordered quantities of products, in open orders, that are not shipped yet.

    The records of the service `shipments`, if it is loaded, return the shipped quantities by a method
    ``shipped_of(product_ids)``: product → quantity in validated shipments of order lines. Its orders are in the states
    `OPEN`.
    """
    found: dict[int, Decimal] = {}
    numbers = sorted(product_ids)
    if not numbers:
        return found
    marks = ",".join("?" * len(numbers))
    # Plain SQL, because reading a product must not depend on the files of orders
    rows = query(
        f"SELECT d.fk_product, {ExactField.sum_sql('d.qty')} FROM llx_commandedet AS d "
        "JOIN llx_commande AS c ON c.rowid = d.fk_commande "
        f"WHERE c.fk_statut IN ({','.join(map(str, OPEN))}) AND d.fk_product IN ({marks}) GROUP BY d.fk_product",
        numbers,
    )
    for product, qty in rows:
        found[product] = ProductStock.reel.sum_value(qty)
    served = catalogue().services.get("shipments")
    shipped_of = getattr(served.records, "shipped_of", None) if served is not None else None
    if shipped_of is not None:
        for product, qty in shipped_of(numbers).items():
            found[product] = found.get(product, Decimal(0)) - qty
    return found
