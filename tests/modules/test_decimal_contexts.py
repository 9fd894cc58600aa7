"""A module that changes its thread's decimal context changes its own arithmetic, and no one else's.

One invoice is computed everywhere: 100 pieces at 123.456 are 12,345.60, with 20 % of VAT 14,814.72.
"""

import base64
import decimal
import itertools
import threading

import pytest

from core.testing import serving
from tests.modules.documents.pdf_text import text_of

WAYS = """
import decimal
from decimal import Context, Inexact, InvalidOperation, Rounded, getcontext, localcontext, setcontext


def three(): getcontext().prec = 3
def six(): getcontext().prec = 6
def down(): getcontext().prec, getcontext().rounding = 4, decimal.ROUND_DOWN
def up(): setcontext(Context(prec=5, rounding=decimal.ROUND_UP))
def exactly(): getcontext().prec = 2; getcontext().traps[Inexact] = getcontext().traps[Rounded] = True
def small(): getcontext().Emax = 2; getcontext().Emin = -2; getcontext().prec = 2
def silent(): getcontext().clear_traps(); getcontext().clear_flags(); getcontext().prec = 1
def capital(): setcontext(decimal.ExtendedContext.copy()); getcontext().capitals = 0; getcontext().clamp = 1
def default(): decimal.DefaultContext.prec = 2; getcontext().prec = 2


def narrow(way):
    # Only what the module sets itself may be there
    assert str(decimal.Decimal(1) / 7) == "0.1428571428571428571428571429", str(decimal.Decimal(1) / 7)
    globals()[way]()
"""
WORK = """
from datetime import date
from decimal import Decimal

from ..banks.accounts import bank_accounts
from ..commercial.outstanding import outstanding
from ..invoices.balances import balance_of
from ..invoices.invoices import invoices
from ..invoices.payments import PaymentOptions, pay
from ..orders.orders import orders
from ..products.products import products
from ..stock.movements import Movement, move, transfer
from ..stock.warehouses import warehouses
from ..thirdparties.thirdparties import thirdparties


def work(number, name="Right"):
    # All that a module may call of native ones, in the context of its own
    party = thirdparties.create({"name": name, "client": 1})
    line = {"desc": "x", "qty": "100", "subprice": "123.456", "tva_tx": "20"}
    body = {"socid": party, "date": "2026-11-21", "lines": [line]}
    order, invoice = orders.create(body), invoices.create(body)
    invoices.act(invoice, "validate")
    before = outstanding(invoices, party)["opened"]
    account = bank_accounts.create({"ref": f"B{number}", "label": f"Bank {number}", "country_id": 1, "currency_code": "EUR",
                                    "date_solde": "2026-01-01"})
    paid = {"datepaye": "2026-11-22", "paymentid": 2, "accountid": account}
    pay({invoice: Decimal("4814.72")}, paid, PaymentOptions())
    goods = products.create({"ref": f"G{number}", "label": "Goods", "price": "123.456", "tva_tx": "20"})
    one, two = warehouses.create({"label": f"W{number}"}), warehouses.create({"label": f"V{number}"})
    move([Movement(goods, one, Decimal("1000.125"), Decimal("2.5"))], label="in")
    transfer(goods, one, two, Decimal("0.25"))
    move([Movement(goods, one, Decimal("1000"), Decimal("7.7"))], label="more")
    record, shown = invoices.read(invoice), products.read(goods)
    return {
        "invoice": invoice, "order": order, "party": party, "goods": goods,
        "total": record["total_ttc"], "net": record["total_ht"], "left": record["remaintopay"],
        "listed": invoices.page(sqlfilters=f"(t.rowid:=:{invoice})")[0]["remaintopay"],
        "settled": f"{balance_of(invoice).settled:f}", "sum": f"{invoices.sum('total_ttc', {'id': invoice}):f}",
        "before": before, "opened": outstanding(invoices, party)["opened"],
        "ordered": orders.read(order)["total_ttc"], "price": shown["price_ttc"], "average": shown["pmp"],
        "stock": shown["stock_reel"],
    }
"""
API = """
import decimal
from decimal import Decimal
from core import Accepted, Api, Crud, ListQuery
from ..jobs import count
from ..models import Card, cards
from ..ways import narrow
from ..work import work

WAY = []


class Narrow(Crud):
    ":access: protected"
    records = cards

    def post_work(self, way: str, number: int) -> dict:
        '''Narrow, and let others work.

        :access: protected
        '''
        narrow(way)
        return work(number)

    def post_change(self, way: str) -> str:
        '''Narrow.

        :access: protected
        '''
        narrow(way)
        try:
            return str(Decimal(1) / 7)
        except decimal.Inexact:
            return "inexact"

    def post_job(self, way: str, number: int) -> Accepted:
        '''Enqueue.

        :access: protected
        '''
        return Accepted(count.later(way, number))

    def index(self, query: ListQuery) -> list:
        '''List.

        :access: protected
        '''
        narrow("three")
        return cards.page(query)
"""
MODELS = """
import peewee
from core import ExactField, Model, Records
from .ways import narrow


class Card(Model):
    id = peewee.AutoField()
    way = peewee.CharField()
    price = ExactField(24, 8)


class Cards(Records[Card]):
    def prepare(self, values, before):
        super().prepare(values, before)
        narrow(values["way"])

    def complete(self, records):
        narrow("three")


cards = Cards(Card, service="narrow", noun="Card")
"""
JOBS = """
from core import job
from .ways import narrow
from .work import work


@job(attempts=1)
def count(way: str, number: int) -> dict:
    narrow(way)
    return work(number)


@job(attempts=1)
def right(number: int) -> dict:
    return work(number)
"""
EVENTS = """
from .ways import narrow


def before_thirdparties_created(record):
    if record["name"].startswith("narrow "):
        narrow(record["name"].split()[1])


def after_thirdparties_created(record):
    before_thirdparties_created(record)


def before_any_payment_added(service, record):
    narrow("three")


def after_any_created(service, record):
    narrow("exactly")
"""
ROWS = """
from core import Rows
from ..invoices.models import Invoice
from ..thirdparties.models import Thirdparty
from .models import Card
from .ways import narrow


def rule(caller):
    narrow("three")
    return Rows.ALL


RULES = {Card: rule, Invoice: rule, Thirdparty: rule}
"""
NAMES = ("three", "six", "down", "up", "exactly", "small", "silent", "capital", "default")
#: one of each kind: few digits, other rounding, errors, small exponents, later threads
KINDS = ("three", "up", "exactly", "small", "default")
numbers = itertools.count(1)
#: by hand; the average price: (1000.125 × 2.5 + 1000 × 7.7) / 2000.125 = 10200.3125 / 2000.125 = 5.09983…
RIGHT = {
    "total": "14814.72000000", "net": "12345.60000000", "left": "10000.00000000", "listed": "10000.00000000",
    "settled": "4814.72000000", "sum": "14814.72000000", "before": "14814.72000000", "opened": "10000.00000000",
    "ordered": "14814.72000000", "price": "148.14720000", "average": "5.09984000", "stock": "2000.12500000",
}  # fmt: skip


@pytest.fixture(scope="module")
def narrow(kind, tmp_path_factory):
    """The native modules and the module `narrow`, on each kind of database."""
    folder = tmp_path_factory.mktemp(kind)
    files = {"class/api_narrow.py": API, "ways.py": WAYS, "work.py": WORK, "models.py": MODELS, "jobs.py": JOBS}
    for name, text in (files | {"events.py": EVENTS, "rows.py": ROWS}).items():
        file = folder / "modules/narrow" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    with serving(folder, kind, modules=str(folder / "modules")) as served:
        yield served


@pytest.fixture(autouse=True)
def _python_s_own():
    before = decimal.DefaultContext.prec
    yield
    decimal.DefaultContext.prec = before
    assert str(decimal.Decimal(1) / 7) == "0.1428571428571428571428571429", "the test's own thread has another context"


def values(found):
    return {name: found[name] for name in RIGHT}


def right(client):
    """Others compute as ever: totals, payments, what is outstanding, stock, prices and PDFs."""
    party = client.ask("POST", "/thirdparties", {"name": "Later", "client": 1})
    line = {"desc": "x", "qty": "100", "subprice": "123.456", "tva_tx": "20"}
    body = {"socid": party, "date": "2026-11-21", "lines": [line]}
    for service in ("orders", "invoices"):
        number = client.ask("POST", f"/{service}", body)
        assert client.get(f"/{service}/{number}")["total_ttc"] == "14814.72000000"
    client.ask("POST", f"/invoices/{number}/validate", {})
    record = client.get(f"/invoices/{number}")
    assert record["remaintopay"] == "14814.72000000"
    assert client.get(f"/thirdparties/{party}/outstandinginvoices")["opened"] == "14814.72000000"
    built = {"modulepart": "invoice", "original_file": f"{record['ref']}/{record['ref']}.pdf", "langcode": "en_US"}
    text = text_of(base64.b64decode(client.ask("PUT", "/documents/builddoc", built)["content"]))
    assert "12,345.60" in text
    assert "14,814.72" in text


@pytest.mark.parametrize("way", NAMES)
def test_natives_called_by_a_method_compute_exactly(narrow, way):
    found = narrow.client().ask("POST", "/narrow/work", {"way": way, "number": next(numbers)})
    assert values(found) == RIGHT
    record = narrow.client().get(f"/invoices/{found['invoice']}")
    assert record["remaintopay"] == "10000.00000000"


@pytest.mark.parametrize("way", KINDS)
def test_the_next_request_of_the_thread_computes_exactly(narrow, way):
    client = narrow.client()
    own = client.ask("POST", "/narrow/change", {"way": way})
    assert own != "0.1428571428571428571428571429" or way in ("small", "capital")
    right(client)


@pytest.mark.parametrize("way", KINDS)
def test_handlers_change_nothing_else(narrow, way):
    client = narrow.client()
    client.ask("POST", "/thirdparties", {"name": f"narrow {way}", "client": 1})
    right(client)
    entries = [{"method": "POST", "body": {"name": f"narrow {way}", "client": 1}}] * 2
    assert client.ask("POST", "/thirdparties/batch", {"entries": entries})["done"] == 2
    right(client)


@pytest.mark.parametrize("way", KINDS)
def test_a_job_changes_nothing_else(narrow, way):
    client = narrow.client()
    jobs = [client.ask("POST", "/narrow/job", {"way": way, "number": next(numbers)}, status=202) for _ in "ab"]
    narrow.run_jobs()
    for each in jobs:
        assert values(client.get(f"/jobs/{each['job']}")["result"]) == RIGHT
    right(client)


@pytest.mark.parametrize("way", KINDS)
def test_prepare_changes_no_value_that_is_stored(narrow, way):
    client = narrow.client()
    body = {"way": way, "price": "12345.67890123"}
    number = client.ask("POST", "/narrow", body)
    assert client.get(f"/narrow/{number}")["price"] == "12345.67890123"
    entries = [{"method": "POST", "body": body}, {"method": "PATCH", "id": number, "body": {"price": "-0.00000001"}}]
    entries[1]["body"]["way"] = way
    assert client.ask("POST", "/narrow/batch", {"entries": entries})["done"] == 2
    assert client.get(f"/narrow/{number}")["price"] == "-0.00000001"
    right(client)


def test_each_step_of_a_stream_begins_anew(narrow):
    client = narrow.client()
    entries = [{"method": "POST", "body": {"way": "six", "price": "98765.43210987"}}] * 1000
    for _ in range(2):
        assert client.ask("POST", "/narrow/batch", {"entries": entries})["done"] == 1000
    # `narrow` asserts that it begins in Python's own context
    answer = client.simulate_get("/narrow", params={"all": "1"}, headers={"Accept": "application/x-ndjson"})
    assert answer.text.count('"98765.43210987"') >= 2000
    right(client)


def test_threads_that_begin_later_compute_exactly(narrow):
    narrow.client().ask("POST", "/narrow/change", {"way": "default"})
    failed = []

    def ask():
        try:
            right(narrow.client())
        except BaseException as error:
            failed.append(error)
        finally:
            narrow.close()

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    assert not failed


@pytest.mark.parametrize("text", ["decimal.getcontext().prec = 3", "decimal.DefaultContext.prec = 3"])
def test_an_import_changes_nothing(serve, folder, write, text):
    write("narrow/class/api_narrow.py", f'import decimal\n{text}\nclass Narrow:\n    ":access: public"\n')
    right(serve(modules=str(folder)).client())
