"""Shipping methods and rates of VAT had identifiers of their own; now they have those that clients know by heart.

What was shipped is known by its code, so it keeps what an administrator has made of it, and records go on naming what
they named. What has been added by hand and stands in the way gets an identifier beyond those that are shipped. Then the
entries come that an older release did not bring; those that it brought and that somebody has taken away do not.
"""

from __future__ import annotations

import csv
from decimal import Decimal
from pathlib import Path
from typing import Any

#: where entries are put in between, so that two may change places
ASIDE = 1_000_000
#: the first identifier of entries that nobody ships
OWN = 10_000

METHODS = "llx_c_shipment_mode"
#: what had which identifier before: a record may name one whose entry is gone
METHODS_BEFORE = {
    "CATCH": 1, "TRANS": 2, "COLSUI": 3, "LETTREMAX": 4, "UPS": 9, "KIALA": 10, "GLS": 11, "CHRONO": 12, "FEDEX": 14,
    "TNT": 15, "DHL": 16,
}  # fmt: skip
METHOD_COLUMN = "fk_shipping_method"
#: tables that name a shipping method where nothing is kept of their columns; the others are found by these
NAMING = ("llx_propal", "llx_commande", "llx_societe")

#: countries and the rates that an older release brought
RATES_BEFORE = (
    "1: 20 10 5.5 2.1 0; 2: 21 12 6 0; 3: 22 10 5 4 0; 4: 21 10 4 0; 5: 19 7 0; 6: 8.1 3.8 2.6 0; 7: 20 5 0; "
    "8: 23 13.5 9 4.8 0; 17: 21 9 0; 18: 27 18 5 0; 20: 25 12 6 0; 25: 23 13 6 0; 41: 20 13 10 0; 59: 20 9 0; "
    "76: 25 13 5 0; 78: 19 9 5 3 0; 79: 21 12 0; 80: 25 0; 89: 24 13 9 0; 94: 25.5 14 13.5 10 0; 102: 24 13 6 "
    "0; 133: 21 12 5 0; 139: 21 12 9 5 0; 140: 17 14 8 3 0; 148: 18 12 7 5 0; 184: 23 8 5 0; 188: 21 11 0; "
    "201: 23 19 5 0; 202: 22 9.5 5 0 "
)
#: roles that an older release brought
ROLES_BEFORE = (6, 7, 8, 9, 10, 11, 12, 13, 22, 23, 24, 25)


def migrate(tables: Any) -> None:
    """Give what is shipped its identifiers, and bring what is missing."""
    _shipping_methods(tables)
    _vat_rates(tables)
    _contact_types(tables)


def _shipping_methods(tables: Any) -> None:
    rows = tables.rows(f"SELECT rowid, code FROM {METHODS}")
    if rows and "DHL" not in {code for _, code in rows}:
        tables.fill(f"UPDATE {METHODS} SET code = ? WHERE code = ?", "DHL", "DHLEXP")
        rows = tables.rows(f"SELECT rowid, code FROM {METHODS}")
    if not rows:
        # It is filled when it is first read
        return
    present = {code: identifier for identifier, code in rows}
    shipped = {row["code"]: row for row in _shipped(METHODS)}
    moves = _moves(present, {code: int(row["id"]) for code, row in shipped.items()})
    _renumber(tables, METHODS, "rowid", moves)
    gone = {
        before: int(shipped[code]["id"])
        for code, before in METHODS_BEFORE.items()
        if before not in present.values() and code not in present and int(shipped[code]["id"]) != before
    }
    for table in _naming(tables):
        _renumber(tables, table, METHOD_COLUMN, {**gone, **moves})
    for code, row in shipped.items():
        if code not in present and code not in METHODS_BEFORE:
            tables.fill(
                f"INSERT INTO {METHODS} (rowid, code, libelle, description, tracking, active) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                int(row["id"]), code, row["label"], row["description"] or None, row["tracking"] or None,
                int(row["active"]),
            )  # fmt: skip


def _naming(tables: Any) -> list[str]:
    known = tables.rows("SELECT name, form FROM comptoir_table")
    return sorted(name for name, form in known if (f'"{METHOD_COLUMN}"' in form if form else name in NAMING))


def _vat_rates(tables: Any) -> None:
    columns = "fk_pays, code, taux, recuperableonly"
    rows = tables.rows(f"SELECT rowid, {columns} FROM llx_c_tva")
    if not rows:
        return
    present = {
        (country, code or "", tables.decimal("llx_c_tva", "taux", rate), only): identifier
        for identifier, country, code, rate, only in rows
    }
    shipped = {_rate_key(row): row for row in _shipped("llx_c_tva")}
    _renumber(tables, "llx_c_tva", "rowid", _moves(present, {key: int(row["id"]) for key, row in shipped.items()}))
    before = set()
    for each in RATES_BEFORE.split(";"):
        country, _, rates = each.partition(":")
        before |= {(int(country), "", Decimal(rate), 0) for rate in rates.split()}
    others = "localtax1, localtax1_type, localtax2, localtax2_type, active, note"
    for key, row in shipped.items():
        if key not in present and key not in before:
            tables.fill(
                f"INSERT INTO llx_c_tva (rowid, {columns}, {others}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                int(row["id"]), key[0], key[1], tables.exact("llx_c_tva", "taux", row["rate"]), key[3],
                row["localtax1"], row["localtax1_type"], row["localtax2"], row["localtax2_type"], int(row["active"]),
                row["note"] or None,
            )  # fmt: skip


def _rate_key(row: dict[str, str]) -> tuple[int, str, Decimal, int]:
    return int(row["country_id"]), row["code"], Decimal(row["rate"]), int(row["recuperableonly"])


def _contact_types(tables: Any) -> None:
    columns = "element, source, code"
    rows = tables.rows(f"SELECT rowid, {columns} FROM llx_c_type_contact")
    if not rows:
        return
    present = {tuple(key): identifier for identifier, *key in rows}
    shipped = {(row["element"], row["source"], row["code"]): row for row in _shipped("llx_c_type_contact")}
    moves = _moves(present, {key: int(row["id"]) for key, row in shipped.items()})
    _renumber(tables, "llx_c_type_contact", "rowid", moves)
    if "llx_element_contact" in {name for (name,) in tables.rows("SELECT name FROM comptoir_table")}:
        _renumber(tables, "llx_element_contact", "fk_c_type_contact", moves)
    for key, row in shipped.items():
        if key not in present and int(row["id"]) not in ROLES_BEFORE:
            tables.fill(
                f"INSERT INTO llx_c_type_contact (rowid, {columns}, libelle, active, position) "
                "VALUES (?, ?, ?, ?, ?, 1, 0)",
                int(row["id"]), *key, row["label"],
            )  # fmt: skip


def _shipped(table: str) -> list[dict[str, str]]:
    file = Path(__file__).parent.parent / "data" / f"{table}.csv"
    with file.open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def _moves(present: dict[Any, int], shipped: dict[Any, int]) -> dict[int, int]:
    """Identifier → the one it shall be, of those that change."""
    taken = {*shipped.values()}
    free = max([OWN - 1, *present.values()]) + 1
    moves = {}
    for key, identifier in sorted(present.items(), key=lambda item: item[1]):
        if key in shipped:
            moves[identifier] = shipped[key]
        elif identifier in taken:
            moves[identifier], free = free, free + 1
    return {old: new for old, new in moves.items() if old != new}


def _renumber(tables: Any, table: str, column: str, moves: dict[int, int]) -> None:
    for old, new in moves.items():
        tables.fill(f"UPDATE {table} SET {column} = ? WHERE {column} = ?", new + ASIDE, old)
    for new in moves.values():
        tables.fill(f"UPDATE {table} SET {column} = ? WHERE {column} = ?", new, new + ASIDE)
