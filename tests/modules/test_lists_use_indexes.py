"""No list reads a whole table to answer what is usually asked of it, whatever the service: the database says how it would.

A table of a test is so small that reading all of it would be right. So PostgreSQL is told that this costs much, of
SQLite it is asked whether it begins in an index, and of MariaDB whether there is one that it could use.
"""

import json
from contextlib import contextmanager

import pytest

from core.contract.catalogue import catalogue
from core.records.lists import ListQuery, make_cursor, sort_keys
from core.storage.database import backend, database, ensure_connected

#: tables of which there are some hundred rows, and not more with the years
SMALL = {
    "bankaccounts", "categories", "establishments", "users", "attributes", "warehouses", "invoicetemplates",
}  # fmt: skip
#: columns that are asked for: what a filter says of them, and what it is sorted by
ASKED = {
    "tms": ("(t.{}:>=:'2026-11-20 00:00:00')", ""),
    "datec": ("(t.{}:>=:'2026-11-20 00:00:00')", ""),
    "ref": ("(t.{}:=:'X-1')", ""),
    "ref_ext": ("(t.{}:=:'X-1')", ""),
    "date": ("(t.{}:between:'2026-11-01','2026-11-30')", "t.date"),
    "socid": ("(t.{}:=:7)", ""),
}


@contextmanager
def _read():
    """The statements that read meanwhile, with their values."""
    seen = []

    def note(event):
        seen.append((event.sql, event.params))

    ensure_connected()
    database.obj.query_hooks.append(note)
    try:
        yield seen
    finally:
        database.obj.query_hooks.remove(note)


def _asked(client, service, **parameters):
    """How the database finds the rows of a list, as it says itself."""
    with _read() as seen:
        client.ask("GET", f"/{service.name}", params={"limit": "100", **parameters})
    table = service.records.model._meta.table_name
    (sql, values), *_ = [each for each in seen if " AS t" in each[0] and table in each[0] and "ORDER BY" in each[0]]
    if "sqlfilters" in parameters and "sortfield" not in parameters:
        # Who finds few rows may sort them as he likes
        sql, values = sql.partition(" ORDER BY ")[0], values[:-2]
    if backend().name == "sqlite":
        rows = database.obj.run(f"EXPLAIN QUERY PLAN {sql}", values).fetchall()
        return "; ".join(row[3] for row in rows if " t " in f"{row[3]} " or "ORDER BY" in row[3])
    if backend().name == "mysql":
        cursor = database.obj.run(f"EXPLAIN {sql}", values)
        names = [each[0] for each in cursor.description]
        rows = [dict(zip(names, each, strict=True)) for each in cursor.fetchall()]
        # Of a unique index it has looked before it answers: there is no such row
        return next((f"{row['type']} {row['possible_keys']}" for row in rows if row["table"] == "t"), "const")
    with database.atomic():
        database.obj.run("SET LOCAL enable_seqscan = off")
        database.obj.run("SET LOCAL enable_bitmapscan = off")
        (plan,) = database.obj.run(f"EXPLAIN (FORMAT JSON) {sql}", values).fetchone()
    return "; ".join(_steps(plan if isinstance(plan, list) else json.loads(plan), str(table)))


def _steps(node, table):
    if isinstance(node, list):
        for each in node:
            yield from _steps(each, table)
    elif isinstance(node, dict):
        if "Node Type" in node and node.get("Relation Name", table) == table:
            yield f"{node['Node Type']} {node.get('Index Name', '')} {node.get('Index Cond', '')}".strip()
        for each in node.values():
            yield from _steps(each, table)


def _lists():
    return [
        each
        for each in catalogue().services.values()
        if each.records is not None
        and each.name not in SMALL
        and any(one.verb == "GET" and one.template == f"/{each.name}" for one in each.operations)
    ]


def test_the_usual_order_is_that_of_an_index(admin):
    sorted_anew = {}
    for service in _lists():
        plan = _asked(admin, service)
        if any(word in plan for word in ("TEMP B-TREE FOR ORDER BY", "ALL None")) or plan.startswith("Sort"):
            sorted_anew[service.name] = plan
    if backend().name != "mysql":
        assert sorted_anew == {}
    assert len(_lists()) >= 8


@pytest.mark.parametrize("name", ASKED)
def test_what_is_asked_for_is_found_in_an_index(admin, name):
    condition, order = ASKED[name]
    read_through, asked = {}, 0
    for service in _lists():
        columns = service.records.select_plan().columns
        field = columns.get(f"t.{name}")
        if field is None or name not in (field.field.name, field.field.column_name):
            continue
        asked += 1
        ways = [{"sqlfilters": condition.format(name)}]
        if order:
            ways += [{"sortfield": order, "sortorder": direction} for direction in ("ASC", "DESC")]
        for way in ways:
            plan = _asked(admin, service, **way)
            if not _is_found(plan, filtered="sqlfilters" in way):
                read_through[f"{service.name} {way}"] = plan
    assert read_through == {}
    assert asked >= (3 if name == "date" else 4)


@pytest.mark.every_database("sqlite", "postgresql")
def test_a_text_is_sorted_by_an_index_and_a_cursor_leads_into_it(admin):
    sorted_anew, asked = {}, 0
    for service in (each for each in catalogue().services.values() if each in _lists() or each.name == "users"):
        plan, model = service.records.select_plan(), service.records.model
        for name in model._meta.sorted:
            asked += 1
            for direction in ("ASC", "DESC"):
                query = ListQuery(sortfield=f"t.{name}", sortorder=direction)
                keys = sort_keys(query, "", plan.columns, f"t.{plan.key.lower()}")
                for cursor in ("", make_cursor(keys, ["m", 7])):
                    how = {"sortfield": query.sortfield, "sortorder": direction, "limit": "100", "after": cursor}
                    with _read() as seen:
                        admin.ask("GET", f"/{service.name}", params=how)
                    (sql, values), *_ = [each for each in seen if f"{plan.name}` AS t" in each[0].replace('"', "`")]
                    if wrong := _not_in_order(sql, values):
                        sorted_anew[f"{service.name}.{name} {direction} {cursor}"] = wrong
    assert sorted_anew == {}
    assert asked >= 8


def _not_in_order(sql, values):
    """How the database would sort the rows of a statement; empty: they come out of an index of texts."""
    if backend().name == "sqlite":
        rows = database.obj.run(f"EXPLAIN QUERY PLAN {sql}", values).fetchall()
        text = "; ".join(row[3] for row in rows)
        return text if "FOR ORDER BY" in text or "__sorted" not in text else ""
    with database.atomic():
        database.obj.run("SET LOCAL enable_seqscan = off")
        database.obj.run("SET LOCAL enable_bitmapscan = off")
        text = json.dumps(database.obj.run(f"EXPLAIN (FORMAT JSON) {sql}", values).fetchone()[0])
    return text if '"Sort"' in text or "__sorted" not in text else ""


def test_a_state_or_a_third_party_newest_first(admin):
    read_through = {}
    for name in ("proposals", "orders", "invoices"):
        service = catalogue().services[name]
        for condition in ("(t.fk_statut:=:1)", "(t.fk_soc:=:7)"):
            plan = _asked(admin, service, sqlfilters=condition, sortfield="t.date", sortorder="DESC")
            if not _is_found(plan, filtered=True) or "FOR ORDER BY" in plan:
                read_through[f"{name} {condition}"] = plan
    assert read_through == {}


def _is_found(plan, *, filtered):
    """Whether a plan begins in an index.

    :param filtered: a condition must lead to the rows; else the order is enough
    """
    if backend().name == "sqlite":
        return plan.startswith("SEARCH t USING") if filtered else "USING INDEX" in plan and "FOR ORDER BY" not in plan
    if backend().name == "mysql":
        return not filtered or not plan.endswith("None")
    return "Seq Scan" not in plan and "Index" in plan and (not filtered or "(" in plan)
