"""Lines of documents with prices: what their bodies accept, what they take from the product, how they are priced."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace as replace_fields
from datetime import date
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any, TypeVar

from core import BadRequest, ExactField, Values, current_caller, profile, query, shown, warn
from core.for_natives import as_column, default_context

from ..dictionaries.codes import code_cleaners
from ..dictionaries.entries import entry
from ..dictionaries.models import Unit
from ..prices.choice import Offer, PriceTerms
from ..prices.offers import LineOffers
from ..products.models import Product
from ..products.products import products
from ..setup.changed_values import warn_of_changes
from ..setup.one_currency import OneCurrency
from ..setup.trees import is_within
from ..thirdparties.discounts import plain_amount
from .amount_checks import OF_LINES, mistaken_names, require_percent
from .models import ZERO, Line
from .plain_lines import KNOWN, MAX_LINES, MAX_TEXT_CHARS, PLACE, TERMS, AcceptedLine, PlainLines
from .precision import Terms, currency, rounding, rounding_warning, terms_of
from .totals import (
    NO_TAX,
    VAT_NOT_DUE,
    Amounts,
    LinePrice,
    LocalTax,
    Rounding,
    SummedLine,
    agrees,
    coin_difference,
    half_up,
    price_line,
    sum_lines,
)

L = TypeVar("L", bound=Line)

#: key of a body that says whether its price is one before taxes (HT) or taxes included (TTC); it isn't a field
BASE = "price_base_type"
#: key for the third party of a new document, next to its fields
CUSTOMER = "customer"
#: fields of the customer and of products that decide the prices of lines
CUSTOMER_FIELDS = ("id", "country_id", "price_level", "name", "status")
PRODUCT_FIELDS = (
    "id", "type", "description", "fk_unit", "price", "price_ttc", "price_base_type", "tva_tx", "default_vat_code",
    "localtax1_tx", "localtax2_tx", "cost_price", "pmp",
)  # fmt: skip
#: fields that a line's amounts depend on, before taxes and with them; other changes keep the amounts
AMOUNT = ("qty", "subprice", "subprice_ttc", "remise_percent", "situation_percent")
PRICED = (*AMOUNT, "tva_tx", "vat_src_code", "info_bits", "product_type", "localtax1_tx", "localtax2_tx")
#: fields that pricing rounds or replaces; a price including VAT gives `subprice`
STORED = ("subprice", "qty", "subprice_ttc", "remise_percent", "localtax1_tx", "localtax2_tx")
#: key for the rate of a body without its code, in the values that `prepare` gets
UNCODED = "uncoded"
#: a new line needs one of these fields, unless it has a price
TELLING = ("fk_product", "desc", "label")
EMPTY = "expected a text in `desc`, a product in `fk_product` or a price in `subprice`, got none of them"
#: decimals of a price, and of a discount in Dolibarr 16
PRICE_DECIMALS, CENT_DECIMALS = 8, 2

#: how a calculated rate is returned
RATE = ExactField(24, 4)

#: the fields that determine the amounts of a line
_PRICED_BY = (
    "qty", "subprice", "tva_tx", "vat_src_code", "localtax1_tx", "localtax2_tx", "remise_percent", "info_bits",
    "product_type",
)  # fmt: skip
_RATE = re.compile(r"\s*([^()\s]*)\s*\(([^()]{1,10})\)\s*")


def _not_negative(text: str) -> str:
    if text.lstrip().startswith("-"):
        raise ValueError("expected a rate of at least 0")
    return text


class Lines(OneCurrency[L], PlainLines[L]):
    """The priced lines of a kind of document: ``Lines(OrderLine)``, or derive from it."""

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
        "product_tosell": "p.status",
        "product_tobuy": "p.status_buy",
        "product_tobatch": "p.status_batch",
        "weight": "p.weight",
        "weight_units": "p.weight_units",
        "volume": "p.volume",
        "volume_units": "p.volume_units",
    }
    #: fields that Dolibarr 16 leaves empty in lines of this kind
    empty_in_dolibarr: Collection[str] = ()
    extra_keys = (BASE,)
    cleaners = {**code_cleaners(Line), "tva_tx": _not_negative}

    def complete(self, records: list[dict[str, Any]]) -> None:
        """Add the aliases of product fields, the price less discount, and the margins."""
        as_recorded = profile().documents_as_recorded
        price = _recorded_price if as_recorded else _price
        empty, own = dict.fromkeys(self.empty_in_dolibarr if as_recorded else ()), currency()
        margins = _margins if profile().margins_as_text else _recorded_margins
        for record in records:
            record["ref"] = record["product_ref"]
            record["libelle"] = record["product_label"]
            sold, discount = record["subprice"], record["remise_percent"]
            record["price"] = price(sold, discount)
            record["multicurrency_code"] = record["multicurrency_code"] or own
            record["marge_tx"], record["marque_tx"] = margins(record["pa_ht"], sold, discount)
            if empty:
                record.update(empty)

    # Checking --------------------------------------------------------------------------------------------------------

    def accept(
        self, body: Mapping[str, Any], *, creating: bool = True, replace: bool = False
    ) -> tuple[Values, dict[str, Any] | None]:
        """Check the body of a line; `tva_tx` may be ``20 (CODE)``.

        :raises BadRequest: fields are missing or invalid; the error lists all of them
        """
        body = dict(body)
        # Stripped first: a regular expression could match a long run of blanks in too many ways
        if isinstance(body.get("tva_tx"), str) and (found := _RATE.fullmatch(body["tva_tx"].strip())):
            body["tva_tx"], body["vat_src_code"] = found[1], found[2]
        uncoded = "tva_tx" in body and "vat_src_code" not in body
        if uncoded:
            # The code belongs to the rate
            body["vat_src_code"] = ""
        values, extras = super().accept(body, creating=creating, replace=replace)
        values.context[UNCODED] = uncoded and not replace
        if body.get(BASE) == "TTC" and "subprice" in body:
            if "subprice" in values:
                values["subprice_ttc"] = values.pop("subprice")
            else:
                values.context[BASE] = "TTC"
        elif replace and values.get("subprice_ttc") is not None and "subprice" not in body:
            del values["subprice"]
        return values, extras

    def unfit(self, values: Values, body: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Return what is wrong beyond types and choices: field and reason."""
        wrong = []
        base = body.get(BASE) or "HT"
        if base not in ("HT", "TTC"):
            wrong.append((BASE, f"expected HT or TTC, got {shown(base)}"))
        net, gross = values.get("subprice"), values.get("subprice_ttc")
        if base == "TTC" and None not in (net, gross) and net != gross:
            reason = f"expected {net:f}, the price including VAT in `subprice`, or no value; got {gross:f}"
            wrong.append(("subprice_ttc", reason))
        wrong += [*mistaken_names(self, OF_LINES, body), *super().unfit(values, body)]
        if values.get("fk_unit"):
            # An empty dictionary is filled when it is read
            entry(Unit, values["fk_unit"])
        return wrong + _period_errors(values.get("date_start"), values.get("date_end"))

    def lacking(self, values: Values) -> list[tuple[str, str]]:
        """Return what is missing in a new line without text, product and price, in the profile that rejects it."""
        if any(values.get(name) for name in TELLING) or _has_price(values):
            return []
        return [("desc", EMPTY)] if profile().empty_lines_are_refused else []

    # Writing ---------------------------------------------------------------------------------------------------------

    def add(self, document: int, lines: Sequence[AcceptedLine], terms: Terms, *, place: str = PLACE) -> list[int]:
        """Write further lines of a document."""
        ids = super().add(document, lines, terms, place=place)
        check_size(len(ids), sum(len(values.get("desc") or "") for values, _ in lines))
        return ids

    def fill(self, lines: Sequence[AcceptedLine], terms: Terms, known: Mapping[int, Product] | None = None) -> None:
        """Fill in missing values of new lines from their products.

        :param known: the products by ID; None: they are read
        """
        wanted = {values["fk_product"] for values, _ in lines if values.get("fk_product")}
        found = _products(wanted) if known is None else {each: known[each] for each in wanted}
        offers = LineOffers(found.values(), terms.customer, terms.price_level)
        for values, _ in lines:
            product = values.get("fk_product") or 0
            take_from_product(values, found.get(product), values.context, offers)
            values.context[KNOWN] = ("fk_product",) if product in found else ()

    def prepare(self, values: Values, before: L | None) -> None:
        """Price a line: a new one, and one of which a value that determines the amounts differs."""
        terms: Terms | None = values.context.get(TERMS)
        self._check_parent(values, before)
        if before is not None:
            start = values.get("date_start", before.date_start)
            end = values.get("date_end", before.date_end)
            if wrong := _period_errors(start, end):
                raise BadRequest(errors=wrong)
            if values.context.get(UNCODED) and values["tva_tx"] == before.tva_tx:
                del values["vat_src_code"]
            if not _differs(values, before, PRICED):
                return
        if terms is not None:
            if before is None or _differs(values, before, ("remise_percent",)):
                require_percent(values, is_credit=terms.credit)
            self.price(values, before, terms)

    def price(self, values: dict[str, Any], before: L | None, terms: Terms) -> None:
        """Set the amounts of a line from the written and the existing values."""
        stored, of = {} if before is None else before.__data__, dict[str, Any]()
        for name in _PRICED_BY:
            value = values[name] if name in values else stored.get(name)
            of[name] = self.model._meta.fields[name].default if value is None else value
        code, rate = of["vat_src_code"] or "", of["tva_tx"]
        first, second = terms.local_taxes(rate, code, of["localtax1_tx"], of["localtax2_tx"])
        gross = _agreed_gross(values, before, _charged_rate(rate, of["info_bits"]), terms.rounding)
        line = LinePrice(
            qty=of["qty"],
            subprice=of["subprice"] if gross is None else gross,
            tva_tx=rate,
            remise_percent=of["remise_percent"],
            situation_percent=self.progress(values, before),
            with_tax=gross is not None,
            info_bits=of["info_bits"],
            product_type=of["product_type"],
            localtax1=first,
            localtax2=second,
        )
        priced = price_line(line, terms.rounding)
        kept = None if before is None else _kept_amount(values, before, line, priced.amounts, terms.rounding)
        if kept is not None:
            line = replace_fields(line, amount=kept)
            priced = price_line(line, terms.rounding)
        self._check_limits(priced.amounts)
        if priced.stored != priced.amounts:
            warn(rounding_warning(line, priced, terms.rounding))
        sent = dict(values)
        values |= {
            "qty": priced.qty,
            "subprice": priced.subprice,
            "subprice_ttc": priced.subprice_ttc,
            "remise_percent": priced.remise_percent,
            "localtax1_tx": first.rate,
            "localtax2_tx": second.rate,
            "localtax1_type": first.type,
            "localtax2_type": second.type,
            "multicurrency_subprice": priced.subprice,
            **as_fields(priced.amounts),
        }
        warn_of_changes(sent, values, STORED if gross is None else STORED[1:])

    def progress(self, values: Mapping[str, Any], before: L | None) -> Decimal:
        """Return the share of the line that is charged, in percent."""
        return Decimal(100)

    def remove(self, line: L) -> None:
        """Delete a line; the lines under it stay."""
        self.model.update(fk_parent_line=None).where(
            (getattr(self.model, self.parent) == getattr(line, self.parent)) & (self.model.fk_parent_line == line.id)
        ).execute()
        super().remove(line)

    def alter(self, line: L, body: Mapping[str, Any], terms: Terms, *, replace: bool) -> bool:
        """Change a line; returns whether anything has changed.

        :param replace: fields that are not sent become what a new line would have, of its product; its position stays
        """
        sent = dict(body)
        if sent.get(BASE) == "TTC" and "subprice" in sent and _number_in(sent, "subprice_ttc") == line.subprice_ttc:
            # It is sent back as it was read, and `subprice` is the new price
            del sent["subprice_ttc"]
        if _number_in(sent, "price") == Decimal(_price(f"{line.subprice:f}", f"{line.remise_percent:f}")):
            sent.pop("price", None)
        if replace and line.fk_product:
            product = products.load(line.fk_product)
            take_from_product(sent, product, sent, LineOffers([product], terms.customer, terms.price_level))
            caller = current_caller()
            if caller is not None and not caller.is_internal and "pa_ht" not in body:
                # Only internal users set it, and it stays
                del sent["pa_ht"]
        return super().alter(line, sent, terms, replace=replace)

    # Totals ----------------------------------------------------------------------------------------------------------

    def terms(self, document: Mapping[str, Any]) -> Terms:
        """Return the terms for pricing the lines of a document."""
        customer = document["socid"]
        known = document.context.get(CUSTOMER) if isinstance(document, Values) else None
        if known is not None and known.id == customer:
            country, level = known.country_id, known.price_level
        else:
            rows = query("SELECT fk_pays, price_level FROM llx_societe WHERE rowid = ?", (customer,))
            country, level = rows[0] if rows else (None, None)
        credit = self.is_credit(document)
        return terms_of(country, self.rounding_of(document), credit=credit, customer=customer, price_level=level)

    def rounding_of(self, document: Mapping[str, Any]) -> Rounding:
        """Return the rounding rules of a document: of prices, totals and its smallest coin.

        :param document: its fields
        """
        return rounding()

    def is_credit(self, document: Mapping[str, Any]) -> bool:
        """Return whether a document gives money back, so that its lines have the opposite signs."""
        return False

    def totals(self, sums: dict[str, Any], document: Mapping[str, Any]) -> dict[str, Any]:
        """Return a document's totals by field, from the sums of its lines.

        :param document: its fields
        """
        return sums

    def first_totals(self, lines: Sequence[AcceptedLine], terms: Terms, document: Mapping[str, Any]) -> dict[str, Any]:
        """Return the totals of a new document by field, and adjust the VAT of its lines to them."""
        check_size(len(lines), sum(len(values.get("desc") or "") for values, _ in lines))
        totals, adjusted = self._settle([summed(values) for values, _ in lines], document, terms.rounding)
        for number, amounts in adjusted.items():
            lines[number][0].update(amounts)
        return totals

    def totals_of(self, identifier: int, document: Mapping[str, Any]) -> dict[str, Any]:
        """Return a document's totals by field, from its lines in the database."""
        rows = self.rows({self.parent: identifier})
        check_size(len(rows), sum(len(row.desc or "") for row in rows))
        totals, adjusted = self._settle([summed(row.__data__) for row in rows], document, self.rounding_of(document))
        for number, amounts in adjusted.items():
            self.write_unchecked(rows[number].id, **amounts)
        return totals

    @default_context
    def _settle(
        self, lines: list[SummedLine], document: Mapping[str, Any], rounding: Rounding
    ) -> tuple[dict[str, Any], dict[int, dict[str, Decimal]]]:
        """Return a document's totals by field, and by number the amounts of lines that are adjusted to them."""
        total, kept = sum_lines(lines, rounding)
        self._check_limits(total)
        adjusted = {
            number: as_fields(after)
            for number, (line, after) in enumerate(zip(lines, kept, strict=True))
            if after != line.amounts
        }
        totals = self.totals(as_fields(total), document)
        difference = coin_difference(totals["total_ttc"], rounding)
        if difference:
            totals |= {name: totals[name] + difference for name in ("total_ttc", "multicurrency_total_ttc")}
        return totals | {"rounding_amount": difference}, adjusted

    def _check_parent(self, values: Mapping[str, Any], before: L | None) -> None:
        parent = values.get("fk_parent_line")
        if not parent:
            return
        if before is not None and is_within(self.model.fk_parent_line, parent, before.id):
            told = "this line" if parent == before.id else "below this line"
            raise BadRequest(errors=[("fk_parent_line", f"expected another line, got {parent}, which is {told}")])
        # A document that is yet to be written has no lines
        document: Any = values.get(self.parent) or getattr(before, self.parent, 0)
        self.of(document, parent)

    def _check_limits(self, amounts: Amounts) -> None:
        limit = self.model._meta.fields["total_ht"].limit()
        for name, value in amounts._asdict().items():
            if value.copy_abs() > limit:
                reason = f"expected an amount up to {limit:f}, got {value:f}"
                raise BadRequest(errors=[(name, reason)])


def _period_errors(start: date | None, end: date | None) -> list[tuple[str, str]]:
    """Return what is wrong with the period of a line: field and reason."""
    if not start or not end or end >= start:
        return []
    return [("date_end", f"expected a date on or after `date_start` ({start:%Y-%m-%d}), got {end:%Y-%m-%d}")]


def check_size(lines: int, characters: int) -> None:
    """Reject a document that would take too long to read and print.

    :param characters: of the texts of all its lines
    :raises BadRequest: it has too many lines, or their texts are too long
    """
    if lines > MAX_LINES:
        raise BadRequest(errors=[("lines", f"expected at most {MAX_LINES} lines, got {lines}")])
    if characters > MAX_TEXT_CHARS:
        reason = f"expected at most {MAX_TEXT_CHARS} characters of text in all lines, got {characters}"
        raise BadRequest(errors=[("lines", reason)])


def as_fields(amounts: Amounts) -> dict[str, Decimal]:
    """Return amounts by field; amounts in the document's currency are equal, because only one currency is supported."""
    return amounts._asdict() | {
        "multicurrency_total_ht": amounts.total_ht,
        "multicurrency_total_tva": amounts.total_tva,
        "multicurrency_total_ttc": amounts.total_ttc,
    }


def summed(values: Mapping[str, Any]) -> SummedLine:
    """Return a line as `sum_lines` takes it."""
    return SummedLine(
        _charged_rate(values.get("tva_tx", ZERO), values.get("info_bits")),
        values.get("product_type", 0),
        Amounts(*[values[name] for name in Amounts._fields]),
        values.get("subprice_ttc") is not None,
        _local_tax(values, "localtax1"),
        _local_tax(values, "localtax2"),
    )


def _charged_rate(rate: Decimal, info_bits: int | None) -> Decimal:
    return ZERO if (info_bits or 0) & VAT_NOT_DUE else rate


def _local_tax(values: Mapping[str, Any], name: str) -> LocalTax:
    rate = values[f"{name}_tx"]
    return LocalTax(rate, values[f"{name}_type"]) if rate else NO_TAX


def _has_price(values: Mapping[str, Any]) -> bool:
    return values.get("subprice") is not None or values.get("subprice_ttc") is not None


def _differs(values: Mapping[str, Any], before: Line, names: Iterable[str]) -> bool:
    """Return whether any value of some fields differs from the stored one; a missing text is an empty one."""
    # Not `or None`, for which a price of 0 would be no price
    return any(_given(values[name]) != _given(getattr(before, name, None)) for name in names if name in values)


def _given(value: Any) -> Any:
    return None if value == "" else value


def _agreed_gross(values: Mapping[str, Any], before: Line | None, rate: Decimal, rounding: Rounding) -> Decimal | None:
    """Return the price of one unit including VAT, if that is agreed; None: the price before VAT is.

    In a stored line, the price that differs from the stored one applies.

    :raises BadRequest: both differ, and they are not the same price
    """
    gross: Decimal | None = values.get("subprice_ttc")
    if before is None:
        return gross
    new_net = _differs(values, before, ("subprice",))
    if not _differs(values, before, ("subprice_ttc",)):
        return None if new_net else before.subprice_ttc
    if new_net and gross is not None and not agrees(values["subprice"], gross, rate, rounding.unit):
        same = f"the same price as `subprice_ttc` {gross:f} less {plain_amount(rate)} % VAT"
        reason = f"expected {same}, or only one of the two; got {values['subprice']:f}"
        raise BadRequest(errors=[("subprice", reason)])
    return gross


@default_context
def _kept_amount(
    values: Mapping[str, Any], before: Line, line: LinePrice, priced: Amounts, rounding: Rounding
) -> Decimal | None:
    """Return the amount that a line keeps if only its taxes change; None if its rounded values give it.

    It was computed from values that were sent with more decimals than are stored. If lines are rounded to the smallest
    coin, an earlier coin may be the reason instead, so the rounded values apply.
    """
    if rounding.coin_by_line or _differs(values, before, AMOUNT):
        return None
    if line.with_tax:
        kept, given = before.total_ht + before.total_tva, priced.total_ht + priced.total_tva
    else:
        kept, given = before.total_ht, priced.total_ht
    return kept if kept != given else None


def _products(identifiers: set[int]) -> dict[int, Product]:
    """Return the products of lines; a missing one is reported when its line is written."""
    if not identifiers:
        return {}
    return {product.id: product for product in products.fields_of(PRODUCT_FIELDS, {"id": identifiers})}


def take_from_product(
    values: dict[str, Any], product: Product | None, context: dict[str, Any], offers: LineOffers
) -> None:
    """Set price, VAT, type, unit and text from the product, if the line doesn't have them.

    :param values: of the line; changed in place
    :param context: values that are not fields, such as `price_base_type`
    :param offers: the prices that the document's customer is offered
    """
    if product is None:
        return
    quantity = _number_in(values, "qty")
    taxes: PriceTerms = product
    if "subprice" not in values and values.get("subprice_ttc") is None:
        if context.pop(BASE, None):
            warn(f"ignored: {BASE}, because the price comes from the product")
        taxes = _take_price(values, product, offers.price(product, quantity))
    if "tva_tx" not in values:
        values["tva_tx"] = taxes.tva_tx
        values.setdefault("vat_src_code", taxes.default_vat_code or "")
        values.setdefault("localtax1_tx", taxes.localtax1_tx)
        values.setdefault("localtax2_tx", taxes.localtax2_tx)
    values.setdefault("product_type", product.type)
    values.setdefault("fk_unit", product.fk_unit)
    if "pa_ht" not in values:
        values["pa_ht"] = offers.cost(product, quantity)
    if not values.get("desc"):
        values["desc"] = product.description or ""


def _take_price(values: dict[str, Any], product: Product, offer: Offer | None) -> PriceTerms:
    """Set the price of a line; return the source of its VAT rate."""
    if offer is None:
        # The product's own price is taken before taxes
        values["subprice"] = product.price
        return product
    values["subprice_ttc" if offer.taxed else "subprice"] = offer.amount
    if offer.discount:
        values.setdefault("remise_percent", offer.discount)
    return offer.source


def _number_in(values: Mapping[str, Any], name: str) -> Decimal:
    """Return a number of a line, even from an unchecked body; 0 if it has none."""
    try:
        number = Decimal(str(values.get(name) or 0))
    except InvalidOperation:
        return ZERO
    return number if number.is_finite() else ZERO


# Cached: a list has many equal prices
@lru_cache(maxsize=4096)
@default_context
def _price(price: str, discount: str) -> str:
    """Return the price of one unit, less discount."""
    percent = Decimal(discount)
    return f"{half_up(Decimal(price) * (1 - percent / 100), PRICE_DECIMALS):f}" if percent else price


@lru_cache(maxsize=4096)
@default_context
def _recorded_price(price: str, discount: str) -> str:
    """Return the same as Dolibarr 16 calculates it: the discount of one unit is rounded to cents first."""
    amount = Decimal(price)
    return plain_amount(amount - half_up(amount * Decimal(discount) / 100, CENT_DECIMALS))


@lru_cache(maxsize=4096)
@default_context
def _margins(cost_price: str | None, price: str | None, discount: str | None) -> tuple[Any, Any]:
    """Return margin rate on the cost and mark rate on the price, percent.

    Without a cost, the first is None and the second is 100 percent; without a price, the second is None.
    """
    cost = Decimal(cost_price or 0)
    if not cost:
        return None, as_column(RATE, Decimal(100))
    sold = Decimal(price or 0) * (1 - Decimal(discount or 0) / 100)
    margin = sold - cost
    return as_column(RATE, margin * 100 / cost), as_column(RATE, margin * 100 / sold) if sold else None


@lru_cache(maxsize=4096)
def _recorded_margins(cost_price: str | None, price: str | None, discount: str | None) -> tuple[Any, Any]:
    """Return both rates as Dolibarr 16 does: numbers, with "" for a missing rate; without a cost, the mark is 100."""
    margin, mark = _margins(cost_price, price, discount)
    if cost_price and Decimal(cost_price):
        return _number(margin), _number(mark)
    return "", 100 if price and Decimal(price) else ""


def _number(rate: str | None) -> float | str:
    """Return a rate as a number, a whole one as an integer; "" if the rate is missing."""
    if rate is None:
        return ""
    number = float(rate)
    return int(number) if number.is_integer() else number
