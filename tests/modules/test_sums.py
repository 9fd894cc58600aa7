"""`GET /<service>/sums`: exact sums over the filter of a list, by group, of what the caller may see."""

import json
from collections import Counter, defaultdict
from decimal import Decimal
from urllib.parse import quote

import pytest

from core.contract.catalogue import catalogue
from core.records import sums
from core.testing import extra_field
from tests.filled import demonstration, filled

AMOUNTS = "total_ht,total_tva,total_ttc,totalpaid,totalcreditnotes,totaldeposits,remaintopay"
#: amounts that 64 bits and floats can't add
LARGE = "90000000000.00000001"

OWN_LIST = """
from core import Crud, ExactField, ListQuery, Model, RecordField, Records
from peewee import CharField

class Trip(Model):
    town = CharField()
    price = ExactField(24, 8)

class Stop(Model):
    trip = RecordField(Trip, "Trip")
    fee = ExactField(24, 8)

class TripRecords(Records[Trip]):
    model = Trip
    amounts = {
        "fees": (Stop, "trip", "fee"), "dear": (Stop, "trip", "fee", "other.fee > 0"), "whole": "price + fees - dear",
        "twice": "fees + fees", "less": "price - fees", "price_again": "less + fees",
    }

class Trips(Crud):
    records = TripRecords()
    def index(self, query: ListQuery, far: bool = False):
        return self.records.page(query, {"town": "Rome"} if far else {})
"""


@pytest.fixture(scope="module")
def books(tmp_path_factory):
    served = filled(tmp_path_factory, demonstration)
    yield served
    served.close()


def invoice(admin, customer, price, day="2026-10-05", **more):
    lines = [{"desc": "Desk", "qty": 1, "subprice": price, "tva_tx": "20"}]
    number = admin.ask("POST", "/invoices", {"socid": customer, "date": day, "lines": lines, **more})
    admin.ask("POST", f"/invoices/{number}/validate", {})
    return number


@pytest.mark.every_database
def test_amounts_reckoned_by_hand(kind, serve):
    admin = serve(kind).client()
    acme, bolt = (admin.ask("POST", "/thirdparties", {"name": name, "client": 1}) for name in ("Acme", "Bolt"))
    account = {"ref": "B", "label": "Bank", "country_id": 1, "currency_code": "EUR", "date_solde": "2026-01-01"}
    bank = admin.ask("POST", "/bankaccounts", {**account, "solde": "7.50"})
    paid, open_, other = invoice(admin, acme, "10.10"), invoice(admin, acme, "20.20"), invoice(admin, bolt, "5")
    invoice(admin, bolt, "100", day="2026-11-02")
    payment = {"datepaye": "2026-10-06", "paymentid": 2, "closepaidinvoices": "yes", "accountid": bank}
    admin.ask("POST", f"/invoices/{paid}/payments", payment)
    credit = invoice(admin, acme, "-2", type=2, fk_facture_source=open_)
    admin.ask("POST", f"/invoices/{credit}/markAsCreditAvailable", {})
    (discount,) = admin.get(f"/thirdparties/{acme}/fixedamountdiscounts")
    admin.ask("POST", f"/invoices/{open_}/useCreditNote/{discount['id']}", {})
    # 10.10 × 1.2 = 12.12 is paid; 20.20 × 1.2 = 24.24, of which the credit note pays 2.40; 5 × 1.2 = 6
    october = quote("(t.date:between:'2026-10-01','2026-10-31') and (t.type:=:0)")
    path = f"/invoices/sums?fields=total_ttc,totalpaid,totalcreditnotes,remaintopay&sqlfilters={october}"
    assert admin.get(f"{path}&group=socid") == [
        {"socid": acme, "count": 2, "total_ttc": "36.36000000", "totalpaid": "12.12000000",
         "totalcreditnotes": "2.40000000", "remaintopay": "21.84000000"},
        {"socid": bolt, "count": 1, "total_ttc": "6.00000000", "totalpaid": "0.00000000",
         "totalcreditnotes": "0.00000000", "remaintopay": "6.00000000"},
    ]  # fmt: skip
    (unpaid,) = admin.get(f"{path}&status=unpaid")
    assert (unpaid["count"], unpaid["remaintopay"]) == (2, "27.84000000")
    assert admin.get(f"/invoices/sums?fields=total_ttc&sqlfilters={quote('(t.rowid:=:0)')}") == [
        {"count": 0, "total_ttc": "0.00000000"}
    ]
    assert admin.get(f"/invoices/sums?fields=total_ttc&group=ref&sqlfilters={quote('(t.rowid:=:0)')}") == []
    # 7.50 + 12.12
    assert admin.get("/bankaccounts/sums?fields=balance&group=currency_code") == [
        {"currency_code": "EUR", "count": 1, "balance": "19.62000000"}
    ]
    assert other in {each["id"] for each in admin.get("/invoices")}


@pytest.mark.every_database
def test_sums_beyond_64_bits_are_exact(kind, serve, write, folder):
    write("trips/class/api_trips.py", OWN_LIST)
    admin = serve(kind, modules=str(folder)).client()
    for town in ("Oslo", "Rome", "Rome", "rome"):
        admin.ask("POST", "/trips", {"town": town, "price": LARGE})
    stop = next(each for each in catalogue().models if each.__name__ == "Stop")
    for fee in (LARGE, LARGE, "-0.00000001"):
        stop.create(trip=2, fee=Decimal(fee))
    # 3 × 90000000000.00000001; the fees are twice that, less the smallest amount
    assert admin.get("/trips/sums?fields=price,fees,dear,whole&group=town") == [
        {"town": "Oslo", "count": 1, "price": LARGE, "fees": "0.00000000", "dear": "0.00000000", "whole": LARGE},
        {"town": "Rome", "count": 2, "price": "180000000000.00000002", "fees": "180000000000.00000001",
         "dear": "180000000000.00000002", "whole": "180000000000.00000001"},
        {"town": "rome", "count": 1, "price": LARGE, "fees": "0.00000000", "dear": "0.00000000", "whole": LARGE},
    ]  # fmt: skip
    assert admin.get("/trips/sums?far=true&fields=price") == [{"count": 2, "price": "180000000000.00000002"}]
    # A name counts as often as a formula has it
    (row,) = admin.get("/trips/sums?far=true&fields=twice,less,price_again")
    assert row.items() >= {
        "twice": "360000000000.00000002", "less": "0.00000001", "price_again": "180000000000.00000002",
    }.items()  # fmt: skip


@pytest.mark.parametrize(
    ("amount", "told"),
    [
        ("'loop - price'", "expected a formula of other amounts"),
        ("'price-fees'", "isn't an exact decimal or a whole number"),
        ("'price +'", "expected a formula of other amounts"),
        ("(Stop, 'trip', 'trip')", "loop isn't an exact decimal or a whole number"),
    ],
)
def test_a_wrong_amount_is_a_failure_of_its_file(serve, write, folder, amount, told):
    write("trips/class/api_trips.py", OWN_LIST.replace("amounts = {", f"amounts = {{'loop': {amount}, "))
    serve(modules=str(folder))
    assert [told in each.reason for each in catalogue().failures] == [True]


WRAPPED = """
from core import Refused

def less(original, query, **values):
    if query.q:
        raise Refused("no words", reason="no_words")
    return original(query=__import__("dataclasses").replace(query, sqlfilters="(t.town:=:'Oslo')"), **values)
"""


def test_a_wrap_of_the_list_holds_for_its_sums(serve, write, folder):
    write("trips/class/api_trips.py", OWN_LIST)
    write("less/module.toml", '[wraps]\n"GET /trips" = "less:less"\n')
    write("less/less.py", WRAPPED)
    served = serve(modules=str(folder))
    admin = served.client()
    for town in ("Oslo", "Rome"):
        admin.ask("POST", "/trips", {"town": town, "price": 1})
    assert admin.get("/trips/sums") == [{"count": 1}]
    write("less/less.py", "1 / 0")
    served.server.reloader.check()
    admin.ask("GET", "/trips/sums", status=501)


def test_quantities_in_stock_need_their_permission(books):
    user, keeper = books.user("products.read"), books.user("products.read", "warehouses.read")
    filters = ("(t.stock_reel:>:0)", "(Stock_Reel:>:0)", "((t.ref:=:'x') or not (stock:=:7))")
    queries = [
        "fields=stock_reel",
        "group=stock",
        "fields=price,%20t.stock_reel",
        *(f"sqlfilters={each}" for each in filters),
    ]
    for query in queries:
        user.ask("GET", f"/products/sums?{query}", status=400)
        assert keeper.get(f"/products/sums?{query}")
    for query in (*queries[3:], "sortfield=-stock"):
        user.ask("GET", f"/products?properties=id&{query}", status=400)
    assert user.get("/products/sums?fields=price&sqlfilters=(t.ref:!=:'(stock:=:7)')")


@pytest.mark.every_database
def test_extra_fields_are_summed(kind, serve):
    admin = serve(kind).client()
    for type_name in ("price", "int", "varchar"):
        extra_field(admin, "societe", f"an_{type_name}", type=type_name)
    for name, values in (("A", ("2.50", 3)), ("B", ("1.25", 4)), ("C", (None, None))):
        sent = dict(zip(("options_an_price", "options_an_int"), values, strict=True))
        admin.ask("POST", "/thirdparties", {"name": name, "array_options": sent})
    (found,) = admin.get("/thirdparties/sums?fields=ef.an_price,ef.an_int")
    assert found == {"count": 3, "ef.an_price": "3.75000000", "ef.an_int": 7}
    assert len(admin.get("/thirdparties/sums?fields=ef.an_price&group=ef.an_int")) == 3
    admin.ask("GET", "/thirdparties/sums?fields=ef.an_varchar", status=400)


def test_fields_of_other_tables(books):
    admin = books.client()
    assert admin.get("/stockmovements/sums?fields=e.statut")[0]["count"] > 0
    error = admin.ask("GET", "/invoices/sums?fields=count", status=400)["error"]
    assert "expected another field: count is the number of records" in [each["message"] for each in error["errors"]]


def every_invoice(client):
    return [json.loads(line) for line in client.simulate_get("/invoices?all=1").text.splitlines()]


def expected(records, group):
    """The sums of the records of a list, added up here."""
    counts, found = Counter(), defaultdict(lambda: defaultdict(Decimal))
    for record in records:
        key = tuple(record[name] for name in group)
        counts[key] += 1
        for name in AMOUNTS.split(","):
            found[key][name] += Decimal(record[name])
    return [
        dict(zip(group, key, strict=True)) | {"count": counts[key]} | {name: f"{found[key][name]:.8f}" for name in AMOUNTS.split(",")}
        for key in sorted(counts, key=lambda key: [(each is not None, each) for each in key])
    ]  # fmt: skip


@pytest.mark.parametrize("group", ["", "socid", "statut,type", "date"])
def test_everybody_gets_the_sums_of_the_records_in_their_list(books, group):
    admin = books.client()
    busy = Counter(each["socid"] for each in every_invoice(admin)).most_common(3)
    (first, _), (second, _), _ = busy
    callers = {
        "administrator": admin,
        "external": books.user("invoices.read", socid=first),
        "representative": books.user("invoices.read", represents=[first, second]),
        "user": books.user("invoices.read"),
    }
    seen = {}
    for name, client in callers.items():
        records = every_invoice(client)
        names = group.split(",") if group else []
        rows = client.get(f"/invoices/sums?fields={AMOUNTS}&group={group}")
        if names or records:
            assert rows == expected(records, names), name
        seen[name] = len(records)
        # A part of a turnover says so, as the list does
        told = [client.simulate_get(path).headers.get("Visible-Records") for path in ("/invoices/sums", "/invoices")]
        assert told[0] == told[1], name
        assert bool(told[0]) == (name != "administrator")
    assert seen["administrator"] > seen["representative"] > seen["external"] > 0
    assert seen["user"] == 0


def test_sums_have_the_words_and_filters_of_the_list(books):
    admin = books.client()
    (customer,) = admin.get("/thirdparties?limit=1&properties=id,name")
    for query in (f"q={quote(customer['name'].split()[0])}", f"thirdparty_ids={customer['id']}", "status=draft"):
        path = "/thirdparties" if query.startswith("q") else "/invoices"
        total = len(admin.get(f"{path}?{query}&limit=1000"))
        assert admin.get(f"{path}/sums?{query}")[0]["count"] == total > 0


def test_a_field_that_the_caller_may_not_see_is_unknown(books):
    admin = books.client()
    (customer,) = admin.get("/thirdparties?limit=1&properties=id")
    rights = ("invoices.read", "products.read", "users.read")
    inside, outside = books.user(*rights, "thirdparties.all"), books.user(*rights, socid=customer["id"])
    for client, path in ((outside, "/invoices"), (inside, "/users")):
        for name in {"/invoices": ("note_private",), "/users": ("pass_crypted", "api_key")}[path]:
            for parameter in ("group", "fields"):
                error = client.ask("GET", f"{path}/sums?{parameter}={name}", status=400)["error"]
                assert [each["field"] for each in error["errors"]] == [parameter]
                assert error["reason"] == "unknown_field"
    assert inside.get("/invoices/sums?group=note_private")


def test_all_that_is_wrong_is_told(books):
    admin = books.client()
    error = admin.ask("GET", "/invoices/sums?fields=totl_ttc,socid,ref&group=soc", status=400)["error"]
    assert error["errors"] == [
        {"field": "group", "message": "unknown field 'soc'; did you mean fk_soc?"},
        {"field": "fields", "message": "unknown field 'totl_ttc'; did you mean total_ttc?"},
        {"field": "fields", "message": "expected exact decimals or whole numbers, got socid"},
        {"field": "fields", "message": "expected exact decimals or whole numbers, got ref"},
    ]
    books.user("orders.read").ask("GET", "/invoices/sums", status=401)
    books.client(None).ask("GET", "/invoices/sums", status=401)


def test_there_are_not_too_many_groups(books, monkeypatch):
    monkeypatch.setattr(sums, "MOST_GROUPS", 3)
    admin = books.client()
    error = admin.ask("GET", "/invoices/sums?group=ref", status=400)["error"]
    assert error["errors"] == [{"field": "group", "message": "expected at most 3 groups, got more; use a filter"}]


NO_PAGE = """
from peewee import CharField
from core import Crud, ListQuery, Model, Records

class Idle(Model):
    name = CharField(null=True)

class Idles(Crud):
    records = Records(Idle)
{more}
"""


def test_a_list_that_is_not_a_page_of_records_has_no_sums(serve, write, folder):
    every = "    def index(self, query: ListQuery):\n        return self.records.every({})"
    write("idle/class/api_idles.py", NO_PAGE.format(more=every))
    served = serve(modules=str(folder))
    told = "Not Found: this list has no sums, because its method doesn't return a page of its records as it is"
    assert served.client().ask("GET", "/idles/sums", status=404)["error"]["message"] == told
    twice = "    def index(self, query: ListQuery):\n        return self.records.page(query) + self.records.page(query)"
    write("idle/class/api_idles.py", NO_PAGE.format(more=twice))
    served.server.reloader.check()
    assert served.client().ask("GET", "/idles/sums", status=404)["error"]["message"] == told
    write("idle/class/api_idles.py", NO_PAGE.format(more="    without = ('sums',)"))
    served.server.reloader.check()
    served.client().ask("GET", "/idles/sums", status=400)
