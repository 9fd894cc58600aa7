"""Opening a shop of a country on a server, and sending its PDFs."""

from contextlib import ExitStack, contextmanager

from core.testing import constant
from tests.modules.documents.pdf_text import text_of

FIELDS = (
    "name", "address", "zip", "town", "managers", "capital", "forme_juridique_code", "idprof1", "idprof2", "idprof3",
    "idprof4", "idprof5", "idprof6", "tva_intra",
)  # fmt: skip
LINE = {"desc": "Fitting", "qty": 10, "subprice": 100, "tva_tx": 20, "product_type": 1}


@contextmanager
def open_shop(admin, shop, **more):
    """Set the company of a shop and its constants; answers its customer.

    :param more: constants, and fields of the company or the customer
    """
    company = dict.fromkeys(FIELDS) | {"currency_code": "EUR"} | shop.company
    company |= {name: more[name] for name in more if name in company and name != "name"}
    constants = shop.constants | {"MAIN_LANG_DEFAULT": shop.language}
    constants |= {name: value for name, value in more.items() if name.isupper()}
    admin.ask("PUT", "/setup/company", company | {"country_code": shop.country or None})
    with ExitStack() as set_:
        for name, value in constants.items():
            set_.enter_context(constant(admin, name, value))
        yield int(admin.ask("POST", "/thirdparties", shop.customer | more.get("customer", {})))


def draft(admin, socid, service="invoices", **more):
    """A draft of one line."""
    body = {"socid": socid, "date": "2026-11-21", "cond_reglement_id": 2, "lines": [LINE], **more}
    return int(admin.ask("POST", f"/{service}", body))


def words_of(admin, identifier, kind="invoice"):
    """All that is read on the PDF of a record, which is validated for it."""
    record = admin.ask("POST", f"/{kind}s/{identifier}/validate", {})
    path = f"{record['ref']}/{record['ref']}.pdf"
    return text_of(admin.simulate_get("/documents/raw", params={"modulepart": kind, "original_file": path}).content)


def check(admin, identifier=0, kind="invoice", **more):
    """What is missing on it, and what is there."""
    return admin.get("/documents/check", modulepart=kind, id=identifier, **more)


def keys(mentions):
    """The rules of a part of the answer."""
    return {each["key"] for each in mentions}
