"""Each writing operation has one that undoes it, or a reason why not; each step from a proposal to a payment is tried."""

import csv
import re
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from core.contract.catalogue import catalogue

TABLE = Path(__file__).with_name("undone.tsv")
with TABLE.open(newline="") as file:
    ROWS = {row["operation"]: row for row in csv.DictReader(file, delimiter="\t")}
TRIED = {name: row["undone by"] for name, row in ROWS.items() if row["how"] == "tried"}
DAY, PAID = 1795219200, {"datepaye": 1795226000, "paymentid": 2, "closepaidinvoices": "yes"}
LINES = {"date": DAY, "lines": [{"desc": "Desk", "qty": 2, "subprice": "100", "tva_tx": 20}]}
#: what a step and its opposite leave as it was
SEEN = (
    "statut", "billed", "paye", "close_code", "total_ht", "total_tva", "total_ttc", "remaintopay", "totalpaid",
    "totalcreditnotes", "totaldeposits", "balance", "stock_reel", "rappro", "num_releve", "absolute_discount",
    "absolute_creditnote",
)  # fmt: skip


def first_row(operation):
    return next((name for name in ROWS if fnmatchcase(operation, name)), None)


def test_each_writing_operation_is_in_the_table(server):
    writing = [f"{each.verb} {each.template}" for each in catalogue().operations if each.verb != "GET"]
    assert [each for each in writing if first_row(each) is None] == []
    assert [name for name in ROWS if name not in {first_row(each) for each in writing}] == []
    named = {row["undone by"] for row in ROWS.values() if "*" not in row["undone by"]} - {""}
    assert named - set(writing) == set()


class World:
    """Records by the names of the variables in paths, made when a path first needs them."""

    def __init__(self, admin):
        self.admin, self.ids = admin, {}

    def __getitem__(self, name):
        if name not in self.ids:
            self.ids[name] = getattr(self, name)()
        return self.ids[name]

    def post(self, path, body=None):
        return self.admin.ask("POST", path.format_map(self), body or {})

    def customer(self):
        return self.post("/thirdparties", {"name": "Customer", "client": 1})

    def warehouse(self):
        return self.post("/warehouses", {"label": f"W{self['customer']}", "statut": 1})

    def other(self):
        return self.post("/warehouses", {"label": f"O{self['customer']}", "statut": 1})

    def product(self):
        return self.post("/products", {"ref": f"P{self['customer']}", "label": "Lamp", "status": 1})

    def account(self):
        body = {
            "ref": f"B{self['customer']}",
            "label": f"Bank {self['customer']}",
            "type": 1,
            "currency_code": "EUR",
            "country_id": 1,
        }
        return self.post("/bankaccounts", body | {"date_solde": DAY})

    def cash(self):
        body = {
            "ref": f"C{self['customer']}",
            "label": f"Cash {self['customer']}",
            "type": 1,
            "currency_code": "EUR",
            "country_id": 1,
        }
        return self.post("/bankaccounts", body | {"date_solde": DAY})

    def proposal(self):
        return self.post("/proposals", {"socid": self["customer"], **LINES})

    def order(self):
        line = {"fk_product": self["product"], "qty": 2, "subprice": "100", "tva_tx": 20, "desc": "Lamp"}
        return self.post("/orders", {"socid": self["customer"], "date": DAY, "lines": [line]})

    def shipment(self):
        self.post("/orders/{order}/validate")
        return self.post("/orders/{order}/shipment/{warehouse}")

    def invoice(self):
        return self.post("/invoices", {"socid": self["customer"], **LINES})

    def deposit(self):
        made = self.post("/invoices", {"socid": self["customer"], "type": 3, **LINES})
        self.post(f"/invoices/{made}/validate")
        self.post(f"/invoices/{made}/payments", PAID | {"accountid": self["account"]})
        return made

    def discount(self):
        self.post("/invoices/{deposit}/markAsCreditAvailable")
        return self.admin.get(f"/invoices/{self['deposit']}/discount")["id"]

    def template(self):
        return self.post("/invoices/templates/createfrominvoice/{invoice}", {"title": f"T{self['customer']}"})["id"]

    def line(self):
        body = {"date": DAY, "type": "VIR", "label": "Interest", "amount": "5"}
        return self.post("/bankaccounts/{account}/lines", body)


PROPOSAL, ORDER, INVOICE, SHIPMENT = (
    "/proposals/{proposal}",
    "/orders/{order}",
    "/invoices/{invoice}",
    "/shipments/{shipment}",
)
PRODUCT, ACCOUNT = "/products/{product}", "/bankaccounts/{account}"
CUSTOMER, USE = "/thirdparties/{customer}", "/usecreditnote/{discount}"
PAY = PAID | {"accountid": "{account}"}
MOVED = {"product_id": "{product}", "warehouse_id": "{warehouse}", "qty": "3"}
CARRIED = {"product_id": "{product}", "from_warehouse_id": "{warehouse}", "to_warehouse_id": "{other}", "qty": "3"}
MONEY = {
    "bankaccount_from_id": "{account}",
    "bankaccount_to_id": "{cash}",
    "date": DAY,
    "amount": "5",
    "description": "-",
}


def post(*path, **body):
    return "POST", "".join(path), body


#: calls before; the step; what undoes it, where `made` is the ID that the step returned; the records that it concerns
CASES = [
    ([], post(PROPOSAL, "/validate"), post(PROPOSAL, "/settodraft"), [PROPOSAL]),
    ([post(PROPOSAL, "/validate")], post(PROPOSAL, "/settodraft"), post(PROPOSAL, "/validate"), [PROPOSAL]),
    ([post(PROPOSAL, "/validate")], post(PROPOSAL, "/close", status=2), post(PROPOSAL, "/settodraft"), [PROPOSAL]),
    ([], post("/orders/createfromproposal/{proposal}"), ("DELETE", "/orders/{made}", None), [PROPOSAL]),
    (
        [post(PROPOSAL, "/validate"), post(PROPOSAL, "/close", status=2)],
        post(PROPOSAL, "/setinvoiced"), post(PROPOSAL, "/setuninvoiced"), [PROPOSAL],
    ),
    (
        [post(PROPOSAL, "/validate"), post(PROPOSAL, "/close", status=2), post(PROPOSAL, "/setinvoiced")],
        post(PROPOSAL, "/setuninvoiced"), post(PROPOSAL, "/setinvoiced"), [PROPOSAL],
    ),
    ([], post(ORDER, "/validate"), post(ORDER, "/settodraft"), [ORDER]),
    ([post(ORDER, "/validate")], post(ORDER, "/settodraft"), post(ORDER, "/validate"), [ORDER]),
    ([post(ORDER, "/validate")], post(ORDER, "/close"), post(ORDER, "/reopen"), [ORDER]),
    ([post(ORDER, "/validate")], post(ORDER, "/cancel"), post(ORDER, "/reopen"), [ORDER]),
    ([post(ORDER, "/validate"), post(ORDER, "/close")], post(ORDER, "/reopen"), post(ORDER, "/close"), [ORDER]),
    ([post(ORDER, "/validate")], post(ORDER, "/setinvoiced"), post(ORDER, "/setuninvoiced"), [ORDER]),
    (
        [post(ORDER, "/validate"), post(ORDER, "/setinvoiced")],
        post(ORDER, "/setuninvoiced"), post(ORDER, "/setinvoiced"), [ORDER],
    ),
    (
        [post(ORDER, "/validate")],
        post(ORDER, "/shipment/{warehouse}"), ("DELETE", "/shipments/{made}", None), [ORDER, PRODUCT],
    ),
    ([], post(SHIPMENT, "/validate"), post(SHIPMENT, "/settodraft"), [SHIPMENT, ORDER, PRODUCT]),
    (
        [post(SHIPMENT, "/validate")],
        post(SHIPMENT, "/settodraft"), post(SHIPMENT, "/validate"), [SHIPMENT, ORDER, PRODUCT],
    ),
    (
        [post(SHIPMENT, "/validate")],
        post(SHIPMENT, "/close"), post(SHIPMENT, "/reopen"), [SHIPMENT, ORDER, PRODUCT],
    ),
    (
        [post(SHIPMENT, "/validate"), post(SHIPMENT, "/close")],
        post(SHIPMENT, "/reopen"), post(SHIPMENT, "/close"), [SHIPMENT, ORDER, PRODUCT],
    ),
    ([], post("/invoices/createfromorder/{order}"), ("DELETE", "/invoices/{made}", None), [ORDER]),
    ([], post(INVOICE, "/validate"), post(INVOICE, "/settodraft"), [INVOICE]),
    ([post(INVOICE, "/validate")], post(INVOICE, "/settodraft"), post(INVOICE, "/validate"), [INVOICE]),
    (
        [post(INVOICE, "/validate")],
        post(INVOICE, "/payments", **PAY), ("DELETE", "/invoices/payments/{made}", None), [INVOICE, ACCOUNT],
    ),
    (
        [post(INVOICE, "/validate")],
        post("/invoices/paymentsdistributed", **PAY, arrayofamounts={"{invoice}": "60"}),
        ("DELETE", "/invoices/payments/{made}", None), [INVOICE, ACCOUNT],
    ),
    ([post(INVOICE, "/validate")], post(INVOICE, "/settopaid"), post(INVOICE, "/settounpaid"), [INVOICE]),
    (
        [post(INVOICE, "/validate"), post(INVOICE, "/settopaid", close_code="abandon")],
        post(INVOICE, "/settounpaid"), post(INVOICE, "/settopaid", close_code="abandon"), [INVOICE],
    ),
    (
        [post(INVOICE, "/validate"), post(INVOICE, "/payments", **PAY | {"amount": "250", "accepthigherpayment": True}),
         post(INVOICE, "/settounpaid")],
        post(INVOICE, "/markAsCreditAvailable"), post(INVOICE, "/settounpaid"), [INVOICE, CUSTOMER],
    ),
    ([post(INVOICE, "/validate")], post(INVOICE, USE), ("DELETE", INVOICE + USE, None), [INVOICE, CUSTOMER]),
    (
        [post(INVOICE, "/validate"), post(INVOICE, USE)],
        ("DELETE", INVOICE + USE, None), post(INVOICE, USE), [INVOICE, CUSTOMER],
    ),
    (
        [], post(INVOICE, "/usediscount/{discount}"), ("DELETE", INVOICE + "/lines/{line_made}", None),
        [INVOICE, CUSTOMER],
    ),
    (
        [], post("/invoices/templates/createfrominvoice/{invoice}", title="T{invoice}"),
        ("DELETE", "/invoices/templates/{made}", None), [INVOICE],
    ),
    ([], post("/invoices/templates/{template}/createinvoice"), ("DELETE", "/invoices/{made}", None), [INVOICE]),
    ([], post("/stockmovements", **MOVED), post("/stockmovements/{made}/undo"), [PRODUCT]),
    ([], post("/stockmovements/transfer", **CARRIED), post("/stockmovements/{made}/undo"), [PRODUCT]),
    (
        [], post(ACCOUNT, "/lines", date=DAY, type="VIR", label="Interest", amount="5"),
        ("DELETE", ACCOUNT + "/lines/{made}", None), [ACCOUNT],
    ),
    (
        [], post("/bankaccounts/transfer", **MONEY), ("DELETE", ACCOUNT + "/lines/{made}", None),
        [ACCOUNT, "/bankaccounts/{cash}"],
    ),
    (
        [], ("PUT", ACCOUNT + "/lines/{line}", {"rappro": 1, "num_releve": "2611"}),
        ("PUT", ACCOUNT + "/lines/{line}", {"rappro": 0}), [ACCOUNT, ACCOUNT + "/lines/{line}"],
    ),
]  # fmt: skip


def play(world, call):
    """Make a call; return the IDs of what it made, if it made anything."""
    verb, path, body = call
    answer = world.admin.ask(verb, path.format_map(world), body and filled(world, body))
    if isinstance(answer, dict):
        return [answer["id"]] if "id" in answer else list(answer.values())
    return answer if isinstance(answer, list) else [answer]


def filled(world, value):
    """Return a body with the IDs of the records that it names."""
    if isinstance(value, dict):
        return {filled(world, name): filled(world, each) for name, each in value.items()}
    return value.format_map(world) if isinstance(value, str) else value


def templated(call):
    return re.sub(r"\{\w+\}", "{}", f"{call[0]} {call[1]}")


@pytest.mark.parametrize(("before", "step", "undone", "concerned"), CASES, ids=[each[1][1] for each in CASES])
def test_a_step_and_what_undoes_it_leave_everything_as_it_was(admin, before, step, undone, concerned):
    world = World(admin)
    for name in re.findall(r"\{(\w+)\}", str([before, step, undone, concerned])):
        if name not in ("made", "line_made"):
            assert world[name]
    for call in before:
        play(world, call)

    def seen():
        records = [admin.get(path.format_map(world)) for path in concerned]
        return [{name: as_number(each[name]) for name in SEEN if name in each} for each in records]

    first = seen()
    made = play(world, step)
    if "line_made" in undone[1]:
        made = [admin.get(INVOICE.format_map(world))["lines"][-1]["id"]]
    # A transfer of goods has two movements
    for each in made if step[1].startswith("/stockmovements") else made[:1]:
        world.ids["made"] = world.ids["line_made"] = each
        play(world, undone)
    if step[1].endswith("/close") and "proposal" in step[1]:
        # From signed to draft: one step more is undone
        play(world, post(PROPOSAL, "/validate"))
    assert seen() == first


def as_number(value):
    return value if isinstance(value, str) and value.isalpha() else float(value or 0)


def test_each_step_that_the_table_calls_tried_is_tried():
    tried = {(templated(step), templated(undone)) for _, step, undone, _ in CASES}
    assert {(templated(name.split(" ")), templated(way.split(" "))) for name, way in TRIED.items()} - tried == set()
