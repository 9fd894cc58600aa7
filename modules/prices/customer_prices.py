"""Selling prices of a product by customer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core import NotFound, Records, Unauthorized, Values, current_caller, now, transaction
from core.for_natives import Page, current_user_id, seen_rows

from ..products.models import Product
from ..products.price_modes import require
from ..products.price_rules import settle_prices
from ..products.products import products
from ..setup.text_cleaners import clean_base
from ..thirdparties.models import Thirdparty
from .completion import complete_price
from .models import CustomerPrice


class CustomerPrices(Records[CustomerPrice]):
    """Prices for customers: one per customer and product."""

    model = CustomerPrice
    noun = "Price"
    cleaners = {"price_base_type": clean_base}
    joins = {"s": (Thirdparty, "fk_soc", ("name",)), "p": (Product, "fk_product", ("ref",))}
    answers = {"socname": "s.name", "prodref": "p.ref"}

    def of_product(self, product: int, customers: str) -> Page:
        """Return the prices of a product.

        :param customers: IDs separated by commas; empty: all
        :raises Unauthorized: an external user requests prices of other companies
        """
        require("customers")
        wanted = [int(each) for each in customers.split(",") if each]
        caller = current_caller()
        if caller is not None and caller.socid is not None and wanted != [caller.socid]:
            raise Unauthorized(
                f"external users can read only their own prices; set `thirdparty_id` to {caller.socid}",
                dolibarr=f"Getting prices for all customers or for the customer ID {customers} is not allowed"
                f" for login {caller.login}",
            )
        products.load(product)
        page = Page(self.every({"fk_product": product} | ({"fk_soc": wanted} if wanted else {})))
        page.empty, page.seen = "Prices not found", seen_rows(CustomerPrice)
        return page

    def add(self, product: int, body: Mapping[str, Any]) -> int:
        """Add the price of a product for a customer; return its ID."""
        require("customers")
        products.load(product)
        return self.create(body, fk_product=product)

    def alter(self, product: int, price: int, body: Mapping[str, Any]) -> dict[str, Any]:
        """Change the price of a customer; return the price."""
        require("customers")
        with transaction():
            self._of(product, price)
            self.change(price, body)
        return self.read(price)

    def remove(self, product: int, price: int) -> None:
        """Delete the price of a customer."""
        require("customers")
        with transaction():
            self._of(product, price)
            self.delete(price)

    def prepare(self, values: Values, before: CustomerPrice | None) -> None:
        """Complete a new price from its product; compute the missing side of each amount."""
        if before is None:
            complete_price(values, products.load(values["fk_product"]))
        else:
            settle_prices(values, before)
        values |= {"fk_user": current_user_id(), "date_modification": now()}

    def _of(self, product: int, price: int) -> None:
        products.load(product)
        if not self.rows({"id": price, "fk_product": product}):
            raise NotFound(f"product {product} has no price {price}")


customer_prices = CustomerPrices()
