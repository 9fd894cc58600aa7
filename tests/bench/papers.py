"""What a paper costs: built in this process against the smallest reportlab program that draws as many strings, and over
HTTP with two workers on each database that there is.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import pymupdf_fonts
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont

from core.access.accounts import Account
from core.access.keys import make_key
from core.common.settings import Settings
from core.storage.database import ensure_connected
from core.testing import DATABASE_KINDS
from core.testing.databases import why_unavailable
from core.wsgi import build

from .calls import BUILD, Call, fill, script_of, send
from .costs import answer
from .pages import drawn, sample, smallest
from .servers import KEY, comptoir, load, warm_up

PROCESS, SERVED = "ms in the process", "a second over HTTP"
COMPANY = {
    "name": "Comptoir", "address": "1 rue Neuve", "zip": "69001", "town": "Lyon", "country_code": "FR",
    "tva_intra": "FR32123456789", "idprof1": "123456789", "idprof2": "12345678900012", "email": "bills@example.org",
}  # fmt: skip
CUSTOMER = {
    "name": "Buyer", "client": 1, "country_id": 1, "address": "2 quai", "zip": "75001", "town": "Paris",
    "idprof1": "987654321", "tva_intra": "FR11987654321", "email": "in@example.org",
}  # fmt: skip
PLAIN = [{"desc": "Desk, oak", "qty": 3, "subprice": "20", "tva_tx": 20}, {"desc": "Chair", "qty": 1, "subprice": "80"}]
HTML = [line | {"desc": f"<p><b>{line['desc']}</b><br>made by <i>hand</i> &eacute;</p>"} for line in PLAIN]
#: an account in Paris that does not exist
IBAN = "FR7630006000011234567890189"


@dataclass(frozen=True)
class Kind:
    """A paper that is measured: an invoice, its lines, and the constants it is printed with."""

    name: str
    lines: list[dict[str, Any]]
    constants: tuple[tuple[str, str], ...] = ()


KINDS = (
    Kind("plain", PLAIN),
    Kind("with HTML", HTML),
    Kind("with a code", PLAIN, (("MAIN_BANK_IBAN", IBAN),)),
    Kind("with a code and Factur-X", PLAIN, (("MAIN_BANK_IBAN", IBAN), ("INVOICE_FACTURX", "1"))),
)


def measure(seconds: int) -> list[dict[str, Any]]:
    """A row for each: what is measured, its value, and what share of the smallest program's time it takes."""
    return in_process() + [
        row for kind in DATABASE_KINDS if not why_unavailable(kind) for row in over_http(seconds, kind)
    ]


def in_process(rounds: int = 60) -> list[dict[str, Any]]:
    """Builds of two lines: what is printed is gathered, drawn and finished; nothing is kept."""
    buffers = pymupdf_fonts.fontbuffers
    for name, buffer in (("bench", "notos"), ("bench-bold", "notosbo")):
        pdfmetrics.registerFont(TTFont(name, BytesIO(buffers[buffer]())))
    strings = drawn(sample(2))
    rows = []
    with tempfile.TemporaryDirectory(prefix="comptoir-bench-") as folder:
        app = build(Settings(database=f"sqlite:///{folder}/bench.db", documents=folder)).app
        ensure_connected()
        make_key(Account.create(login="bench", admin=1).id, "measures", key=KEY)

        def ask(verb: str, path: str, body: Any) -> Any:
            return json.loads(answer(app, Call("", path, 0, body=body, verb=verb)))

        ask("PUT", "/setup/company", COMPANY)
        socid = ask("POST", "/thirdparties", CUSTOMER)
        for kind in KINDS:
            rows += _builds(ask, socid, kind, partial(smallest, strings), rounds)
    return rows


def _builds(ask: Callable[..., Any], socid: int, kind: Kind, least: Callable[[], object], rounds: int) -> list[Any]:
    """Rows of one kind of paper: the whole of a build, and the page alone."""
    from modules.documents.template import Template
    from modules.invoices.doctemplates.pdf_crabe import Crabe
    from modules.invoices.invoices import invoices
    from modules.setup.constants import set_constant, unset_constant

    body = {"socid": socid, "date": "2026-11-21", "mode_reglement_id": 2, "lines": kind.lines}
    identifier = ask("POST", "/invoices", body)
    ask("POST", f"/invoices/{identifier}/validate", {})
    ensure_connected()
    record = invoices.read(identifier)
    for name, value in kind.constants:
        set_constant(name, value)
    writer: Template = Crabe()

    def whole() -> bytes:
        paper = writer.paper(record)
        if hasattr(writer, "enclosed"):
            paper.enclosed = writer.enclosed(record)
        return writer.finish(record, writer.render(paper))

    paper = writer.paper(record)
    works: dict[str, Callable[[], object]] = {"build": whole, "page": lambda: writer.render(paper), "": least}
    times: dict[str, list[float]] = {name: [] for name in works}
    # In turns, so that what else the machine does burdens all alike
    for _ in range(rounds):
        for name, work in works.items():
            start = time.perf_counter()
            work()
            times[name].append(time.perf_counter() - start)
    for name, _ in kind.constants:
        unset_constant(name)
    middle = {name: sorted(found)[rounds // 2] for name, found in times.items()}
    return [
        {
            "what": f"{name}, {kind.name}",
            "unit": PROCESS,
            "value": middle[name] * 1000,
            "share": middle[name] / middle[""],
        }
        for name in ("build", "page")
    ]


def over_http(seconds: int, kind: str, rounds: int = 2) -> list[dict[str, Any]]:
    """Builds of a proposal of two lines a second, over HTTP with two workers."""
    call = Call("", "/documents/builddoc", 0, None, BUILD, "PUT")
    with tempfile.TemporaryDirectory() as made, comptoir(kind=kind) as (address, _):
        fill(partial(send, address))
        script = script_of(call, Path(made))
        warm_up(address, "/status")
        rate = max(load(address, call.path, seconds=seconds, script=script) for _ in range(rounds))
    return [{"what": f"builds, {kind}", "unit": SERVED, "value": rate, "share": None}]


def row_of(row: dict[str, Any]) -> str:
    """A row as it is printed."""
    share = f"{row['share']:8.2f} of the smallest program" if row["share"] else ""
    return f"{row['what']:36} {row['value']:8.2f} {row['unit']:20} {share}"
