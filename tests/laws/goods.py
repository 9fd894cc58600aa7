"""Rules about goods and the bank: products, kits and prices; movements, transfers and shipments; lines of an account."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from hypothesis import strategies as st

from tests.laws import laws
from tests.laws.amounts import Agreed, exact, half_up, text
from tests.laws.ledger import INVOICE, ORDER, PROPOSAL, TEMPLATE
from tests.laws.money import Money
from tests.laws.sales import given, step
from tests.laws.trade import DAY, PICK

MOVED = st.sampled_from(("1", "2", "5", "10", "-1", "-3", "0.5"))
SOLD = st.sampled_from(("1", "2", "3", "10", "0.5"))
PRICE = st.sampled_from(("100", "9.99", "66", "0.07", "12.34", "19.99"))
#: what is done with shipments
MOVES = ("validate", "validate", "settodraft", "cancel", "close", "reopen", "delete")
#: price of incoming goods; empty: none
COST = st.sampled_from(("", "7.5", "12", "0.07"))
#: discount that a line is sent with, percent
DISCOUNT = st.sampled_from((None, None, "0", "50"))
#: from this quantity on, a product may have another price
MANY = "10"
#: price and rate of each product
PRODUCTS = (("100", "20"), ("9.99", "5.5"), ("66", "8.1"), ("19.99", "19"))
RATE = st.sampled_from(("20", "5.5", "8.1", "19"))


@dataclass
class Product:
    """A product of the series.

    :param price: its own, without VAT
    :param own: the customer's price, its rate and whether it includes VAT
    :param segments: segment → its price, rate and whether that includes VAT
    :param of_many: segment, or 0 for its own → the price from `MANY` on, and the discount that its lines take
    :param average: what was paid for one, on average; that of its components isn't known by that
    :param parts: component → its quantity, and whether its stock moves with the kit's
    """

    id: int
    price: str
    rate: str
    own: tuple[str, str, bool] | None = None
    own_id: int = 0
    segments: dict[int, tuple[str, str, bool]] = field(default_factory=dict)
    of_many: dict[int, tuple[str, str]] = field(default_factory=dict)
    average: Fraction = Fraction(0)
    parts: dict[int, tuple[Fraction, bool]] = field(default_factory=dict)


@dataclass
class Movement:
    """A movement, or the validation of a shipment: product, warehouse and quantity of all that it moved."""

    id: int
    moved: list[tuple[int, int, Fraction]]
    is_undone: bool = False


@dataclass
class Shipment:
    """A shipment of an order."""

    id: int
    order: object
    state: int = 0
    moved: list[tuple[int, int, Fraction]] = field(default_factory=list)


class Business(Money):
    """All that the business does."""

    def __init__(self):
        super().__init__()
        self.segment = 0
        self.products = {}
        self.levels = {}
        self.movements = []
        self.shipments = []

    def product(self, which):
        """Return one of the four products; those before it are made with it."""
        which //= 2
        while len(self.products) <= which:
            place = len(self.products)
            price, rate = PRODUCTS[place]
            body = {"ref": f"P{self.own}-{place}", "label": f"Product {place}", "price": price, "tva_tx": rate}
            made = self.post("/products", body | {"status": 1}).made
            self.products[made] = Product(made, price, rate)
        return list(self.products.values())[which]

    @cached_property
    def places(self):
        """The two warehouses of the series, made when they are first needed."""
        return [self.post("/warehouses", {"label": f"W{self.own}-{place}", "statut": 1}).made for place in (1, 2)]

    # Products --------------------------------------------------------------------------------------------------------

    @step(which=PICK, price=PRICE, rate=RATE, how=st.sampled_from(("PUT", "PATCH", "HT", "TTC", "TTC", "DELETE")))
    def price_product(self, which, price, rate, how):
        """Change the price and the rate of a product; agree a price with the customer, change it, or delete it."""
        product = self.product(which)
        if how in ("PUT", "PATCH"):
            self.ok(self.journal.call(how, f"/products/{product.id}", {"price": price, "tva_tx": rate}))
            product.price, product.rate = price, rate
            return
        path = f"/products/{product.id}/selling_multiprices/per_customer"
        body = {"price_ttc" if how == "TTC" else "price": price, "tva_tx": rate, "price_base_type": how}
        if how == "DELETE":
            if product.own_id:
                self.ok(self.journal.call("DELETE", f"{path}/{product.own_id}"))
                product.own, product.own_id = None, 0
            return
        if product.own_id:
            self.ok(self.journal.call("PUT", f"{path}/{product.own_id}", body))
        else:
            product.own_id = self.post(path, body | {"fk_soc": self.customer}).made
        product.own = price, rate, how == "TTC"

    @step(
        which=PICK, price=PRICE, discount=st.sampled_from(("0", "10", "33.3333")), level=st.sampled_from((0, 0, 1, 2))
    )
    def price_quantity(self, which, price, discount, level=0):
        """Give a product another price from a quantity on, with a discount: its own, or that of a segment; once."""
        product = self.product(which)
        if level not in product.of_many and level in (0, *product.segments):
            body = {"quantity": MANY, "unitprice": price, "remise_percent": discount, "price_level": level}
            self.post(f"/products/{product.id}/selling_multiprices/per_quantity", body)
            product.of_many[level] = price, discount

    @step(
        which=PICK, level=st.sampled_from((1, 2)), price=PRICE, rate=RATE, how=st.sampled_from(("HT", "TTC", "DELETE")),
        many=st.sampled_from(("", "8.8", "55.55")), qty=SOLD,
    )  # fmt: skip
    def price_segment(self, which, level, price, rate, how, many, qty):
        """Set the price of a segment, perhaps with one from a quantity on, or delete it; sell to a customer of it."""
        product = self.product(which)
        path = f"/products/{product.id}/selling_multiprices/per_segment"
        if how == "DELETE" and level in product.segments:
            self.ok(self.journal.call("DELETE", f"{path}/{level}"))
            product.of_many.pop(level, None)
            del product.segments[level]
        elif how != "DELETE":
            body = {"price_ttc" if how == "TTC" else "price": price, "tva_tx": rate, "price_base_type": how}
            if level in product.segments:
                self.ok(self.journal.call("PUT", f"{path}/{level}", body))
            else:
                self.post(path, body | {"price_level": level})
            product.segments[level] = price, rate, how == "TTC"
            if many:
                self.price_quantity(which=which, price=many, discount="0", level=level)
        self.ok(self.journal.call("PUT", f"/thirdparties/{self.customer}/setpricelevel", {"priceLevel": level}))
        self.segment = level
        self.sell_products(kind=ORDER, sold=[(which, qty, None)], is_validated=False)

    def price_of(self, product, qty):
        """Return price, rate, whether the price includes VAT, and discount of a line of a product without a price."""
        if product.own:
            return *product.own, "0"
        level = self.segment if self.segment in product.segments else 0
        price, rate, is_gross = product.segments[level] if level else (product.price, product.rate, False)
        discount = "0"
        if level in product.of_many and exact(qty) >= exact(MANY):
            price, discount = product.of_many[level]
        return price, rate, is_gross, discount

    @step(
        kind=st.sampled_from((INVOICE, ORDER, ORDER, PROPOSAL)),
        sold=st.lists(st.tuples(PICK, SOLD, DISCOUNT), min_size=1, max_size=3),
        is_validated=st.booleans(),
    )
    def sell_products(self, kind, sold, is_validated):
        """Create a document of products, at the prices they have."""
        bodies, rows = [], []
        for which, qty, sent in sold:
            product = self.product(which)
            bodies.append({"fk_product": product.id, "qty": qty, "desc": self.text_of_line()})
            if sent is not None:
                bodies[-1]["remise_percent"] = sent
            price, rate, is_gross, usual = self.price_of(product, qty)
            discount = usual if sent is None else sent
            rows.append(Agreed(exact(price), is_gross, exact(qty), exact(rate), exact(discount)))
        made = self.make(kind, bodies, rows)
        if is_validated and kind == INVOICE:
            self.validate_one(made)
        elif is_validated and kind != TEMPLATE:
            self.post(f"{made.path}/validate")
            self.moved(made)

    # Kits ------------------------------------------------------------------------------------------------------------

    @step(kit=PICK, part=PICK, qty=st.sampled_from(("1", "2", "3", "")), moves=st.sampled_from((1, 1, 0)))
    def change_kit(self, kit, part, qty, moves):
        """Add a component to a kit, change its quantity, or remove it (no quantity)."""
        whole, component = self.product(kit), self.product(part)
        if qty:
            body = {"subproduct_id": component.id, "qty": qty, "incdec": moves}
            answer = self.journal.call("POST", f"/products/{whole.id}/subproducts/add", body)
            if self.expect(answer, not self.contains(component, whole)):
                whole.parts[component.id] = (exact(qty), moves == 1)
        elif component.id in whole.parts:
            self.ok(self.journal.call("DELETE", f"/products/{whole.id}/subproducts/remove/{component.id}"))
            del whole.parts[component.id]

    @step(
        kit=PICK, part=PICK, number=st.sampled_from(("1", "2", "3")), place=PICK, qty=MOVED, is_undone=st.booleans(),
        price=COST,
    )  # fmt: skip
    def move_kit(self, kit, part, number, place, qty, is_undone, price):
        """Add a component to a product, and move the kit, perhaps at a price; perhaps reverse the movement."""
        whole = self.put_into(kit, part, number)
        movement = self.move_product(whole, self.pick(place, self.places), qty, price)
        if is_undone:
            self.undo(movement)

    @step(
        kit=PICK, part=PICK, number=st.sampled_from(("1", "2")), place=PICK, other=st.sampled_from(("", "3")),
        action=st.sampled_from(("settodraft", "cancel")),
    )  # fmt: skip
    def take_kit_back(self, kit, part, number, place, other, action):
        """Ship a kit, change a component's quantity or remove it, and take the shipment back: what left returns."""
        self.put_into(kit, part, number)
        self.sell_products(kind=ORDER, sold=[(kit, "2", None)], is_validated=True)
        self.ship(which=0, place=place, share="rest")
        self.move_shipment(which=0, action="validate")
        self.change_kit(kit=kit, part=part, qty=other, moves=1)
        self.move_shipment(which=0, action=action)

    def put_into(self, kit, part, number):
        """Make a product a component of another one, if it may be one; return the kit."""
        whole, component = self.product(kit), self.product(part)
        if not self.contains(component, whole):
            body = {"subproduct_id": component.id, "qty": number, "incdec": 1}
            self.post(f"/products/{whole.id}/subproducts/add", body)
            whole.parts[component.id] = (exact(number), True)
        return whole

    def contains(self, whole, part):
        """Return whether a product is another one, or contains it at any depth."""
        return whole is part or any(self.contains(self.products[each], part) for each in whole.parts)

    @step(kit=PICK, part=PICK)
    def remove_component(self, kit, part):
        """Remove a component from a kit."""
        whole = self.pick(kit, [each for each in self.products.values() if each.parts])
        component = self.pick(part, list(whole.parts))
        self.ok(self.journal.call("DELETE", f"/products/{whole.id}/subproducts/remove/{component}"))
        del whole.parts[component]

    def moved_with(self, product, place, qty):
        """Return all that moves if a product does: itself, and its components at any depth."""
        found = [(product, place, qty)]
        for part, (number, moves) in self.products[product].parts.items():
            if moves:
                found += self.moved_with(part, place, qty * number)
        return found

    def book(self, moved, sign=1):
        """Enter movements into the books."""
        for product, place, qty in moved:
            self.levels[product, place] = self.levels.get((product, place), Fraction(0)) + sign * qty

    # Stock -----------------------------------------------------------------------------------------------------------

    @step(which=PICK, place=PICK, qty=MOVED, how=st.sampled_from(("move", "transfer", "undo", "bank")), price=COST)
    def move_goods(self, which, place, qty, how, price=""):
        """Move goods in or out, or from one warehouse to the other; or reverse a movement, with all that it moved.

        Or add a line to the bank account.
        """
        if how == "bank":
            body = {"date": DAY, "type": "VIR", "label": "Interest", "amount": qty}
            self.post(f"/bankaccounts/{self.account}/lines", body)
            self.banked += exact(qty)
            return
        there, here = self.places
        if how == "undo":
            self.undo(self.pick(which, self.movements))
            return
        kits = [each for each in self.products.values() if each.parts]
        product = self.pick(which, kits) if kits and which % 2 else self.product(which)
        if how == "move":
            self.move_product(product, self.pick(place, self.places), qty, price)
        elif exact(qty) > 0:
            body = {"product_id": product.id, "from_warehouse_id": there, "to_warehouse_id": here, "qty": qty}
            self.post("/stockmovements/transfer", body)
            self.book(self.moved_with(product.id, there, -exact(qty)))
            self.book(self.moved_with(product.id, here, exact(qty)))

    def move_product(self, product, warehouse, qty, price=""):
        """Move goods in or out of a warehouse; return the movement."""
        body = {"product_id": product.id, "warehouse_id": warehouse, "qty": qty}
        if price:
            body["price"] = price
            product.average = self.average(product, exact(qty), exact(price))
        moved = self.moved_with(product.id, warehouse, exact(qty))
        self.movements.append(Movement(self.post("/stockmovements", body).made, moved))
        self.book(moved)
        return self.movements[-1]

    def average(self, product, qty, price):
        """Return the average price of a product after a movement; what is missing doesn't count."""
        if qty < 0 or not product.average:
            return product.average if qty < 0 else price
        held = sum((level for (each, _), level in self.levels.items() if each == product.id), Fraction(0))
        held = max(held, Fraction(0))
        decimals = int(self.constants["MAIN_MAX_DECIMALS_UNIT"])
        return half_up((held * product.average + qty * price) / (held + qty), decimals)

    def undo(self, movement):
        """Reverse a movement."""
        answer = self.journal.call("POST", f"/stockmovements/{movement.id}/undo", {})
        if self.expect(answer, not movement.is_undone):
            movement.is_undone = True
            self.book(movement.moved, -1)

    @given(ORDER, states=(1, 2))
    @step(which=PICK, place=PICK, share=st.sampled_from(("rest", "half")))
    def ship(self, which, place, share):
        """Make a shipment of an order: all that is left, or half of its first line."""
        order = self.pick(which, self.those(ORDER, states=(1, 2)))
        warehouse = self.pick(place, self.places)
        if share == "rest":
            answer = self.journal.call("POST", f"{order.path}/shipment/{warehouse}", {})
        else:
            line = self.pick(which, order.lines)
            one = {"fk_origin_line": int(line["id"]), "qty": text(exact(line["qty"]) / 2), "entrepot_id": warehouse}
            answer = self.journal.call("POST", "/shipments", {"origin_id": order.id, "lines": [one]})
        if self.expect(answer, None, order):
            self.shipments.append(Shipment(answer.made, order))

    @step(which=PICK, action=st.sampled_from(MOVES))
    def move_shipment(self, which, action):
        """Move a shipment to another state, or delete it; goods leave, or come back."""
        shipment = self.pick(which, self.shipments)
        if action == "delete":
            if self.expect(self.journal.call("DELETE", f"/shipments/{shipment.id}"), shipment.state <= 0):
                self.shipments.remove(shipment)
            return
        answer = self.journal.call("POST", f"/shipments/{shipment.id}/{action}", {})
        states = {"validate": 0, "settodraft": 1, "cancel": 1, "close": 1, "reopen": 2}
        if not self.expect(answer, None if shipment.state == states[action] else False, shipment.order):
            return
        record = self.journal.get(f"/shipments/{shipment.id}")
        shipment.state = int(record["statut"])
        if action == "validate":
            shipment.moved = []
            for line in record["lines"]:
                if line["fk_product"] and int(line["fk_product"]) in self.products:
                    place = int(line["entrepot_id"])
                    shipment.moved += self.moved_with(int(line["fk_product"]), place, -exact(line["qty"]))
            self.book(shipment.moved)
        elif action in ("settodraft", "cancel"):
            self.book(shipment.moved, -1)
        shipment.order.state = int(self.journal.get(shipment.order.path)["statut"])
        self.look(shipment.order)

    def has_heirs(self, document):
        """Return whether another document may refer to this one; a shipment refers to its order."""
        return super().has_heirs(document) or any(each.order is document for each in self.shipments)

    def check_goods(self):
        """Check the law about stock, of each product."""
        for product in self.products.values():
            self.hold("7 price", laws.average(product, self.journal.get(f"/products/{product.id}")))
            found = self.journal.call("GET", f"/products/{product.id}/stock")
            places = found.data["stock_warehouses"] if found.is_done else {}
            held = {int(place): exact(each["real"]) for place, each in (places or {}).items()}
            rows = self.journal.call("GET", "/stockmovements", sqlfilters=f"(t.fk_product:=:{product.id})", limit=100)
            moved = {}
            for row in rows.data if rows.is_done else []:
                place = int(row["warehouse_id"])
                moved[place] = moved.get(place, Fraction(0)) + exact(row["qty"])
            books = {place: qty for (each, place), qty in self.levels.items() if each == product.id}
            self.hold(f"7 stock of product {product.id}", laws.stock(held, moved, books))


__all__ = ["Business"]
