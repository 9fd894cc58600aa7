"""What holds for any document, on proposals: amounts computed anew in fractions."""

import math
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.testing import Served, make_settings

#: together they take ten seconds of a processor and more
pytestmark = pytest.mark.slow

#: 2026-11-21, midnight UTC
DAY = 1795219200
SHARED_DESK = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


class Desk:
    """An administrator at work on proposals, and two customers."""

    def __init__(self, served):
        self.admin = served.client()
        self.customers = [
            self.admin.ask("POST", "/thirdparties", {"name": name, "client": 1, "code_client": "auto"})
            for name in ("First Ltd", "Second Ltd")
        ]
        self.warehouses = [self.admin.ask("POST", "/warehouses", {"label": label}) for label in ("Main", "Yard")]

    def make(self, *lines, **fields):
        body = {"socid": self.customers[0], "date": DAY, "lines": list(lines), **fields}
        return f"/proposals/{self.admin.ask('POST', '/proposals', body)}"


def started(folder, **options):
    served = Served(make_settings(folder, **options))
    yield Desk(served)
    served.close()


@pytest.fixture(scope="module", params=["specification"])
def desk(request, tmp_path_factory):
    yield from started(tmp_path_factory.mktemp("rules"))


# Amounts, in fractions ----------------------------------------------------------------------------------------------


def rounded(value, places=2):
    """Half away from zero."""
    whole = math.floor(abs(value) * 10**places + Fraction(1, 2))
    return Fraction(whole if value >= 0 else -whole, 10**places)


def amounts(line):
    """Without tax, VAT, with tax, of what a line asks for."""
    qty, price, rate, discount = (Fraction(line[name]) for name in ("qty", "subprice", "tva_tx", "remise_percent"))
    asked = qty * price * (1 - discount / 100)
    if line.get("price_base_type") == "TTC":
        taxed = rounded(asked)
        net = rounded(asked / (1 + rate / 100))
    else:
        net = rounded(asked)
        taxed = rounded(asked * (1 + rate / 100))
    return net, rounded(taxed - net), taxed


def sums(lines, per_rate=False):
    counted = [line for line in lines if line["product_type"] != 9]
    each = [amounts(line) for line in counted]
    net, vat, taxed = (sum((part[index] for part in each), Fraction()) for index in range(3))
    if per_rate:
        # Of prices with VAT the total with VAT stays, of the others the total without it
        bases = {}
        for line, part in zip(counted, each, strict=True):
            key = with_vat, _ = line.get("price_base_type") == "TTC", Fraction(line["tva_tx"])
            bases[key] = bases.get(key, Fraction()) + (part[2] if with_vat else part[0])
        net = taxed = Fraction()
        for (with_vat, rate), base in bases.items():
            net += rounded(base / (1 + rate / 100)) if with_vat else base
            taxed += base if with_vat else base + rounded(base * rate / 100)
        vat = taxed - net
    return net, vat, taxed


def stored(record):
    return tuple(Fraction(record[name]) for name in ("total_ht", "total_tva", "total_ttc"))


def decimals(low, high, places):
    return st.decimals(low, high, places=places).map(lambda number: f"{number:f}")


RATES = st.sampled_from(["0", "2.1", "5.5", "10", "19.6", "20", "33.3333"]) | decimals("0", "999", 4)
#: values as fine as they are stored, so that a later change computes with what was sent
LINES = st.fixed_dictionaries(
    {
        "qty": decimals("-1000", "1000", 5),
        "subprice": decimals("-1000", "1000", 5),
        "tva_tx": RATES,
        "remise_percent": st.just("0") | decimals("0", "100", 3),
        "product_type": st.sampled_from([0, 0, 1, 9]),
    },
    optional={"price_base_type": st.sampled_from(["HT", "TTC"])},
)
FINE = st.fixed_dictionaries(
    {
        "qty": decimals("-1000", "1000", 8) | st.integers(-9, 9).map(str),
        "subprice": decimals("-1000", "1000", 8) | decimals("-9", "9", 3),
        "tva_tx": RATES,
        "remise_percent": decimals("0", "100", 6),
        "product_type": st.sampled_from([0, 1, 9]),
    },
    optional={"price_base_type": st.sampled_from(["HT", "TTC"])},
)


@given(st.lists(FINE, max_size=6), st.booleans())
@SHARED_DESK
def test_totals_are_the_sums_of_lines_priced_by_the_rule(desk, lines, one_by_one):
    path = desk.make(*([] if one_by_one else lines))
    for line in lines if one_by_one else []:
        desk.admin.ask("POST", f"{path}/lines", line)
    record = desk.admin.get(path)
    assert [stored(line) for line in record["lines"]] == [amounts(line) for line in lines]
    assert stored(record) == sums(lines)
    for kept, line in zip(record["lines"], lines, strict=True):
        assert Fraction(kept["qty"]) == rounded(Fraction(line["qty"]), 5)
        assert Fraction(kept["remise_percent"]) == rounded(Fraction(line["remise_percent"]), 3)
        factor = 1 + Fraction(line["tva_tx"]) / 100 if line.get("price_base_type") == "TTC" else 1
        assert Fraction(kept["subprice"]) == rounded(Fraction(line["subprice"]) / factor, 5)


@given(st.lists(FINE, max_size=8))
@SHARED_DESK
def test_vat_by_rate_is_that_of_each_rates_sum(desk, lines):
    desk.admin.ask("PUT", "/setup/conf/MAIN_ROUNDOFTOTAL_NOT_TOTALOFROUND", {"value": "1"})
    try:
        record = desk.admin.get(desk.make(*lines))
    finally:
        desk.admin.ask("DELETE", "/setup/conf/MAIN_ROUNDOFTOTAL_NOT_TOTALOFROUND")
    assert stored(record) == sums(lines, per_rate=True)
    counted = [line for line in record["lines"] if line["product_type"] != 9]
    assert stored(record) == tuple(
        sum((Fraction(line[name]) for line in counted), Fraction()) for name in ("total_ht", "total_tva", "total_ttc")
    )


CHANGES = st.lists(
    st.tuples(st.sampled_from(["add", "put", "patch", "delete", "move"]), st.integers(0, 9), LINES), max_size=6
)


@given(st.lists(LINES, max_size=3), CHANGES)
@SHARED_DESK
def test_totals_follow_every_change_of_lines(desk, lines, changes):
    plain = [{**line, "price_base_type": "HT"} for line in lines]
    path = desk.make(*plain)
    known = dict(zip((line["id"] for line in desk.admin.get(path)["lines"]), plain, strict=True))
    for verb, place, sent in changes:
        line = {**sent, "price_base_type": "HT"}
        if verb == "add" or not known:
            known[desk.admin.ask("POST", f"{path}/lines", line)] = line
            continue
        chosen = sorted(known)[place % len(known)]
        where = f"{path}/lines/{chosen}"
        if verb == "delete":
            desk.admin.ask("DELETE", where)
            del known[chosen]
        elif verb == "move":
            desk.admin.ask("PATCH", where, {"rang": place})
        elif verb == "put":
            desk.admin.ask("PUT", where, line)
            known[chosen] = line
        else:
            desk.admin.ask("PATCH", where, {"qty": line["qty"]})
            known[chosen] = known[chosen] | {"qty": line["qty"]}
        record = desk.admin.get(path)
        assert {each["id"]: stored(each) for each in record["lines"]} == {
            identifier: amounts(each) for identifier, each in known.items()
        }
        assert stored(record) == sums(list(known.values()))
        places = [each["rang"] for each in record["lines"]]
        assert places == sorted(set(places))
