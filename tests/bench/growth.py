"""The same calls over few records and over many: what a list costs must not grow with what it leaves out.

A few records are made over HTTP, and multiplied by statements: a million contacts take seconds, not an hour.
"""

from __future__ import annotations

import gc
import tempfile
import time
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from core.storage.database import backend, database, ensure_connected, no_timeouts, query, quote, transaction
from core.testing import Client, serving

HEAD = "Median milliseconds with few and with many records (1,000 and 1,000,000 contacts, 1,000 and 100,000 invoices):"
#: contacts and invoices
SIZES = {"small": (1000, 1000), "large": (1_000_000, 100_000)}
#: what is made over HTTP before it is multiplied
FIRST = 100
#: a call may take twice its small time, or this many milliseconds
ALWAYS_FINE = 5.0
#: days over which the records are spread
DAYS = 2000
LINES = [
    {"desc": "Desk, oak", "qty": 3, "subprice": "19.99", "tva_tx": "20"},
    {"desc": "Chair", "qty": 2, "subprice": "80", "tva_tx": "5.5"},
    {"desc": "Delivery", "qty": 1, "subprice": "35", "tva_tx": "20", "product_type": 1},
]


@dataclass(frozen=True)
class Ask:
    """A call that is measured: a path with its parameters, or what to do."""

    name: str
    path: str = ""
    parameters: dict[str, Any] | None = None
    act: Callable[[Client, int], object] | None = None
    #: why it takes longer with many records, where that is no fault; by database, "" is all others
    why: dict[str, str] = field(default_factory=dict)


def _create_contact(client, turn):
    return client.ask("POST", "/contacts", {"lastname": f"New {turn}", "phone_pro": f"0777{turn:06}", "socid": 1})


def _create_invoice(client, turn):
    return client.ask("POST", "/invoices", {"socid": 1, "date": "2026-11-21", "lines": LINES})


def _validate(client, turn):
    return client.ask("POST", f"/invoices/{_create_invoice(client, turn)}/validate", {})


ASKS = (
    Ask("contact by id", "/contacts/7"),
    Ask("contacts, first 100", "/contacts", {"limit": 100}),
    Ask("contacts, page 900", "/contacts", {"limit": 1, "page": 900}),
    Ask("contacts, page 900 of 100", "/contacts", {"limit": 100, "page": 900},
        why={"": "few records end before it; 90,000 entries of an index are passed over (a cursor passes over none)"}),
    Ask("contacts, far behind the end", "/contacts", {"limit": 100, "page": 1_000_000}),
    Ask("contacts, with the total", "/contacts", {"limit": 100, "count": 1},
        why={"sqlite": "it counts, by the narrowest index; the aim is 20 ms"}),
    Ask("contacts, sorted by name", "/contacts", {"limit": 100, "sortfield": "t.lastname"},
        why={"mysql": "MariaDB sorts all rows by a text"}),
    Ask("contacts, end of a phone number", "/contacts", {"sqlfilters": "(t.phone:like:'%99999')"},
        why={"mysql": "MariaDB has no index of what is in the middle of words"}),
    Ask("contacts, a word that one has", "/contacts", {"q": "p4711", "limit": 100}),
    Ask("contacts, a word that all have", "/contacts", {"q": "person", "limit": 100},
        why={"": "the best of all are answered, not the first"}),
    Ask("contacts, changed since", "/contacts", {"sqlfilters": "(t.tms:>=:'2026-11-20 00:00:00')", "limit": 100}),
    Ask("contacts, changed since, none", "/contacts", {"sqlfilters": "(t.tms:>:'2099-01-01 00:00:00')", "limit": 100}),
    # Those made over HTTP, beside each other
    Ask("contacts, changed since, the newest", "/contacts",
        {"sqlfilters": "(t.tms:>:'2026-11-21 00:00:00')", "limit": 100}),
    Ask("contacts, changed since, all", "/contacts", {"sqlfilters": "(t.tms:>:'2000-01-01 00:00:00')", "limit": 100}),
    Ask("contacts, changed since, by name", "/contacts",
        {"sqlfilters": "(t.tms:>=:'2026-11-20 00:00:00')", "sortfield": "t.lastname", "limit": 100}),
    Ask("contacts, end of a phone number, none", "/contacts", {"sqlfilters": "(t.phone:like:'%x99999')"},
        why={"mysql": "MariaDB has no index of what is in the middle of words"}),
    Ask("contacts, part of all phone numbers", "/contacts", {"sqlfilters": "(t.phone:like:'%0555%')", "limit": 100}),
    Ask("contacts, by ref_ext, none", "/contacts", {"sqlfilters": "(t.ref_ext:=:'nothing')"}),
    Ask("contacts, by ref_ext", "/contacts", {"sqlfilters": "(t.ref_ext:=:'X-500')"}),
    Ask("contacts of a third party", "/contacts", {"thirdparty_ids": "7", "limit": 100}),
    Ask("create a contact", act=_create_contact),
    Ask("invoices, first 100", "/invoices", {"limit": 100}),
    Ask("invoices of a customer", "/invoices", {"thirdparty_ids": "7", "limit": 100}),
    Ask("invoices, unpaid, newest first", "/invoices",
        {"status": "unpaid", "sortfield": "t.datef", "sortorder": "DESC", "limit": 100}),
    Ask("invoices of a month", "/invoices",
        {"sqlfilters": "(t.datef:between:'2024-03-01','2024-03-31')", "limit": 100},
        why={"": "100 invoices are answered of many, 31 of few"}),
    Ask("invoices of no day", "/invoices", {"sqlfilters": "(t.datef:between:'2099-03-01','2099-03-31')"}),
    Ask("invoices of all days", "/invoices",
        {"sqlfilters": "(t.datef:between:'2000-01-01','2099-12-31')", "limit": 100}),
    Ask("invoices of no customer", "/invoices", {"thirdparty_ids": "999999999", "limit": 100}),
    Ask("sums of all invoices", "/invoices/sums", {"fields": "total_ttc"}, why={"": "it reads all invoices"}),
    Ask("sums of all invoices and their unpaid rest", "/invoices/sums", {"fields": "total_ttc,remaintopay"},
        why={"": "it reads all invoices and payments"}),
    Ask("sums of unpaid invoices by customer", "/invoices/sums",
        {"fields": "total_ttc,remaintopay", "group": "socid", "status": "unpaid"}, why={"": "it reads all invoices"}),
    Ask("create an invoice", act=_create_invoice),
    Ask("create and validate one, with its file", act=_validate),
)  # fmt: skip


def fill(client, contacts, invoices):
    """Records made over HTTP, multiplied up to these numbers, and spread over third parties and days."""
    for number in range(FIRST // 10):
        client.ask("POST", "/thirdparties", {"name": f"Company {number}", "client": 1, "code_client": "-1"})
    for number in range(FIRST):
        body = {"lastname": f"Person {number}", "phone_pro": f"0555{number:06}", "socid": number % 10 + 1}
        client.ask("POST", "/contacts", body | {"email": f"p{number}@example.org", "town": "Lyon"})
    for number in range(FIRST):
        made = client.ask("POST", "/invoices", {"socid": number % 10 + 1, "date": "2026-11-21", "lines": LINES})
        if number % 2:
            client.ask("POST", f"/invoices/{made}/validate", {})
    ensure_connected()
    companies = contacts // 10
    last = FIRST // 10
    with no_timeouts():
        _multiply("llx_societe", companies, nom="'Company ' || {n}", code_client="'CU' || {n}")
        _multiply(
            "llx_socpeople", contacts, lastname="'Person ' || {n}", phone="'0555' || {six}",
            email="'p' || {n} || '@example.org'", fk_soc=f"{{n}} % {max(companies, last)} + 1", ref_ext="'X-' || {n}",
            datec="{moment}", tms="{moment}",
        )  # fmt: skip
        _multiply(
            "llx_facture", invoices, ref="'M' || {n}", fk_soc=f"{{n}} % {max(companies // 10, last)} + 1",
            datef="{day}", date_lim_reglement="{day}", datec="{moment}", tms="{moment}", fk_statut="{n} % 3",
            paye="CASE WHEN {n} % 3 = 2 THEN 1 ELSE 0 END",
        )  # fmt: skip
        _multiply("llx_facturedet", invoices * 3, fk_facture="1 + ({n} - 1) / 3")
        _analyze()


def _multiply(table, number, **columns):
    """Copy the first rows of a table until there are so many; some columns are worked out from the row's number."""
    names = [each.name for each in database.get_columns(table) if each.name != "rowid"]
    mysql = backend().name == "mysql"
    words = {
        "n": "n.number",
        "six": {"sqlite": "printf('%06d', n.number)", "postgresql": "lpad(n.number::text, 6, '0')",
                "mysql": "lpad(n.number, 6, '0')"}[backend().name],
        "day": {"sqlite": f"date('2026-11-20', '-' || (n.number % {DAYS}) || ' days')",
                "postgresql": f"date '2026-11-20' - (n.number % {DAYS})::int",
                "mysql": f"date_sub('2026-11-20', interval n.number % {DAYS} day)"}[backend().name],
    }  # fmt: skip
    words["moment"] = {
        "sqlite": f"datetime('2026-11-20', '-' || (n.number % {DAYS}) || ' days', '+' || (n.number % 80000) || ' seconds')",
        "postgresql": f"timestamp '2026-11-20' - (n.number % {DAYS}) * interval '1 day' + (n.number % 80000) * interval '1 second'",
        "mysql": f"date_add(date_sub('2026-11-20', interval n.number % {DAYS} day), interval n.number % 80000 second)",
    }[backend().name]
    taken = {name: f"s.{quote(name)}" for name in names}
    for name, text in columns.items():
        made = text.format_map(words)
        if mysql and "||" in made:
            made = "concat(" + ", ".join(made.split(" || ")) + ")"
        taken[name] = made.replace(") / 3", ") div 3") if mysql else made
    for each in _unique(table):
        if each not in columns:
            taken[each] = "NULL"
    first, there = query(f"SELECT MIN(rowid), COUNT(*) FROM {table}")[0]
    low, high = int(there) + 1, int(number)
    if low > high:
        return
    series = {
        "postgresql": f"SELECT generate_series({low}, {high}) AS number",
        "mysql": f"SELECT seq AS number FROM seq_{low}_to_{high}",
        "sqlite": f"WITH RECURSIVE c(number) AS (SELECT {low} UNION ALL SELECT number + 1 FROM c WHERE number < {high}) "
        "SELECT number FROM c",
    }[backend().name]
    # To the drivers of the others a % begins a value
    sign = "%" if backend().name == "sqlite" else "%%"
    with transaction():
        database.obj.run(
            (
                f"INSERT INTO {table} ({', '.join(map(quote, names))}) SELECT {', '.join(taken[each] for each in names)} "
                f"FROM ({series}) AS n JOIN {table} AS s ON s.rowid = {int(first)} + (n.number - 1) % {int(there)} "
                "ORDER BY n.number"
            ).replace("%", sign)
        )


def _unique(table):
    return {each.columns[0] for each in database.get_indexes(table) if each.unique and len(each.columns) == 1} - {
        "rowid"
    }


def _analyze():
    tables = ("llx_societe", "llx_socpeople", "llx_facture", "llx_facturedet")
    if backend().name == "sqlite":
        database.obj.run("ANALYZE")
    if backend().name == "postgresql":
        # Where commits are not waited for, VACUUM takes rows for visible to all once the log is on the disk
        database.obj.run("CHECKPOINT")
    for each in tables if backend().name != "sqlite" else ():
        database.obj.run(f"ANALYZE TABLE {each}" if backend().name == "mysql" else f"VACUUM ANALYZE {each}")


@contextmanager
def filled(kind, size):
    """A server over so many records."""
    with tempfile.TemporaryDirectory(prefix="comptoir-growth-") as made, serving(Path(made), kind) as served:
        fill(served.client(), *SIZES[size])
        yield served


def times(served, runs):
    """The median of each call in milliseconds."""
    client, found = served.client(), {}
    gc.collect()
    gc.freeze()
    for ask in ASKS:
        took = []
        for turn in range(runs + 3):
            began = time.perf_counter()
            if ask.act is not None:
                ask.act(client, turn)
            else:
                client.ask("GET", ask.path, params=ask.parameters)
            took.append((time.perf_counter() - began) * 1000)
            if turn > 4 and sum(took) > 10_000:
                break
        # The first ones fill what is kept in memory
        found[ask.name] = median(took[3:])
    return found


def measure(kind, runs=20):
    """The table of all calls.

    :param kind: that of the database
    """
    found = {}
    for size in SIZES:
        with filled(kind, size) as served:
            found[size] = times(served, runs)
    rows = []
    for ask in ASKS:
        small, large = found["small"][ask.name], found["large"][ask.name]
        fine = large <= max(2 * small, ALWAYS_FINE)
        why = "" if fine else ask.why.get(kind, ask.why.get("", "")) or "grows"
        text = f"{kind:12} {ask.name:42} {small:8.2f} {large:9.2f} {large / small:7.1f}  {why}".rstrip()
        found_here = {"small": small, "large": large, "fine": fine, "why": why}
        rows.append({"database": kind, "call": ask.name, **found_here, "text": text})
    return rows
