"""Components: the products in another product, such as a kit, with their quantities."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from graphlib import CycleError, TopologicalSorter
from typing import Any

from core import BadRequest, NotFound, Records, Refused, transaction
from core.for_natives import default_context

from .models import Association, Product
from .price_rules import unfit
from .prices import rounded
from .products import products

#: maximum levels of components: adding one reads and locks every level
MOST_LEVELS = 40
#: type of products that have stock
GOODS = 0
#: decimal places of a quantity
PLACES = 8


class Associations(Records[Association]):
    """Products as components of others."""

    model = Association
    noun = "Component"
    sort = "t.rang,t.rowid"
    joins = {"c": (Product, "fk_product_fils", ("ref", "label", "type"))}
    answers = {"ref": "c.ref", "label": "c.label", "fk_product_type": "c.type"}

    def complete(self, records: list[dict[str, Any]]) -> None:
        """Set `rowid` to the component's ID, as in the API."""
        for record in records:
            record["fk_association"] = record.pop("id")
            record["rowid"] = record["fk_product_fils"]

    def prepare(self, values: dict[str, Any], before: Association | None) -> None:
        """Raise BadRequest unless the quantity of a component is above 0."""
        if rounded(values["qty"], PLACES) <= 0:
            raise unfit("qty", f"expected a quantity above 0, got {values['qty']}")

    def of(self, product: int) -> list[dict[str, Any]]:
        """Return the components of a product, without their own components.

        :raises NotFound: there is no such product
        """
        products.load(product)
        return self.every({"fk_product_pere": product})

    def put(self, product: int, component: int, qty: Decimal, incdec: bool = True) -> None:
        """Make a product a component of another one, or change its quantity.

        :param incdec: the component's stock moves with that of the product
        :raises NotFound: one of them does not exist
        :raises Refused: the product would be a component of itself, on any level
        """
        values = {"qty": qty, "incdec": int(incdec)}
        with transaction():
            self._lock(product, component)
            if product in _reach([component], "below"):
                whose = "itself" if product == component else f"product {product}, which is one of its own components"
                raise Refused(f"product {component} can't be a component of {whose}", reason="circular")
            found = self.rows({"fk_product_pere": product, "fk_product_fils": component})
            if found:
                self.change(found[0].id, values)
            else:
                last = self.rows({"fk_product_pere": product}, "rang")[-1:]
                place = last[0].rang + 1 if last else 1
                self.create(values, fk_product_pere=product, fk_product_fils=component, rang=place)

    def take(self, product: int, component: int) -> None:
        """Remove a component from a product.

        :raises NotFound: there is no such product, or it has no such component
        """
        products.load(product)
        if not component:
            raise BadRequest("Component ID is mandatory")
        with transaction():
            found = self.rows({"fk_product_pere": product, "fk_product_fils": component})
            if not found:
                raise NotFound(f"product {component} is not a component of product {product}")
            self.delete(found[0].id)

    def _lock(self, product: int, component: int) -> None:
        """Lock two products, all that contain the first and all components of the second, in the order of IDs.

        A request that would close a cycle together with this one writes between two of these products. So the second
        request waits for the first, and then detects the cycle. Products that were added meanwhile are also locked.

        :raises NotFound: one of them does not exist
        """
        locked: set[int] = set()
        wanted = {product, component} | _reach([product], "above") | _reach([component], "below")
        while wanted - locked:
            rows = products.rows({"id": sorted(wanted - locked)}, lock=True)
            missing = wanted - locked - {row.id for row in rows}
            if missing:
                raise NotFound(f"Product {min(missing)} not found")
            locked |= wanted
            wanted = _reach([product], "above") | _reach([component], "below")


@default_context
def components(product_ids: Iterable[int]) -> dict[int, list[tuple[int, Decimal]]]:
    """Return the components that move with the stock of products: each with the quantity for one unit, on all levels.

    Products without such components are omitted, and services: they have no stock, so nothing moves with it. A
    component that is reached in several ways is listed once, with the sum of the quantities. The order is that of the
    IDs. Each level takes one statement, for any number of products.

    :raises Refused: a product contains itself; this server doesn't write such data
    """
    roots = set(product_ids)
    parts: dict[int, dict[int, Decimal]] = defaultdict(dict)
    level, known = roots, set[int]()
    while level:
        known |= level
        moving = Association.fk_product_pere.in_(sorted(level)) & (Association.incdec == 1)
        for row in _of_goods(Association.select().where(moving), Association.fk_product_fils):
            parts[row.fk_product_pere][row.fk_product_fils] = row.qty
        level = {child for each in level for child in parts.get(each, ())} - known
    try:
        order = [*TopologicalSorter(parts).static_order()][::-1]
    except CycleError as error:
        raise Refused(f"product {error.args[1][0]} contains itself as a component", reason="circular") from error
    return {root: _sums(root, order, parts) for root in sorted(roots) if root in parts}


def kits_of(product_ids: Iterable[int]) -> set[int]:
    """Return the kits, on all levels, with whose stock that of these products moves. Each level takes one statement."""
    level = set(product_ids)
    known, found = set(level), set[int]()
    while level:
        moving = Association.select().where(Association.fk_product_fils.in_(sorted(level)) & (Association.incdec == 1))
        kits = {row.fk_product_pere for row in _of_goods(moving, Association.fk_product_pere)}
        found |= kits
        level = kits - known
        known |= level
    return found


def _of_goods(rows: Any, side: Any) -> Any:
    """Return the associations whose product on one side has stock."""
    return rows.join(Product, on=side == Product.id).where(Product.type == GOODS)


def _sums(root: int, order: Sequence[int], parts: Mapping[int, Mapping[int, Decimal]]) -> list[tuple[int, Decimal]]:
    """Return the quantity of each component in one product, summed over all paths to it.

    :param order: all products, each before its components
    """
    sums: dict[int, Decimal] = defaultdict(Decimal, {root: Decimal(1)})
    for product in order:
        for child, qty in parts.get(product, {}).items() if product in sums else ():
            sums[child] += sums[product] * qty
    del sums[root]
    return sorted(sums.items())


def _reach(products_from: Iterable[int], direction: str) -> set[int]:
    """Return these products and all their components on all levels, or all products that contain them."""
    here, there = Association.fk_product_pere, Association.fk_product_fils
    if direction == "above":
        here, there = there, here
    reached: set[int] = set()
    level = set(products_from)
    levels = 0
    while level:
        levels += 1
        if levels > MOST_LEVELS:
            raise Refused(f"expected at most {MOST_LEVELS} levels of components, got more", reason="too_much")
        reached |= level
        rows: Any = Association.select(there).where(here.in_(sorted(level))).tuples()
        level = {product for (product,) in rows} - reached
    return reached


associations = Associations()
