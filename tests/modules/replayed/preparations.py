"""What an installation had before its first exchange, and what happened between two exchanges without being written down."""

from core.access.accounts import Grant
from core.access.keys import make_key
from core.storage.database import database, ensure_connected
from core.testing import constant

DAY = 1795219200
LINE = {"desc": "line", "qty": 1, "subprice": 10, "tva_tx": 20, "product_type": 0}
#: what a proposal of the recording, that is written down, was created with
OFFER = {
    "date": DAY, "duree_validite": 30, "ref_client": "CREF1", "note_public": "public note",
    "note_private": "private note", "cond_reglement_id": 2, "mode_reglement_id": 2, "lines": [
        {"desc": "free line", "qty": 3, "subprice": "19.99", "tva_tx": "20", "product_type": 0, "remise_percent": 10},
        {"desc": "product line", "qty": "2", "subprice": 100, "tva_tx": "5.5", "product_type": 0},
    ],
}  # fmt: skip
#: of proposals 1 to 23 those that were gone, those that were signed, and those that were drafts
GONE, SIGNED, DRAFTS = (7, 11, 20, 22), (2, 3, 4, 5), (6, 10, 12, 13, 14, 15)
#: two lines were created at once, and only their number was answered
NAMED_LINES = {"fourth": 28, "fifth": 29}
#: of products 1 to 18 one was gone; their lists are sorted by reference, services apart; one had signs in its reference
PRODUCTS = {9: "A1", 10: "A2", 5: "K1", 7: "K2", 12: "K3", 16: "K4", 2: "K5", 18: "BAD/REF*"}
SERVICES = (5, 7, 12, 16, 2)

_TABLES = {"proposals": "llx_propal", "orders": "llx_commande", "invoices": "llx_facture"}
#: what makes a document of another → the service of that other
_SOURCES = {"createfromproposal": "proposals", "createfromorder": "orders"}

ADDED = {
    "ptext": {"label": "A text", "type": "varchar", "size": "255"},
    "pint": {"label": "An int", "type": "int", "size": "10"},
    "pdate": {"label": "A date", "type": "date"},
    "pdt": {"label": "A datetime", "type": "datetime"},
    "pprice": {"label": "A price", "type": "price", "size": "24,8"},
    "pbool": {"label": "A bool", "type": "boolean", "size": "1"},
    "psel": {"label": "A select", "type": "select"},
}


def prepare(here, exchange):
    """Do what comes before an exchange."""
    place = (exchange.chapter, exchange.n)
    if place in BEFORE:
        BEFORE[place](here)
    if exchange.state is not None:
        put_into(here, exchange.path, exchange.state)


def begin(here):
    """The company, products, and proposals of other third parties."""
    here.admin.ask("PUT", "/setup/company", {"name": "ACME", "country_id": 1})
    here.make("bankaccounts", 3, ref="BANK", label="Bank", type=1, currency_code="EUR", country_id=1, date_solde=DAY)
    here.make("thirdparties", 1, name="Foo Corp", client=1, status=1)
    here.make("thirdparties", 1001, name="Other", client=1, status=1)
    here.make("thirdparties", 1002, name="Prospect", client=2)
    here.make("thirdparties", 1003, name="Supplier", fournisseur=1, code_fournisseur="-1")
    here.make("invoices", 5, socid=here.ours("thirdparties", 1001), date=DAY, lines=[LINE])
    here.admin.ask("PUT", "/setup/conf/MAIN_MONNAIE", {"value": "EUR"})
    products = [
        here.make("products", each, ref=PRODUCTS.get(each, f"P{each:02}"), label="x", type=int(each in SERVICES))
        for each in range(1, 19)
    ]
    here.admin.ask("DELETE", f"/products/{products[0]}")
    with constant(here.admin, "MAIN_DISABLE_PDF_AUTOUPDATE", "1"):
        for each in range(1, 24):
            date = DAY - 400 * 86400 if each == 1 else DAY
            here.make("proposals", each, socid=here.ours("thirdparties", 1001), date=date, lines=[LINE])
            if each not in (*GONE, *DRAFTS):
                here.act("proposals", each, "validate")
            if each in SIGNED:
                here.act("proposals", each, "close", status=2)
        for each in GONE:
            here.admin.ask("DELETE", f"/proposals/{here.ours('proposals', each)}")


def take_back_lines(here):
    """Lines that are accepted here, and were not there."""
    path = f"/proposals/{here.ours('proposals', 24)}"
    for line in here.admin.get(f"{path}/lines"):
        if line["desc"] in ("sixth", "no type"):
            here.admin.ask("DELETE", f"{path}/lines/{line['id']}")
        elif line["desc"] in NAMED_LINES:
            here.identifiers.bind("proposals lines", NAMED_LINES[line["desc"]], line["id"])


def take_back_validation(here):
    """What an empty object was refused for there, is done here."""
    here.act("proposals", 24, "settodraft")


def sign_another(here):
    """A signed proposal, from which an order is made."""
    lines = [dict(each) for each in OFFER["lines"]]
    lines[1]["fk_product"] = here.ours("products", 19)
    here.make("proposals", 25, **{**OFFER, "lines": lines}, socid=here.ours("thirdparties", 1042))
    here.act("proposals", 25, "validate")
    here.act("proposals", 25, "close", status=2)


def draft_order(here):
    here.make("orders", 21, socid=here.ours("thirdparties", 1042), date=DAY, lines=[LINE])
    lines = here.admin.get(f"/orders/{here.ours('orders', 21)}/lines")
    here.identifiers.bind("orders lines", 25, lines[0]["id"])


def draft_offer(here):
    here.make("proposals", 26, socid=here.ours("thirdparties", 1042), date=DAY, lines=[LINE])
    here.name("proposals", 26, "(PROV26)")


def validate_offer(here):
    here.act("proposals", 26, "validate")
    here.name("proposals", 26, "PR2611-0016")


def name_pdfs(here):
    here.name("orders", 20, "CO2611-0006")
    here.name("invoices", 18, "FA2611-0011")


def begin_another(here):
    """Another installation: all identifiers begin anew."""
    here.identifiers.forget()
    here.make("thirdparties", 1, name="Foo Corp", client=1, status=1)
    here.make("thirdparties", 1001, name="Other", client=1, status=1)
    here.make("thirdparties", 1004, name="mine 26574")
    here.make("contacts", 2, lastname="Two", socid=here.ours("thirdparties", 1001))
    with constant(here.admin, "MAIN_DISABLE_PDF_AUTOUPDATE", "1"):
        for number, owner in ((1, 1), (2, 1001), (4, 1), (5, 1)):
            here.make("proposals", number, socid=here.ours("thirdparties", owner), date=DAY, lines=[LINE])
        here.act("proposals", 1, "validate")
        here.name("proposals", 1, "PR2611-0001")
        here.make("orders", 2, socid=here.ours("thirdparties", 1001), date=DAY, lines=[LINE])
        for number in (1, 3, 4):
            here.make("invoices", number, socid=here.ours("thirdparties", 1001), date=DAY, lines=[LINE])


def allow_own_key(here):
    _grant(here.ours("users", 8), "users.self")


def give_a_key(here):
    """The first user has a key, and no rights."""
    ensure_connected()
    here.clients["restricted"] = here.served.client(make_key(here.ours("users", 7), "tests"))


def restrict_to_own(here):
    rights = ("proposals.read", "proposals.write", "orders.read", "invoices.read", "thirdparties.read", "products.read")
    _grant(here.ours("users", 7), *rights, "contacts.read")


def represent(here):
    owner, user = here.ours("thirdparties", 1), here.ours("users", 7)
    here.admin.ask("POST", f"/thirdparties/{owner}/representatives/{user}")


def let_create(here):
    _grant(here.ours("users", 7), "thirdparties.write")


def invite(here):
    """An external user."""
    rights = ("proposals.read", "proposals.write", "orders.read", "invoices.read", "thirdparties.read", "products.read")
    here.clients["external"] = here.served.user(
        *rights, "contacts.read", "thirdparties.all", socid=here.ours("thirdparties", 1001)
    )


def offer_for_files(here):
    with constant(here.admin, "MAIN_DISABLE_PDF_AUTOUPDATE", "1"):
        here.make("proposals", 9, socid=here.ours("thirdparties", 1001), date=DAY, lines=[LINE])
        here.act("proposals", 9, "validate")
    here.name("proposals", 9, "PR2611-0004")


def define(here):
    for place, (name, definition) in enumerate(ADDED.items()):
        choices = {"param": {"options": {"1": "one", "2": "two"}}} if name == "psel" else {}
        body = {**definition, **choices, "pos": 100 + place}
        here.admin.ask("POST", f"/setup/extrafields/propal/{name}", body)


def require(here):
    here.admin.ask("PUT", "/setup/extrafields/propal/ptext", {"required": 1})


def undefine(here):
    for name in ADDED:
        here.admin.ask("DELETE", f"/setup/extrafields/propal/{name}")


def begin_states(here):
    """A further installation, without PDFs, which take long and aren't compared."""
    here.identifiers.forget()
    here.admin.ask("PUT", "/setup/conf/MAIN_DISABLE_PDF_AUTOUPDATE", {"value": "1"})
    here.make("thirdparties", 1001, name="Other", client=1, status=1)
    here.make("products", 1, ref="PLAIN", label="x", type=0)


def put_into(here, path, state):
    """A new record in a state, whatever led to it; it was validated once where it is no draft."""
    service = path.split("/")[1] if "createfrom" not in path else _SOURCES[path.split("/")[2]]
    here.make(service, 1, socid=here.ours("thirdparties", 1001), date=DAY, lines=[LINE])
    if state:
        here.act(service, 1, "validate")
    paid = f", paye = {int(state == 2)}" if service == "invoices" else ""
    ensure_connected()
    number = here.ours(service, 1)
    database.obj.execute_sql(f"UPDATE {_TABLES[service]} SET fk_statut = {state}{paid} WHERE rowid = {number}")


def _grant(user, *rights):
    ensure_connected()
    for right in rights:
        Grant.create(user=user, name=right)


#: chapter and exchange → what is done before it
BEFORE = {
    ("people", 1): begin,
    ("offers", 13): take_back_lines,
    ("offers", 17): take_back_validation,
    ("sales", 1): sign_another,
    ("sales", 24): draft_order,
    ("pdfs", 1): draft_offer,
    ("pdfs", 8): validate_offer,
    ("pdfs", 45): name_pdfs,
    ("rights", 1): begin_another,
    ("rights", 9): allow_own_key,
    ("rights", 13): give_a_key,
    ("rights", 45): restrict_to_own,
    ("rights", 57): represent,
    ("rights", 66): let_create,
    ("rights", 67): invite,
    ("files", 1): offer_for_files,
    ("additions", 1): define,
    ("additions", 9): require,
    ("additions", 13): undefine,
    ("states", 1): begin_states,
}
