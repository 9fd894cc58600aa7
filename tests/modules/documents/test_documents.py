"""What all kinds of documents share, on each kind: specification.md, differences.md 2, rules.md 5 to 8."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from core.storage.database import close, database, ensure_connected, quote
from core.testing import Client, Served, cost

#: 2026-11-21, midnight UTC
DAY = 1795219200
MODULES = Path(__file__).parents[3] / "modules"


@dataclass(frozen=True)
class Kind:
    """A kind of document.

    :param path: where it is served
    :param element: what it is called in links, in roles and as a kind of extra fields
    :param parent: the field of a line that leads to it
    :param role: a role that the kind offers besides BILLING and SHIPPING
    :param needs_lines: whether it is validated only with lines
    """

    path: str
    element: str
    parent: str
    role: str
    needs_lines: bool = False


KINDS = [
    Kind("proposals", "propal", "fk_propal", "CUSTOMER"),
    Kind("orders", "commande", "fk_commande", "CUSTOMER"),
    Kind("invoices", "facture", "fk_facture", "SERVICE", needs_lines=True),
]
SERVED = [kind for kind in KINDS if (MODULES / kind.path / "class" / f"api_{kind.path}.py").exists()]


class Desk:
    """An administrator at work on one kind of document."""

    def __init__(self, admin: Client, kind: Kind, customer: int) -> None:
        self.admin = admin
        self.kind = kind
        self.customer = customer

    def path(self, identifier: Any = "", *rest: Any) -> str:
        return "/".join(["", self.kind.path, *(str(part) for part in (identifier, *rest) if part != "")])

    def body(self, *lines: dict[str, Any], **fields: Any) -> dict[str, Any]:
        return {"socid": self.customer, "date": DAY, "lines": list(lines), **fields}

    def make(self, *lines: dict[str, Any], **fields: Any) -> int:
        identifier = self.admin.ask("POST", self.path(), self.body(*lines, **fields))
        assert isinstance(identifier, int)
        return identifier

    def read(self, identifier: int) -> dict[str, Any]:
        return self.admin.get(self.path(identifier))  # type: ignore[no-any-return]

    def made(self, *lines: dict[str, Any], **fields: Any) -> dict[str, Any]:
        return self.read(self.make(*lines, **fields))

    def act(self, identifier: int, action: str, *, status: int = 200) -> Any:
        return self.admin.ask("POST", self.path(identifier, action), status=status)

    def etag(self, identifier: int) -> str:
        return str(self.admin.simulate_get(self.path(identifier)).headers["etag"])


@pytest.fixture(scope="module")
def customer(admin: Client) -> int:
    return admin.ask("POST", "/thirdparties", {"name": "Customer Ltd", "client": 1})  # type: ignore[no-any-return]


@pytest.fixture(scope="module", params=SERVED, ids=lambda kind: kind.path)
def desk(request: pytest.FixtureRequest, admin: Client, customer: int) -> Desk:
    return Desk(admin, request.param, customer)


def contents() -> dict[str, list[str]]:
    """Every row of every table, but for dictionaries, which fill themselves, and for keys, which note their use."""
    ensure_connected()
    tables = [name for name in database.get_tables() if "_c_" not in name and "key" not in name]
    return {name: sorted(map(repr, database.execute_sql(f"SELECT * FROM {quote(name)}").fetchall())) for name in tables}


@contextmanager
def nothing_written() -> Iterator[None]:
    before = contents()
    yield
    assert contents() == before


def totals(record: dict[str, Any]) -> tuple[str, ...]:
    """Without tax, VAT, with tax, with the decimals that are not 0."""
    shown = (record[name] for name in ("total_ht", "total_tva", "total_ttc"))
    return tuple(f"{text[:-6]}{text[-6:].rstrip('0')}" for text in shown)


def ranks(record: dict[str, Any]) -> list[tuple[str, int]]:
    return [(line["desc"], line["rang"]) for line in record["lines"]]


# Creating and reading ------------------------------------------------------------------------------------------------


def test_a_new_document_is_a_draft(desk: Desk) -> None:
    record = desk.made({"desc": "free", "qty": 3, "subprice": "19.99", "tva_tx": "20", "remise_percent": 10},
                       {"desc": "second", "qty": "2", "subprice": 100, "tva_tx": "5.5"})  # fmt: skip
    assert record["ref"] == f"(PROV{record['id']})"
    assert (record["statut"], record["status"], record["brouillon"]) == (0, 0, 1)
    assert (record["socid"], record["date"], record["entity"]) == (desk.customer, DAY, 1)
    assert (record["user_author_id"], record["user_valid_id"], record["date_validation"]) == (1, None, None)
    assert (record["multicurrency_code"], record["multicurrency_tx"]) == ("EUR", "1.00000000")
    # observed/02: 53.97 + 200, 10.80 + 11, 64.77 + 211
    assert totals(record) == ("253.97", "21.80", "275.77")
    assert totals({name: record[f"multicurrency_{name}"] for name in ("total_ht", "total_tva", "total_ttc")}) == (
        "253.97", "21.80", "275.77",
    )  # fmt: skip
    assert [totals(line) for line in record["lines"]] == [("53.97", "10.80", "64.77"), ("200.00", "11.00", "211.00")]
    assert [line[desk.kind.parent] for line in record["lines"]] == [record["id"]] * 2
    assert (record["contacts_ids"], record["linkedObjectsIds"], record["array_options"]) == ([], {}, {})


def test_a_line_has_the_defaults_of_the_reference(desk: Desk) -> None:
    line = desk.made({})["lines"][0]
    expected = {
        "desc": "", "label": None, "product_type": 0, "fk_product": None, "qty": "0.00000000",
        "subprice": "0.00000000", "tva_tx": "0.0000", "vat_src_code": "", "localtax1_tx": "0.0000",
        "localtax2_tx": "0.0000", "localtax1_type": "0", "localtax2_type": "0", "remise_percent": "0.0000",
        "fk_remise_except": None, "total_ht": "0.00000000", "total_ttc": "0.00000000", "date_start": None,
        "date_end": None, "info_bits": 0, "fk_parent_line": None, "rang": 1, "fk_unit": None, "pa_ht": "0.00000000",
        "fk_fournprice": None, "product_ref": None, "product_label": None, "libelle": None, "ref": None,
        "marge_tx": None, "marque_tx": 100, "price": None,
    }  # fmt: skip
    assert {name: line[name] for name in expected} == expected
    assert (line["rowid"], line["description"]) == (line["id"], line["desc"])


def test_every_field_of_a_line_is_kept(desk: Desk, admin: Client) -> None:
    sent = {
        "desc": "<b>text</b> & 'quotes'", "label": "a label", "product_type": 1, "qty": "1.23456789",
        "subprice": "9.87654321", "tva_tx": "19.6", "vat_src_code": "XY", "remise_percent": "12.3456",
        "date_start": DAY + 3600, "date_end": "2026-11-22T00:00:00Z", "info_bits": 2, "special_code": 4, "rang": 7,
        "fk_unit": 2, "pa_ht": "5", "fk_fournprice": 8,
    }  # fmt: skip
    # rules.md 8: the values are stored rounded
    stored = sent | {
        "qty": "1.23457000", "subprice": "9.87654000", "tva_tx": "19.6000", "remise_percent": "12.3460",
        "date_end": DAY + 86400, "pa_ht": "5.00000000", "multicurrency_subprice": "9.87654000",
    }  # fmt: skip
    record = desk.made(sent)
    for line in (record["lines"][0], admin.get(desk.path(record["id"], "lines"))[0]):
        assert {name: line[name] for name in stored} == stored
        assert totals(line) == ("10.69", "2.09", "12.78")
    assert totals(record) == ("10.69", "2.09", "12.78")
    first, second = (admin.ask("POST", desk.path(record["id"], "lines"), each) for each in (sent, sent | {"rang": 0}))
    lines = {line["id"]: line for line in desk.read(record["id"])["lines"]}
    assert {name: lines[first][name] for name in stored} == stored
    assert {name: lines[second][name] for name in stored} == stored | {"rang": 9}
    # 9.87654 × (1 − 12.346 %) = 8.6571824; 3.6571824 over a cost of 5: 73.14365 % of it, 42.24449 % of the price
    assert (lines[first]["marge_tx"], lines[first]["marque_tx"]) == ("73.1436", "42.2445")


def test_found_by_reference_and_by_another_systems_reference(desk: Desk, admin: Client) -> None:
    first, second = (desk.make(ref_ext=f"{desk.kind.path}-shop 12-7") for _ in range(2))
    assert admin.get(desk.path("ref", f"(PROV{second})"))["id"] == second
    # Of several the lowest identifier, whatever happens to them
    assert admin.get(desk.path("ref_ext", f"{desk.kind.path}-shop 12-7"))["id"] == first
    found = admin.get(desk.path(), sqlfilters=f"(t.ref:like:'(PROV{first})')")
    assert [record["id"] for record in found] == [first]
    found = admin.get(desk.path(), sqlfilters=f"(t.ref:in:'(PROV{first})','(PROV{second})')", sortorder="DESC")
    assert [record["id"] for record in found] == [second, first]
    assert admin.get(desk.path(), sqlfilters="(t.ref:=:'(PROV0)')") == []
    for path in ("ref/(PROV0)", "ref_ext/nowhere", "999999"):
        admin.refused("GET", desk.path(path), status=404)


def test_an_empty_identifier_is_400(desk: Desk, admin: Client) -> None:
    for verb, path in (
        ("GET", "0"), ("PUT", "0"), ("PATCH", "0"), ("DELETE", "0"), ("GET", "0/lines"), ("POST", "0/lines"),
        ("POST", "0/validate"), ("POST", "0/settodraft"), ("GET", "0/contacts"), ("POST", "0/contact/1/BILLING"),
    ):  # fmt: skip
        message = admin.refused(verb, desk.path(path), {} if verb in ("PUT", "PATCH", "POST") else None, status=400)
        assert "mandatory" in message
    admin.refused("GET", desk.path("seven"), status=400)


def test_a_list_of_documents(desk: Desk, admin: Client) -> None:
    other = admin.ask("POST", "/thirdparties", {"name": "Another Ltd"})
    first, second = (desk.make({"qty": number, "subprice": 1}, socid=other) for number in (1, 2))
    found = admin.get(desk.path(), thirdparty_ids=f"{other},999999")
    assert [record["id"] for record in found] == [first, second]
    assert [totals(record)[0] for record in found] == ["1.00", "2.00"]
    assert [len(record["lines"]) for record in found] == [1, 1]
    # Filled on single reads alone (rules.md 3)
    assert found[0]["linkedObjectsIds"] is None
    assert admin.get(desk.path(), thirdparty_ids=str(other), limit=1, page=1, properties="id,total_ht") == [
        {"id": second, "total_ht": "2.00000000"}
    ]
    admin.refused("GET", desk.path(), status=400, params={"thirdparty_ids": "1;2"})
    assert "is used by" in admin.refused("DELETE", f"/thirdparties/{other}", status=405)


# Amounts (rules.md 8) ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("qty", "subprice", "rate", "discount", "expected"),
    [
        ("3", "0.333", "20", "0", ("1.00", "0.20", "1.20")),
        ("1", "1.005", "20", "0", ("1.01", "0.20", "1.21")),
        ("1.23456789", "9.87654321", "19.6", "12.3456", ("10.69", "2.09", "12.78")),
        ("3", "19.99", "20", "33.333", ("39.98", "8.00", "47.98")),
        ("3", "19.99", "20", "10", ("53.97", "10.80", "64.77")),
        ("1", "10.025", "20", "0", ("10.03", "2.00", "12.03")),
        ("-1", "0.125", "0", "0", ("-0.13", "0.00", "-0.13")),
        ("1", "10", "20", "150", ("-5.00", "-1.00", "-6.00")),
        ("-2", "10", "20", "0", ("-20.00", "-4.00", "-24.00")),
    ],
)
def test_the_table_of_lines(
    desk: Desk, admin: Client, qty: str, subprice: str, rate: str, discount: str, expected: tuple[str, ...]
) -> None:
    line = {"qty": qty, "subprice": subprice, "tva_tx": rate, "remise_percent": discount}
    record = desk.made(line)
    assert totals(record) == totals(record["lines"][0]) == expected
    empty = desk.make()
    admin.ask("POST", desk.path(empty, "lines"), line)
    assert totals(desk.read(empty)) == expected


@pytest.mark.parametrize(
    ("count", "line", "plain", "per_rate"),
    [
        (10, {"qty": 1, "subprice": "0.33", "tva_tx": 20}, ("3.30", "0.70", "4.00"), ("3.30", "0.66", "3.96")),
        (3, {"qty": 1, "subprice": "0.05", "tva_tx": "5.5"}, ("0.15", "0.00", "0.15"), ("0.15", "0.01", "0.16")),
    ],
)
def test_vat_is_rounded_by_line_or_by_rate(
    desk: Desk, admin: Client, constant: Any, count: int, line: Any, plain: tuple[str, ...], per_rate: tuple[str, ...]
) -> None:
    assert totals(desk.made(*[line] * count)) == plain
    constant("MAIN_ROUNDOFTOTAL_NOT_TOTALOFROUND", "1")
    at_once = desk.made(*[line] * count)
    one_by_one = desk.make()
    for _ in range(count):
        admin.ask("POST", desk.path(one_by_one, "lines"), line)
    for record in (at_once, desk.read(one_by_one)):
        assert totals(record) == per_rate
        # The difference is stored in the lines
        assert f"{sum(float(each['total_tva']) for each in record['lines']):.2f}" == per_rate[1]


def test_decimals_are_those_of_the_constants(desk: Desk, constant: Any) -> None:
    constant("MAIN_MAX_DECIMALS_UNIT", "2")
    constant("MAIN_MAX_DECIMALS_TOT", "3")
    constant("MAIN_MAX_DECIMALS_STOCK", "1")
    record = desk.made({"qty": "1.25", "subprice": "9.876", "tva_tx": 20})
    line = record["lines"][0]
    assert (line["qty"], line["subprice"]) == ("1.30000000", "9.88000000")
    # 1.25 × 9.876 = 12.345, and × 1.2 = 14.814
    assert totals(record) == ("12.345", "2.469", "14.814")


def test_totals_are_rounded_to_the_smallest_coin(desk: Desk, constant: Any) -> None:
    constant("MAIN_ROUNDING_RULE_TOT", "0.05")
    # 10.03 and 2.00 become 10.05 and 2.00; with tax their sum
    assert totals(desk.made({"qty": 1, "subprice": "10.025", "tva_tx": 20})) == ("10.05", "2.00", "12.05")


def test_a_price_with_vat(desk: Desk, admin: Client) -> None:
    identifier = desk.make()
    line = {"qty": 3, "subprice": "9.99", "tva_tx": "5.5", "price_base_type": "TTC"}
    admin.ask("POST", desk.path(identifier, "lines"), line)
    record = desk.read(identifier)
    assert totals(record) == totals(record["lines"][0]) == ("28.41", "1.56", "29.97")
    assert record["lines"][0]["subprice"] == "9.46919000"
    # Sent again
    record = admin.ask("PATCH", desk.path(identifier, "lines", record["lines"][0]["id"]), line)
    assert totals(record) == ("28.41", "1.56", "29.97")
    for wrong in ("TTX", 1, ["TTC"]):
        admin.refused("POST", desk.path(identifier, "lines"), line | {"price_base_type": wrong}, status=400)


def test_a_price_that_is_not_sent_stays_one_without_vat(desk: Desk, admin: Client) -> None:
    record = desk.made({"qty": 1, "subprice": 100, "tva_tx": 20})
    path = desk.path(record["id"], "lines", record["lines"][0]["id"])
    changed = admin.ask("PATCH", path, {"qty": 2, "price_base_type": "TTC"})
    assert totals(changed) == ("200.00", "40.00", "240.00")


def test_titles_do_not_count(desk: Desk) -> None:
    record = desk.made({"desc": "title", "product_type": 9, "qty": 1, "subprice": 1000, "tva_tx": 20},
                       {"qty": 1, "subprice": 10, "tva_tx": 20})  # fmt: skip
    assert totals(record) == ("10.00", "2.00", "12.00")


def test_vat_that_is_not_charged(desk: Desk) -> None:
    record = desk.made({"qty": 1, "subprice": 100, "tva_tx": 20, "info_bits": 1})
    assert totals(record) == ("100.00", "20.00", "100.00")


def test_local_taxes_come_from_the_dictionary(desk: Desk, admin: Client, constant: Any) -> None:
    constant("MAIN_INFO_SOCIETE_COUNTRY", "4:ES:Spain")
    line = {"qty": 2, "subprice": "50", "tva_tx": "21", "localtax1_tx": "1", "localtax2_tx": "-15"}
    buyer = admin.ask("POST", "/thirdparties", {"name": "Comprador", "country_id": 4})
    record = desk.made(line, line | {"product_type": 1}, {"qty": 1, "subprice": 10, "tva_tx": 21}, socid=buyer)
    goods, service, plain = record["lines"]
    # 5.2 % on products (type 3), -15 % on services (type 5); what the line says of the first one is its wish alone
    assert [goods[name] for name in ("localtax1_tx", "localtax1_type", "localtax2_tx", "localtax2_type")] == [
        "5.2000", "3", "-15.0000", "5",
    ]  # fmt: skip
    assert (goods["total_localtax1"], goods["total_localtax2"]) == ("5.20000000", "0.00000000")
    assert (service["total_localtax1"], service["total_localtax2"]) == ("0.00000000", "-15.00000000")
    assert totals(goods) == ("100.00", "21.00", "126.20")
    assert totals(service) == ("100.00", "21.00", "106.00")
    assert totals(plain) == ("10.00", "2.10", "12.10")
    assert (record["total_localtax1"], record["total_localtax2"]) == ("5.20000000", "-15.00000000")
    assert totals(record) == ("210.00", "44.10", "244.30")
    # A quantity alone: the taxes stay; 300 × 5.2 %
    record = admin.ask("PATCH", desk.path(record["id"], "lines", goods["id"]), {"qty": 6})
    assert record["total_localtax1"] == "15.60000000"


def test_without_local_taxes_in_the_country_none_is_kept(desk: Desk) -> None:
    line = desk.made({"qty": 1, "subprice": 100, "tva_tx": 20, "localtax1_tx": "5.2"})["lines"][0]
    assert (line["localtax1_tx"], line["localtax1_type"], line["total_localtax1"]) == ("0.0000", "0", "0.00000000")


def test_a_rate_may_carry_its_code(desk: Desk, admin: Client) -> None:
    identifier = desk.make({"qty": 1, "subprice": 10, "tva_tx": "20 (ABC)"})
    admin.ask("POST", desk.path(identifier, "lines"), {"qty": 1, "subprice": 10, "tva_tx": "5.5(X)"})
    lines = desk.read(identifier)["lines"]
    assert [(line["tva_tx"], line["vat_src_code"]) for line in lines] == [("20.0000", "ABC"), ("5.5000", "X")]


# A line that names a product (differences.md 2) ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def product(admin: Client) -> int:
    body = {
        "ref": "WORK", "label": "Work", "description": "An hour of work", "type": 1, "price": "80", "tva_tx": "5.5",
        "cost_price": "60", "fk_unit": 2,
    }  # fmt: skip
    return admin.ask("POST", "/products", body)  # type: ignore[no-any-return]


def test_a_line_takes_what_it_does_not_say_from_its_product(desk: Desk, admin: Client, product: int) -> None:
    record = desk.made({"fk_product": product, "qty": 2})
    line = record["lines"][0]
    expected = {
        "subprice": "80.00000000", "tva_tx": "5.5000", "product_type": 1, "desc": "An hour of work", "fk_unit": 2,
        "product_ref": "WORK", "product_label": "Work", "product_desc": "An hour of work", "fk_product_type": 1,
        "ref": "WORK", "libelle": "Work", "pa_ht": "60.00000000", "label": None,
    }  # fmt: skip
    assert {name: line[name] for name in expected} == expected
    assert totals(record) == ("160.00", "8.80", "168.80")
    own = {"fk_product": product, "qty": 1, "subprice": 0, "tva_tx": 20, "product_type": 0, "desc": "Ours", "pa_ht": 1}
    added = admin.ask("POST", desk.path(record["id"], "lines"), own)
    line = desk.read(record["id"])["lines"][1]
    assert line["id"] == added
    assert [line[name] for name in ("subprice", "tva_tx", "product_type", "desc", "pa_ht")] == [
        "0.00000000", "20.0000", 0, "Ours", "1.00000000",
    ]  # fmt: skip
    found = admin.get(desk.path(record["id"], "lines"), sqlfilters="(p.ref:=:'WORK') and (t.qty:>:1)")
    assert len(found) == 1


def test_the_product_of_a_line_stays(desk: Desk, admin: Client, product: int) -> None:
    record = desk.made({"fk_product": product, "qty": 1})
    answer = admin.simulate_patch(desk.path(record["id"], "lines", record["lines"][0]["id"]), json={"fk_product": None})
    assert answer.json["lines"][0]["fk_product"] == product
    assert "fk_product" in answer.headers["warning"]
    assert "is used by" in admin.refused("DELETE", f"/products/{product}", status=405)


# Lines ---------------------------------------------------------------------------------------------------------------


def test_one_line_or_a_list_of_them(desk: Desk, admin: Client) -> None:
    identifier = desk.make()
    lines = desk.path(identifier, "lines")
    first = admin.ask("POST", lines, {"desc": "a", "qty": 1, "subprice": 1})
    assert isinstance(first, int)
    more = admin.ask("POST", lines, [{"desc": "b", "qty": 1, "subprice": 2}, {"desc": "c", "qty": 1, "subprice": 3}])
    assert admin.ask("POST", lines, []) == []
    record = desk.read(identifier)
    assert [line["id"] for line in record["lines"]] == [first, *more]
    assert ranks(record) == [("a", 1), ("b", 2), ("c", 3)]
    assert totals(record)[0] == "6.00"
    assert [line["id"] for line in admin.get(lines)] == [first, *more]
    assert [line["desc"] for line in admin.get(lines, sqlfilters="(t.subprice:>:1.5)")] == ["b", "c"]


def test_lines_are_filtered_by_d_and_p(desk: Desk, admin: Client, product: int) -> None:
    record = desk.made({"desc": "a", "fk_product": product}, {"desc": "bc", "qty": 2}, {"desc": "b", "qty": 3})
    lines = desk.path(record["id"], "lines")
    for filters, found in (
        ("(d.description:like:'%b%')", ["bc", "b"]), ("(d.qty:>:2) or (p.ref:=:'WORK')", ["a", "b"]),
        ("(d.rang:=:2)", ["bc"]), ("(d.fk_product:is:NULL) and (t.qty:=:2)", ["bc"]),
    ):  # fmt: skip
        assert [line["desc"] for line in admin.get(lines, sqlfilters=filters)] == found
    admin.refused("GET", lines, status=400, params={"sqlfilters": "(p.qty:>:2)"})


def test_lines_make_room_for_one_another(desk: Desk, admin: Client) -> None:
    record = desk.made({"desc": "a"}, {"desc": "b"}, {"desc": "c", "rang": -1})
    lines = desk.path(record["id"], "lines")
    assert ranks(record) == [("a", 1), ("b", 2), ("c", 3)]
    admin.ask("POST", lines, {"desc": "d", "rang": 1})
    assert ranks(desk.read(record["id"])) == [("d", 1), ("a", 2), ("b", 3), ("c", 4)]
    ids = {line["desc"]: line["id"] for line in desk.read(record["id"])["lines"]}
    moved = admin.ask("PATCH", f"{lines}/{ids['c']}", {"rang": 2})
    assert [line["desc"] for line in moved["lines"]] == ["d", "c", "a", "b"]
    moved = admin.ask("PATCH", f"{lines}/{ids['d']}", {"rang": -1})
    assert [line["desc"] for line in moved["lines"]] == ["c", "a", "b", "d"]
    moved = admin.ask("PATCH", f"{lines}/{ids['a']}", {"desc": "A"})
    assert [line["desc"] for line in moved["lines"]] == ["c", "A", "b", "d"]


def test_a_place_beyond_all_others(desk: Desk, admin: Client) -> None:
    identifier = desk.make({"desc": "a", "rang": 70000})
    for rank in (70000, 0):
        admin.ask("POST", desk.path(identifier, "lines"), {"desc": "b", "rang": rank})
    assert [line["rang"] for line in desk.read(identifier)["lines"]] == [70000, 70001, 70002]
    with nothing_written():
        for body in ({"rang": 2**31 - 1}, [{"rang": 2**31 - 1}] * 2):
            admin.refused("POST", desk.path(identifier, "lines"), body, status=400)


def test_a_line_is_deleted(desk: Desk, admin: Client) -> None:
    record = desk.made({"desc": "a", "qty": 1, "subprice": 1}, {"desc": "b", "qty": 1, "subprice": 2})
    first, second = (line["id"] for line in record["lines"])
    child = admin.ask("POST", desk.path(record["id"], "lines"), {"desc": "c", "fk_parent_line": first})
    left = admin.ask("DELETE", desk.path(record["id"], "lines", first))
    assert [(line["id"], line["fk_parent_line"]) for line in left["lines"]] == [(second, None), (child, None)]
    assert totals(left)[0] == "2.00"


def test_a_line_of_another_document_is_404(desk: Desk, admin: Client) -> None:
    mine, other = desk.made({"desc": "a"}), desk.made({"desc": "b"})
    line = other["lines"][0]["id"]
    with nothing_written():
        for verb in ("PUT", "PATCH", "DELETE"):
            for number in (line, 999999):
                body = None if verb == "DELETE" else {"qty": 2}
                admin.refused(verb, desk.path(mine["id"], "lines", number), body, status=404)
            admin.refused(verb, desk.path(999999, "lines", line), body, status=404)
        admin.refused("POST", desk.path(mine["id"], "lines"), {"fk_parent_line": line}, status=404)
        admin.refused("PATCH", desk.path(other["id"], "lines", line), {"fk_parent_line": line}, status=400)


def test_a_line_stays_in_its_document(desk: Desk, admin: Client) -> None:
    line, other = {"desc": "a", "qty": 1, "subprice": 1}, desk.make()
    record = desk.made(line | {desk.kind.parent: other})
    path = desk.path(record["id"], "lines", record["lines"][0]["id"])
    for verb in ("PUT", "PATCH"):
        answer = admin.simulate_request(verb, path, json=line | {desk.kind.parent: other})
        assert answer.status_code == 200
        assert desk.kind.parent in answer.headers["warning"]
        assert [each[desk.kind.parent] for each in answer.json["lines"]] == [record["id"]]
    admin.ask("POST", desk.path(record["id"], "lines"), line | {desk.kind.parent: other})
    assert len(desk.read(record["id"])["lines"]) == 2
    assert desk.read(other)["lines"] == []


def test_lines_of_a_validated_document_stay(desk: Desk, admin: Client) -> None:
    record = desk.made({"desc": "a", "qty": 1, "subprice": 1})
    desk.act(record["id"], "validate")
    line = desk.path(record["id"], "lines", record["lines"][0]["id"])
    with nothing_written():
        for verb, path, body in (
            ("POST", desk.path(record["id"], "lines"), {"qty": 1}), ("POST", desk.path(record["id"], "lines"), [{}]),
            ("PUT", line, {"qty": 2}), ("PATCH", line, {"qty": 2}), ("DELETE", line, None),
        ):  # fmt: skip
            assert "draft" in admin.refused(verb, path, body, status=405)


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ({"qty": "2,5"}, "qty"), ({"subprice": "1,000.00"}, "subprice"), ({"tva_tx": "TVA"}, "tva_tx"),
        ({"tva_tx": -1}, "tva_tx"), ({"tva_tx": "-5 (X)"}, "tva_tx"), ({"tva_tx": 1000}, "tva_tx"),
        ({"qty": "1e11", "subprice": 1}, "qty"), ({"subprice": 10**30}, "subprice"), ({"qty": "NaN"}, "qty"),
        ({"qty": 10**9, "subprice": 10**9}, "total_ht"), ({"qty": 9 * 10**10, "subprice": 1, "tva_tx": 20}, "total"),
        ({"product_type": 2}, "product_type"), ({"qty": True}, "qty"), ({"qty": [1]}, "qty"),
        ({"date_start": DAY, "date_end": DAY - 1}, "date_end"), ({"date_start": "soon"}, "date_start"),
        ({"label": "x" * 256}, "label"), ({"vat_src_code": "x" * 11}, "vat_src_code"), ({"fk_unit": "x"}, "fk_unit"),
        ({"rang": "first"}, "rang"), ({"info_bits": 2**40}, "info_bits"), ({"array_options": "x"}, "array_options"),
    ],
    ids=str,
)  # fmt: skip
def test_a_line_that_does_not_fit(desk: Desk, admin: Client, line: dict[str, Any], field: str) -> None:
    record = desk.made({"qty": 1, "subprice": 1})
    identifier, number = record["id"], record["lines"][0]["id"]
    with nothing_written():
        for verb, path, body in (
            ("POST", desk.path(identifier, "lines"), line), ("POST", desk.path(identifier, "lines"), [{}, line]),
            ("PUT", desk.path(identifier, "lines", number), line), ("POST", desk.path(), desk.body({}, line)),
            ("PATCH", desk.path(identifier, "lines", number), line),
        ):  # fmt: skip
            answer = admin.ask(verb, path, body, status=400)
            assert field in answer["error"]["message"]
            assert field in str(answer["error"]["errors"])


def test_a_total_that_is_too_large(desk: Desk, admin: Client) -> None:
    line = {"qty": 1, "subprice": 6 * 10**10}
    identifier = desk.make(line)
    with nothing_written():
        admin.refused("POST", desk.path(identifier, "lines"), line, status=400)
        admin.refused("POST", desk.path(), desk.body(line, line), status=400)


def test_dates_of_a_line_are_compared_with_those_that_stay(desk: Desk, admin: Client) -> None:
    record = desk.made({"date_start": DAY, "date_end": DAY + 60})
    path = desk.path(record["id"], "lines", record["lines"][0]["id"])
    with nothing_written():
        admin.refused("PATCH", path, {"date_end": DAY - 60}, status=400)
        admin.refused("PATCH", path, {"date_start": DAY + 120}, status=400)
    line = admin.ask("PATCH", path, {"date_start": DAY + 60})["lines"][0]
    assert (line["date_start"], line["date_end"]) == (DAY + 60, DAY + 60)


def test_all_that_is_wrong_is_named_at_once(desk: Desk, admin: Client) -> None:
    body = {
        "socid": "x",
        "date": "soon",
        "note_public": 7,
        "cond_reglement_id": "y",
        "lines": [{"qty": "a"}, 5, {"tva_tx": -1, "rang": "b"}],
    }
    with nothing_written():
        answer = admin.ask("POST", desk.path(), body, status=400)
    names = {error["field"] for error in answer["error"]["errors"]}
    assert names >= {
        "socid", "date", "cond_reglement_id", "lines[0].qty", "lines[1]", "lines[2].tva_tx", "lines[2].rang",
    }  # fmt: skip
    admin.refused("POST", desk.path(), desk.body() | {"lines": "none"}, status=400)


def test_a_thousand_lines_in_one_request(desk: Desk, admin: Client, product: int) -> None:
    lines = [{"desc": f"l{number}", "qty": number, "subprice": "0.01", "tva_tx": 20} for number in range(1, 1001)]
    record = desk.made(*lines)
    # 0.01 × 1000 × 1001 / 2
    assert totals(record)[0] == "5005.00"
    assert [line["rang"] for line in record["lines"]] == list(range(1, 1001))
    admin.ask("POST", desk.path(record["id"], "lines"), [{"fk_product": product, "qty": 1}] * 50)
    # 50 × 80
    assert totals(desk.read(record["id"]))[0] == "9005.00"
    assert len(admin.get(desk.path(record["id"], "lines"))) == 1050


# Contacts and links (rules.md 6) -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def jane(admin: Client, customer: int) -> int:
    body = {"lastname": "Doe", "firstname": "Jane", "email": "jane@example.com", "socid": customer}
    return admin.ask("POST", "/contacts", body)  # type: ignore[no-any-return]


def test_contacts_with_roles(desk: Desk, admin: Client, jane: int) -> None:
    identifier = desk.make()
    for role in ("BILLING", desk.kind.role.lower()):
        admin.ask("POST", desk.path(identifier, "contact", jane, role))
    assert set(desk.read(identifier)["contacts_ids"]) == {jane}
    rows = admin.get(desk.path(identifier), contact_list=0)["contacts_ids"]
    assert rows == admin.get(desk.path(identifier, "contacts"))
    assert [row["code"] for row in rows] == ["BILLING", desk.kind.role]
    expected = {
        "source": "external", "socid": desk.customer, "id": jane, "nom": "Doe", "civility": "", "lastname": "Doe",
        "firstname": "Jane", "email": "jane@example.com", "login": "", "photo": "", "statuscontact": 1, "status": 4,
    }  # fmt: skip
    assert {name: rows[0][name] for name in expected} == expected
    assert admin.get(desk.path(identifier), contact_list=-1)["contacts_ids"] is None
    assert [row["code"] for row in admin.get(desk.path(identifier, "contacts"), type="BILLING")] == ["BILLING"]
    listed = admin.get(desk.path(), sqlfilters=f"(t.rowid:=:{identifier})")
    assert set(listed[0]["contacts_ids"]) == {jane}
    admin.ask("DELETE", desk.path(identifier, "contact", jane, "BILLING"))
    assert [row["code"] for row in admin.get(desk.path(identifier, "contacts"))] == [desk.kind.role]


def test_roles_that_cannot_be_given(desk: Desk, admin: Client, jane: int) -> None:
    identifier = desk.make()
    admin.ask("POST", desk.path(identifier, "contact", jane, "BILLING"))
    with nothing_written():
        message = admin.refused("POST", desk.path(identifier, "contact", jane, "NOSUCH"), status=404)
        # The roles there are, and not those of users
        assert all(code in message for code in ("BILLING", "SHIPPING", desk.kind.role))
        assert "SALESREPFOLL" not in message
        admin.refused("POST", desk.path(identifier, "contact", jane, "BILLING"), status=405)
        admin.refused("POST", desk.path(identifier, "contact", 999999, "BILLING"), status=404)
        admin.refused("POST", desk.path(999999, "contact", jane, "BILLING"), status=404)
        for code in ("SHIPPING", "NOSUCH"):
            admin.refused("DELETE", desk.path(identifier, "contact", jane, code), status=404)


def test_a_contact_that_goes_leaves_its_documents(desk: Desk, admin: Client) -> None:
    person = admin.ask("POST", "/contacts", {"lastname": "Short"})
    identifier = desk.make()
    admin.ask("POST", desk.path(identifier, "contact", person, "BILLING"))
    admin.ask("DELETE", f"/contacts/{person}")
    assert desk.read(identifier)["contacts_ids"] == []
    assert admin.get(desk.path(identifier, "contacts")) == []


def test_links_are_shown_on_both_sides(desk: Desk, admin: Client) -> None:
    first, second = desk.make(), desk.make()
    name = desk.kind.element
    both = desk.made(linked_objects={name: [first, str(second)]})
    assert sorted(both["linkedObjectsIds"][name].values()) == [first, second]
    assert list(desk.read(first)["linkedObjectsIds"][name].values()) == [both["id"]]
    again = desk.made(linkedObjectsIds=both["linkedObjectsIds"])
    assert sorted(again["linkedObjectsIds"][name].values()) == [first, second]
    assert list(desk.made(linked_objects={name: first})["linkedObjectsIds"][name].values()) == [first]
    admin.ask("DELETE", desk.path(both["id"]))
    assert list(desk.read(second)["linkedObjectsIds"][name].values()) == [again["id"]]


def test_links_that_cannot_be_made(desk: Desk, admin: Client) -> None:
    name = desk.kind.element
    with nothing_written():
        admin.refused("POST", desk.path(), desk.body({}, linked_objects={name: 999999}), status=404)
        for wrong in ({"nosuch": 1}, {name: "x"}, {name: [[1]]}, 5, "x", [1], {name: True}):
            answer = admin.ask("POST", desk.path(), desk.body({}, linked_objects=wrong), status=400)
            assert "linked_objects" in answer["error"]["message"]


# States --------------------------------------------------------------------------------------------------------------


def test_validation_gives_the_final_reference_once(desk: Desk, admin: Client) -> None:
    identifier = desk.make({"qty": 1, "subprice": 1})
    record = admin.ask("POST", desk.path(identifier, "validate"), {})
    assert "PROV" not in record["ref"]
    assert (record["statut"], record["brouillon"], record["user_valid_id"]) == (1, None, 1)
    assert record["date_validation"] is not None
    assert admin.get(desk.path("ref", record["ref"]))["id"] == identifier
    with nothing_written():
        assert "validated already" in desk.act(identifier, "validate", status=405)["error"]["message"]
    back = desk.act(identifier, "settodraft")
    assert (back["statut"], back["ref"]) == (0, record["ref"])
    assert desk.act(identifier, "validate")["ref"] == record["ref"]
    desk.act(999999, "validate", status=404)


def test_references_follow_one_another_and_the_last_one_is_given_back(desk: Desk, admin: Client) -> None:
    ids = [desk.make({"qty": 1, "subprice": 1}) for _ in range(3)]
    refs = [desk.act(identifier, "validate")["ref"] for identifier in reversed(ids)]
    numbers = [int(ref.rpartition("-")[2]) for ref in refs]
    assert numbers == list(range(numbers[0], numbers[0] + 3))
    # The first identifier got the last number
    admin.ask("DELETE", desk.path(ids[0]))
    assert desk.act(desk.make({"qty": 1, "subprice": 1}), "validate")["ref"] == refs[-1]


def test_without_lines(desk: Desk, admin: Client) -> None:
    identifier = desk.make()
    with nothing_written() if desk.kind.needs_lines else nullcontext():
        desk.act(identifier, "validate", status=405 if desk.kind.needs_lines else 200)


def test_a_draft_is_deleted_with_what_belongs_to_it(desk: Desk, admin: Client, extrafield: Any, jane: int) -> None:
    extrafield(desk.kind.element, "colour")
    extrafield(f"{desk.kind.element}det", "shade")
    other = desk.make()
    before = contents()
    line = {"qty": 1, "array_options": {"options_shade": "dark"}}
    record = desk.made(line, array_options={"options_colour": "red"}, linked_objects={desk.kind.element: other})
    assert record["array_options"] == {"options_colour": "red"}
    assert record["lines"][0]["array_options"] == {"options_shade": "dark"}
    admin.ask("POST", desk.path(record["id"], "contact", jane, "BILLING"))
    assert contents() != before
    answer = admin.ask("DELETE", desk.path(record["id"]))
    assert answer["success"]["code"] == 200
    assert contents() == before
    for verb in ("GET", "DELETE"):
        admin.refused(verb, desk.path(record["id"]), status=404)


def test_extra_fields_of_a_line_are_merged(desk: Desk, admin: Client, extrafield: Any) -> None:
    element = f"{desk.kind.element}det"
    extrafield(element, "one")
    extrafield(element, "two")
    record = desk.made({"array_options": {"options_one": "a", "options_two": "b"}})
    path = desk.path(record["id"], "lines", record["lines"][0]["id"])
    for verb, sent, kept in (
        ("PATCH", {"options_one": "c"}, {"options_one": "c", "options_two": "b"}),
        ("PUT", {"options_two": "d"}, {"options_one": "c", "options_two": "d"}),
    ):
        assert admin.ask(verb, path, {"array_options": sent})["lines"][0]["array_options"] == kept
    answer = admin.simulate_patch(path, json={"array_options": {"options_three": "x"}})
    assert "array_options.options_three" in answer.headers["warning"]


def test_a_required_extra_field(desk: Desk, admin: Client, extrafield: Any) -> None:
    extrafield(desk.kind.element, "needed", required=1)
    with nothing_written():
        admin.refused("POST", desk.path(), desk.body({}), status=400)
    record = desk.made(array_options={"options_needed": "here"})
    with nothing_written():
        admin.refused("PATCH", desk.path(record["id"]), {"array_options": {"options_needed": ""}}, status=400)
        admin.refused("PUT", desk.path(record["id"]), {"array_options": {"options_needed": None}}, status=400)


# Refusals ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "line", "named"),
    [
        ({"socid": 999999}, {}, "999999"), ({}, {"fk_product": 999999}, "999999"), ({}, {"fk_unit": 999999}, "999999"),
    ],
)  # fmt: skip
def test_what_does_not_exist_is_404_and_named(
    desk: Desk, admin: Client, fields: dict[str, Any], line: dict[str, Any], named: str
) -> None:
    with nothing_written():
        message = admin.refused("POST", desk.path(), desk.body({"qty": 1}, line, **fields), status=404)
    assert named in message
    assert "SQL" not in message
    assert "constraint" not in message.lower()


def test_what_does_not_exist_cannot_be_named_later(desk: Desk, admin: Client) -> None:
    record = desk.made({"qty": 1})
    with nothing_written():
        for verb in ("PUT", "PATCH"):
            message = admin.refused(verb, desk.path(record["id"]), {"socid": 999999, "date": DAY}, status=404)
            assert "999999" in message
        admin.refused("POST", desk.path(record["id"], "lines"), [{"qty": 1}, {"fk_product": 999999}], status=404)
        line = desk.path(record["id"], "lines", record["lines"][0]["id"])
        admin.refused("PATCH", line, {"fk_unit": 999999}, status=404)


def test_dictionary_entries_must_exist(desk: Desk, admin: Client) -> None:
    record = desk.made(cond_reglement_id=2, mode_reglement_id=2)
    assert (record["cond_reglement_code"], record["mode_reglement_code"]) == ("30D", "VIR")
    with nothing_written():
        for name in ("cond_reglement_id", "mode_reglement_id"):
            for verb, path in (("POST", desk.path()), ("PATCH", desk.path(record["id"]))):
                assert name in admin.refused(verb, path, desk.body({}, **{name: 4711}), status=400)


def test_two_who_change_one_document(desk: Desk, admin: Client) -> None:
    record = desk.made({"qty": 1, "subprice": 1}, note_public="first")
    path, line = desk.path(record["id"]), desk.path(record["id"], "lines", record["lines"][0]["id"])
    old = desk.etag(record["id"])
    assert admin.ask("PATCH", path, {"note_public": "second"}, headers={"If-Match": old})["note_public"] == "second"
    with nothing_written():
        for verb, where, body in (
            ("PUT", path, {"note_public": "third"}), ("PATCH", path, {"note_public": "third"}), ("DELETE", path, None),
            ("POST", f"{path}/lines", {"qty": 1}), ("PUT", line, {"qty": 2}), ("PATCH", line, {"qty": 2}),
            ("DELETE", line, None), ("POST", f"{path}/validate", None),
        ):  # fmt: skip
            message = admin.refused(verb, where, body, status=412, headers={"If-Match": old})
            assert "changed meanwhile" in message
    # A line's change is one of its document
    new = desk.etag(record["id"])
    admin.ask("PATCH", line, {"qty": 2}, headers={"If-Match": new})
    assert desk.etag(record["id"]) != new
    admin.ask("PATCH", line, {"rang": 5, "qty": 3}, headers={"If-Match": f'"x", W/{desk.etag(record["id"])}'})
    admin.ask("POST", f"{path}/validate", headers={"If-Match": desk.etag(record["id"])})
    admin.ask("POST", f"{path}/settodraft", headers={"If-Match": "*"})
    admin.ask("DELETE", path, headers={"If-Match": desk.etag(record["id"])})


def test_what_was_read_can_be_sent_back(desk: Desk, admin: Client) -> None:
    record = desk.made({"qty": 1, "subprice": "9.99", "tva_tx": 20}, note_public="note", ref_client="C1")
    for verb in ("PUT", "PATCH"):
        after = admin.ask(verb, desk.path(record["id"]), record)
        changing = dict.fromkeys([name for name in record if "modif" in name])
        assert after | changing == record | changing


def at_once(calls: list[Callable[[], Any]]) -> list[Any]:
    """Make calls in threads of their own; answer what they answer."""

    def run(call: Callable[[], Any]) -> Any:
        try:
            return call()
        finally:
            close()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))


def test_what_several_do_at_once_is_not_lost(desk: Desk, admin: Client) -> None:
    identifier = desk.make()

    def add() -> list[Any]:
        lines = desk.path(identifier, "lines")
        return [admin.ask("POST", lines, {"qty": 1, "subprice": "0.33", "tva_tx": 20}) for _ in range(4)]

    added = {line for lines in at_once([add] * 4) for line in lines}
    record = desk.read(identifier)
    assert {line["id"] for line in record["lines"]} == added
    assert [line["rang"] for line in record["lines"]] == list(range(1, 17))
    # 16 × 0.33, and 16 × 0.07
    assert totals(record) == ("5.28", "1.12", "6.40")


def test_one_document_is_validated_once_and_several_get_different_references(desk: Desk, admin: Client) -> None:
    line = {"qty": 1, "subprice": 1}
    one = desk.make(line)
    answers = at_once([lambda: admin.simulate_post(desk.path(one, "validate")).status_code] * 4)
    assert sorted(answers) == [200, 405, 405, 405]
    ids = [desk.make(line) for _ in range(6)]
    refs = at_once([lambda each=each: desk.act(each, "validate")["ref"] for each in ids])
    assert len(set(refs)) == 6


def test_of_two_who_have_read_the_same_one_writes(desk: Desk, admin: Client) -> None:
    identifier = desk.make()
    tag = desk.etag(identifier)

    def change(note: str) -> int:
        body = {"note_public": note}
        return admin.simulate_patch(desk.path(identifier), json=body, headers={"If-Match": tag}).status_code

    assert sorted(at_once([lambda note=note: change(note) for note in "abcd"])) == [200, 412, 412, 412]


# Who may -------------------------------------------------------------------------------------------------------------


def test_each_right_opens_its_operations_alone(desk: Desk, admin: Client, server: Served, jane: int) -> None:
    record = desk.made({"qty": 1, "subprice": 1})
    path, line = desk.path(record["id"]), desk.path(record["id"], "lines", record["lines"][0]["id"])
    operations = [
        ("read", "GET", desk.path(), None), ("read", "GET", path, None), ("read", "GET", f"{path}/lines", None),
        ("read", "GET", desk.path("ref", record["ref"]), None), ("read", "GET", f"{path}/contacts", None),
        ("write", "POST", desk.path(), desk.body({})), ("write", "PUT", path, {}), ("write", "PATCH", path, {}),
        ("write", "POST", f"{path}/lines", {"desc": "x"}), ("write", "PATCH", line, {"desc": "y"}),
        ("write", "PUT", line, {"qty": 1}), ("write", "POST", f"{path}/contact/{jane}/BILLING", None),
        ("write", "DELETE", f"{path}/contact/{jane}/BILLING", None), ("write", "DELETE", line, None),
        ("write", "POST", f"{path}/lines", {"qty": 1, "subprice": 1}),
        ("validate", "POST", f"{path}/validate", None), ("write", "POST", f"{path}/settodraft", None),
        ("delete", "DELETE", path, None),
    ]  # fmt: skip
    verbs = ("read", "write", "validate", "close", "delete")
    reads = [f"{service}.read" for service in ("contacts", "products")] + ["thirdparties.all", "thirdparties.read"]
    clients = {
        verb: server.user(*reads, *(f"{desk.kind.path}.{each}" for each in verbs if each != verb)) for verb in verbs
    }
    for right, verb, where, body in operations:
        clients[right].ask(verb, where, body, status=401)
        if right != "read":
            clients["read"].ask(verb, where, body)
        else:
            clients["write"].ask(verb, where, body)


def test_rows_of_others_do_not_exist(desk: Desk, admin: Client, server: Served, customer: int, jane: int) -> None:
    own = admin.ask("POST", "/thirdparties", {"name": "Own Ltd"})
    rights = [f"{desk.kind.path}.{verb}" for verb in ("read", "write", "validate", "close", "delete")]
    outsider = server.user(*rights, "contacts.read", socid=own)
    theirs, mine = desk.made({"qty": 1, "subprice": 1}), desk.make({"qty": 1, "subprice": 1}, socid=own)
    path, line = desk.path(theirs["id"]), desk.path(theirs["id"], "lines", theirs["lines"][0]["id"])
    with nothing_written():
        for verb, where, body in (
            ("GET", path, None), ("PUT", path, {}), ("PATCH", path, {}), ("DELETE", path, None),
            ("GET", desk.path("ref", theirs["ref"]), None), ("GET", f"{path}/lines", None),
            ("POST", f"{path}/lines", {}), ("PATCH", line, {}), ("DELETE", line, None), ("GET", f"{path}/contacts", None),
            ("POST", f"{path}/validate", None), ("POST", f"{path}/settodraft", None),
            ("POST", desk.path(), desk.body({}, socid=customer)), ("PATCH", desk.path(mine), {"socid": customer}),
            ("POST", desk.path(), desk.body({}, socid=own, linked_objects={desk.kind.element: theirs["id"]})),
            ("POST", desk.path(mine, "contact", jane, "BILLING"), None),
            ("PATCH", desk.path(mine, "lines", theirs["lines"][0]["id"]), {}),
        ):  # fmt: skip
            outsider.ask(verb, where, body, status=404)
    assert [record["id"] for record in outsider.get(desk.path())] == [mine]
    assert outsider.get(desk.path(), thirdparty_ids=str(customer)) == []
    assert outsider.get(desk.path(), sqlfilters=f"(t.fk_soc:=:{customer}) or (t.rowid:>:0)")[0]["id"] == mine
    created = outsider.ask("POST", desk.path(), desk.body({"qty": 1}, socid=own))
    outsider.ask("PATCH", desk.path(created), {"note_public": "ours"})
    seller = server.user(*rights, represents=[own])
    assert {record["id"] for record in seller.get(desk.path())} == {mine, created}
    seller.get(path, status=404)


def test_links_with_rows_of_others_are_not_told(desk: Desk, admin: Client, server: Served) -> None:
    own = admin.ask("POST", "/thirdparties", {"name": "Own Ltd"})
    name = desk.kind.element
    mine, theirs = desk.make(socid=own), desk.make()
    both = desk.made(linked_objects={name: [mine, theirs]}, socid=own)
    lone = desk.make(linked_objects={name: theirs}, socid=own)
    assert sorted(both["linkedObjectsIds"][name].values()) == [mine, theirs]
    right = f"{desk.kind.path}.read"
    for client in (server.user(right, socid=own), server.user(right, represents=[own])):
        assert list(client.get(desk.path(both["id"]))["linkedObjectsIds"][name].values()) == [mine]
        assert client.get(desk.path(lone))["linkedObjectsIds"] == {}
    everybody = server.user(right, "thirdparties.all")
    assert sorted(everybody.get(desk.path(both["id"]))["linkedObjectsIds"][name].values()) == [mine, theirs]


# Speed ---------------------------------------------------------------------------------------------------------------


def test_statements_do_not_grow_with_what_is_read(desk: Desk, admin: Client, product: int) -> None:
    owner = admin.ask("POST", "/thirdparties", {"name": "Many Ltd"})
    lines = [{"qty": 1, "subprice": number, "fk_product": product} for number in range(50)]
    few, many = desk.make(*lines[:2], socid=owner), desk.make(*lines, socid=owner)
    costs = [cost(lambda each=each: desk.read(each)) for each in (few, many)]
    assert costs[0] == costs[1] <= 8
    for _ in range(98):
        desk.make(*lines[:2], socid=owner)
    listed = [
        cost(lambda size=size: admin.get(desk.path(), thirdparty_ids=str(owner), limit=size)) for size in (5, 100)
    ]
    assert len(admin.get(desk.path(), thirdparty_ids=str(owner))) == 100
    assert listed[0] == listed[1] <= 8
