"""Purchase prices: the prices of suppliers for products."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from core import BadRequest, ListQuery, NotFound, Records, Refused, Unauthorized, current_caller, profile, transaction
from core.for_natives import Page, default_context, seen_rows

from ..dictionaries.category_links import in_category
from ..dictionaries.codes import code_cleaners
from ..products.models import Product
from ..products.price_rules import unfit
from ..products.prices import rounded
from ..products.products import MODES, products
from ..thirdparties.models import Thirdparty
from .models import PurchasePrice
from .offers import note_purchase
from .purchase import Purchase, values_of

suppliers = Records(Thirdparty, noun="Supplier")

#: maximum products with purchase prices in one list
MOST_PRODUCTS = 30_000


class PurchasePrices(Records[PurchasePrice]):
    """Purchase prices of products; external users see those of their own company."""

    model = PurchasePrice
    noun = "Purchase price"
    cleaners = code_cleaners(PurchasePrice)
    sort = "t.fk_soc,t.ref_fourn,t.quantity"
    joins = {"s": (Thirdparty, "fourn_id", ("name",)), "p": (Product, "product_id", ("ref",))}
    answers = {"fourn_name": "s.name", "product_ref": "p.ref"}

    # Reading --------------------------------------------------------------------------------------------------------

    @default_context
    def complete(self, records: list[dict[str, Any]]) -> None:
        """Add second names of fields; `id` is the product's, as in Dolibarr."""
        for record in records:
            record["product_fourn_price_id"], record["id"] = record["id"], record["product_id"]
            record["fourn_ref"] = record["ref_supplier"]
            unit, discount = Decimal(record["fourn_unitprice"]), Decimal(record["fourn_remise_percent"])
            record["fourn_unitprice_with_discount"] = f"{rounded(unit * (1 - discount / 100), 8):f}"

    def of_product(self, product: Mapping[str, Any]) -> Page:
        """Return the prices of a product that is identified by `id`, `ref`, `ref_ext` or `barcode`.

        :raises BadRequest: no value is given
        :raises NotFound: there is no such product
        :raises Conflict: several products have the value
        """
        by = next((name for name, value in product.items() if value), None)
        if by is None:
            theirs = "bad value for parameter id, ref, ref_ext or barcode"
            raise BadRequest("expected one of `id`, `ref`, `ref_ext` or `barcode`, got none", dolibarr=theirs)
        page = Page(self.every({"product_id": products.load(product[by], by).id}))
        page.seen = seen_rows(PurchasePrice)
        return page

    def by_product(self, query: ListQuery, mode: int, supplier: int, category: int) -> dict[str, list[dict[str, Any]]]:
        """Return the prices of the products of a page: product ID → prices.

        :param query: which products; filters and order are those of products
        :param category: only products in it; 0: all
        :raises Unauthorized: an external user requests another supplier
        :raises NotFound: the list is empty, and the profile rejects empty lists
        """
        caller = current_caller()
        if caller is not None and caller.socid is not None and supplier not in (0, caller.socid):
            raise Unauthorized(
                f"external users can read only their own prices; set `supplier` to {caller.socid}",
                dolibarr=f"As an external user, you can request only for your supplier id = {caller.socid}",
            )
        of = {"fourn_id": supplier} if supplier else {}
        bought = [each["product_id"] for each in self.group("product_id", where=of, number="count")]
        if len(bought) > MOST_PRODUCTS:
            raise unfit(
                *BadRequest.missing("supplier", f" because more than {MOST_PRODUCTS} products have purchase prices")
            )
        page = products.page(query, {"id": bought, **MODES.get(mode, {}), **in_category("product", category)})
        found: dict[str, list[dict[str, Any]]] = {str(record["id"]): [] for record in page}
        for price in self.every({"product_id": [int(each) for each in found], **of}):
            found[str(price["product_id"])].append(price)
        if not found and profile().empty_list_is_missing:
            raise NotFound(products.empty)
        return found

    # Writing --------------------------------------------------------------------------------------------------------

    def note(self, product: int, purchase: Purchase) -> int:
        """Store a supplier's price for a quantity, replacing an earlier one; return its ID.

        :raises BadRequest: the quantity is not above 0, or an entry of a dictionary does not exist
        :raises NotFound: there is no such product or supplier
        :raises Refused: the third party is not a supplier, or its reference belongs to another product
        """
        values = values_of(purchase)
        with transaction():
            products.load(product)
            # Two requests with the same price at once run one after the other
            supplier = suppliers.load(purchase.fourn_id, lock=True)
            if not supplier.fournisseur:
                raise Refused(
                    f"third party {supplier.id} is not a supplier; set its `fournisseur` to 1", reason="wrong_type"
                )
            mine = {"fourn_id": supplier.id, "ref_supplier": values["ref_supplier"]}
            named = self.rows(mine)
            if any(row.product_id != product for row in named):
                raise Refused(
                    f"supplier {supplier.id} uses the reference {values['ref_supplier']} for another product",
                    reason="value_taken",
                )
            known = [row for row in named if row.fourn_qty == values["fourn_qty"]]
            if known:
                self.change(known[0].id, {}, **values)
                return int(known[0].id)
            note_purchase()
            return self.insert(values | mine | {"product_id": product}, None)

    def remove(self, product: int, price: int) -> None:
        """Delete a price of a product.

        :raises NotFound: there is no such product, or it has no such price
        """
        with transaction():
            products.load(product)
            if not self.rows({"id": price, "product_id": product}):
                raise NotFound(f"product {product} has no purchase price {price}")
            self.delete(price)


purchase_prices = PurchasePrices()
