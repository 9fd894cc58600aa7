"""What holds for any document, on proposals: amounts computed anew in fractions, references, PUT of any field."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import peewee
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core import ExactField, NumberField, RecordField
from core.records.extra_fields import element_models
from core.storage.model import meta_of
from core.testing import Client, Served, make_settings
from modules.numbering.masks import parse, read
from tests.modules.numbering.numbered import masks

#: together they take ten seconds of a processor and more
pytestmark = pytest.mark.slow

#: 2026-11-21, midnight UTC
DAY = 1795219200
EPOCH = datetime(1970, 1, 1)
QUICK = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


class Desk:
    """An administrator at work on proposals, and two customers."""

    def __init__(self, served: Served) -> None:
        self.admin: Client = served.client()
        self.customers = [
            self.admin.ask("POST", "/thirdparties", {"name": name, "client": 1, "code_client": "auto"})
            for name in ("First Ltd", "Second Ltd")
        ]
        self.warehouses = [self.admin.ask("POST", "/warehouses", {"label": label}) for label in ("Main", "Yard")]

    def make(self, *lines: dict[str, Any], **fields: Any) -> str:
        body = {"socid": self.customers[0], "date": DAY, "lines": list(lines), **fields}
        return f"/proposals/{self.admin.ask('POST', '/proposals', body)}"


def started(folder: Path, **options: Any) -> Iterator[Desk]:
    served = Served(make_settings(folder, **options))
    yield Desk(served)
    served.close()


@pytest.fixture(scope="module", params=["specification"])
def desk(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    yield from started(tmp_path_factory.mktemp("rules"))


# Amounts, in fractions ----------------------------------------------------------------------------------------------


def rounded(value: Fraction, places: int = 2) -> Fraction:
    """Half away from zero."""
    whole = math.floor(abs(value) * 10**places + Fraction(1, 2))
    return Fraction(whole if value >= 0 else -whole, 10**places)


def amounts(line: dict[str, Any]) -> tuple[Fraction, Fraction, Fraction]:
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


def sums(lines: list[dict[str, Any]], per_rate: bool = False) -> tuple[Fraction, ...]:
    counted = [line for line in lines if line["product_type"] != 9]
    each = [amounts(line) for line in counted]
    net, vat, taxed = (sum((part[index] for part in each), Fraction()) for index in range(3))
    if per_rate:
        nets: dict[Fraction, Fraction] = {}
        for line, part in zip(counted, each, strict=True):
            rate = Fraction(line["tva_tx"])
            nets[rate] = nets.get(rate, Fraction()) + part[0]
        exact = sum((rounded(amount * rate / 100) for rate, amount in nets.items()), Fraction())
        vat, taxed = exact, taxed + exact - vat
    return net, vat, taxed


def stored(record: dict[str, Any]) -> tuple[Fraction, ...]:
    return tuple(Fraction(record[name]) for name in ("total_ht", "total_tva", "total_ttc"))


def decimals(low: str, high: str, places: int) -> st.SearchStrategy[str]:
    return st.decimals(low, high, places=places).map(lambda number: f"{number:f}")


RATES = st.sampled_from(["0", "2.1", "5.5", "10", "19.6", "20", "33.3333"]) | decimals("0", "999", 4)
#: values as fine as they are stored, so that a later change computes with what was sent
LINES = st.fixed_dictionaries(
    {
        "qty": decimals("-1000", "1000", 5),
        "subprice": decimals("-1000", "1000", 5),
        "tva_tx": RATES,
        "remise_percent": st.just("0") | decimals("-10", "200", 3),
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
@settings(QUICK, max_examples=60)
def test_totals_are_the_sums_of_lines_priced_by_the_rule(desk: Desk, lines: list[Any], one_by_one: bool) -> None:
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
@settings(QUICK, max_examples=40)
def test_vat_by_rate_is_that_of_each_rates_sum(desk: Desk, lines: list[Any]) -> None:
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
@settings(QUICK, max_examples=40)
def test_totals_follow_every_change_of_lines(desk: Desk, lines: list[Any], changes: list[Any]) -> None:
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


# References --------------------------------------------------------------------------------------------------------

DATES = st.dates(date(1999, 1, 1), date(2099, 12, 31)) | st.dates(date(2026, 1, 1), date(2027, 12, 31))
DRAFTS = st.lists(st.tuples(DATES, st.integers(0, 1)), min_size=1, max_size=6)


@given(masks(), DRAFTS, st.randoms(use_true_random=False))
@settings(QUICK, max_examples=40)
def test_any_order_of_validations_gives_increasing_references(
    desk: Desk, mask: str, drafts: list[Any], order: Any
) -> None:
    for name, value in (("PROPALE_ADDON", "mod_propale_saphir"), ("PROPALE_SAPHIR_MASK", mask)):
        desk.admin.ask("PUT", f"/setup/conf/{name}", {"value": value})
    made = list(drafts)
    order.shuffle(made)
    by_draft = {
        draft: [
            desk.make(date=draft[0].isoformat(), socid=desk.customers[draft[1]]) for each in drafts if each == draft
        ]
        for draft in drafts
    }
    paths = [by_draft[draft].pop() for draft in made]
    refs = [desk.admin.ask("POST", f"{path}/validate")["ref"] for path in paths]
    assert len(set(refs)) == len(refs)
    assert [desk.admin.get(path)["ref"] for path in paths] == refs
    series: dict[tuple[str, str], list[int]] = {}
    parsed = parse(mask.strip())
    for ref in refs:
        said = read(parsed, ref)
        assert said is not None
        counter = parsed.has("counter")
        number = said.number if counter else said.customer_number
        series.setdefault((said.period, "" if counter else said.customer), []).append(number or 0)
    for numbers in series.values():
        # From the first on, without a gap
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    # The last reference is free again once its proposal is deleted
    desk.admin.ask("DELETE", paths.pop())
    day, number = made[-1]
    paths.append(desk.make(date=day.isoformat(), socid=desk.customers[number]))
    assert desk.admin.ask("POST", f"{paths[-1]}/validate")["ref"] == refs[-1]
    for path in reversed(paths):
        desk.admin.ask("DELETE", path)


# PUT of every field ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=["specification", "dolibarr16"])
def changing(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Desk, str]]:
    for desk in started(tmp_path_factory.mktemp(request.param), profile_name=request.param):
        yield desk, request.param


#: fields whose values are entries of a dictionary
ENTRIES = {"cond_reglement_id": [1, 2, 3], "mode_reglement_id": [2, 4, 7]}


def writable() -> dict[str, peewee.Field]:
    meta = meta_of(element_models()["propal"])
    # How long a proposal is valid sets another field
    return {name: field for name, field in meta.fields.items() if name not in (*meta.managed, "duree_validite")}


def values(name: str, field: peewee.Field, desk: Desk) -> st.SearchStrategy[Any]:
    """Any value that the field takes."""
    choices = [choice for choice, _ in field.choices or ()]
    if isinstance(field, RecordField):
        return st.sampled_from(desk.customers)
    if name == "warehouse_id":
        return st.sampled_from(desk.warehouses)
    if choices or name in ENTRIES:
        return st.sampled_from(choices or ENTRIES[name])
    if isinstance(field, ExactField):
        limit = min(field.limit(), Decimal(10**8))
        return st.decimals(-limit, limit, places=field.scale).map(lambda number: f"{number:f}")
    if isinstance(field, peewee.DateTimeField):
        moments = st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1))
        return moments.map(lambda when: (when - EPOCH) // timedelta(seconds=1)).filter(is_clear)
    if isinstance(field, peewee.DateField):
        days = st.dates(date(1900, 1, 1), date(2200, 1, 1))
        return days.map(lambda day: (day - EPOCH.date()).days * 86400).filter(is_clear)
    if isinstance(field, peewee.IntegerField):
        return st.integers(-(2**31), 2**31 - 1)
    length = getattr(field, "max_length", None) or 300
    letters = st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff")
    return st.text(letters, max_size=min(length, 300))


def is_clear(seconds: int) -> bool:
    """Whether seconds cannot be taken for a day such as 20261121, which is 400."""
    return not 10**7 <= seconds < 10**8


def answered(field: peewee.Field, value: Any, profile: str) -> Any:
    """A value as a record shows it."""
    if isinstance(field, ExactField):
        text = f"{Decimal(value):.{field.scale}f}"
        text = text.removeprefix("-") if Decimal(value) == 0 else text
        return text.rstrip("0").rstrip(".") if profile == "dolibarr16" and field.trimmed else text
    if isinstance(field, peewee.IntegerField) and not isinstance(field, NumberField) and profile == "dolibarr16":
        return str(value)
    return value


@given(st.data())
@settings(QUICK, max_examples=60)
def test_put_of_one_field_leaves_what_the_profile_says(changing: tuple[Desk, str], data: st.DataObject) -> None:
    desk, profile = changing
    fields = writable()
    assert len(fields) > 20
    full = {name: data.draw(values(name, field, desk), label=name) for name, field in fields.items()}
    path = desk.make(**full)
    shown = {name: answered(field, full[name], profile) for name, field in fields.items()}
    before = desk.admin.get(path)
    assert {name: before[name] for name in fields} == shown
    bare = desk.admin.get(desk.make(socid=full["socid"], date=full["date"]))
    name = data.draw(st.sampled_from(sorted(fields)), label="field")
    value = data.draw(values(name, fields[name], desk), label="value")
    after = desk.admin.ask("PUT", path, {name: value})
    changed = {name: answered(fields[name], value, profile)}
    others = shown if profile == "dolibarr16" else {each: bare[each] for each in fields}
    assert {each: after[each] for each in fields} == others | changed
    assert after == desk.admin.get(path)
    patched = desk.admin.ask("PATCH", path, {each: full[each] for each in fields})
    assert {each: patched[each] for each in fields} == shown
    desk.admin.ask("DELETE", path)
