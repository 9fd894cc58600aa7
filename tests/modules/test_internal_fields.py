"""What only internal users see (`Meta.internal`): no GET of the catalogue shows an external user any of it.

Made from the catalogue and the models: a module that is added is tested by being there.
"""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import peewee
import pytest

from core.contract.catalogue import catalogue
from core.storage.model import meta_of
from core.testing import Client, Served
from core.web.views import relations
from tests.filled import demonstration, filled

pytestmark = pytest.mark.slow

TEXT, NUMBER = "PRIVATE-4711", Decimal("4711.1147")
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
SHEETS = ("text/csv", XLSX)
STREAMS = ("text/csv", "application/x-ndjson")
#: the fields that the rule is about; models may list further ones
NAMED = {"note_private", "pa_ht", "marque_tx", "marge_tx", "cost_price", "pmp"}
#: services whose records an external user may read, so that something of each is compared
READ = {"thirdparties", "contacts", "products", "proposals", "orders", "invoices", "shipments", "users"}
#: values of variables that no record of the service gives
VALUES = {"constantname": "MAIN_INFO_SOCIETE_NOTE", "elementtype": "product", "attrname": "none", "price_level": 1,
          "type": "product", "code": "FR", "iso": "FRA", "name": "countries", "line_id": 1}  # fmt: skip


@dataclass
class World:
    """A server whose internal fields all hold a planted value, and who looks for it."""

    served: Served
    admin: Client
    external: Client
    socid: int
    keys: frozenset[str]
    empty: tuple[Any, ...]

    def shown(self, content):
        """What of the planted values, or of their keys, an answer shows."""
        text = _text(content)
        found = [each for each in (TEXT, str(NUMBER)) if each in text]
        return found + [f"{key}={value!r}" for key, value in _pairs(content) if key in self.keys and self._tells(value)]

    def _tells(self, value):
        return not self.empty or value not in self.empty


def _text(content):
    if content[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(content)) as book:
            return "".join(book.read(name).decode() for name in book.namelist())
    return content.decode(errors="replace")


def _pairs(content):
    """Every key of an answer in JSON, with its value."""
    try:
        waiting = [json.loads(content)]
    except ValueError:
        return
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            yield from each.items()
            waiting += each.values()
        elif isinstance(each, list):
            waiting += each


def _plant():
    """Put values into every internal field of every model; answers the keys that must not show."""
    keys = set(NAMED)
    for model in catalogue().models:
        meta = meta_of(model)
        keys |= {*meta.internal} | {alias for alias, name in meta.aliases.items() if name in meta.internal}
        fields = [meta.fields[name] for name in meta.internal if name in meta.fields]
        values = {
            each.name: TEXT if isinstance(each, (peewee.TextField, peewee.CharField)) else NUMBER for each in fields
        }
        if values and not model.is_pattern:
            model.update(**values).execute()
    return frozenset(keys)


@pytest.fixture(scope="module", params=["specification", "dolibarr16"])
def world(request, tmp_path_factory):
    served = filled(tmp_path_factory, demonstration, profile_name=request.param)
    admin = served.client()
    admin.ask("PUT", "/setup/company", {"note_private": TEXT})
    # Whose documents of every kind there are
    owners = [{int(each["socid"] or 0) for each in admin.get(f"/{name}", limit=1000)} for name in
              ("contacts", "proposals", "orders", "invoices", "shipments") if name in catalogue().services]  # fmt: skip
    socid = min(set.intersection(*owners) - {0})
    keys = _plant()
    external = served.user(*catalogue().rights, socid=socid)
    _plant()
    # What a column without a value, and a text or number without one, is there
    empty = () if request.param == "specification" else (None, "", "0", 0, "0.00000000")
    yield World(served, admin, external, socid, keys, empty)
    served.close()


def _paths(operation, world):
    """The paths of an operation, for some records that the external user reads."""
    names = [part[1:-1] for part in operation.segments if part.startswith("{")]
    source = "/invoices/templates" if operation.template.startswith("/invoices/templates") else f"/{operation.service}"
    answer = world.external.simulate_get(source, params={"limit": 3}) if names else None
    records = answer.json if answer is not None and answer.status_code == 200 else [{}]
    for record in records if isinstance(records, list) else [{}]:
        path = operation.template
        for name in names:
            path = path.replace("{" + name + "}", str(record.get(name) or VALUES.get(name, 1)))
        yield path
        if not names:
            return


def _asked(operation, world):
    """Queries and headers of an operation: plain, as sheets and streams, each relation expanded."""
    takes = {each.name for each in operation.inputs}
    page = {"limit": 100} if "limit" in takes else {}
    yield page, {}
    yield page | {"pagination_data": 1}, {}
    for kind in SHEETS if "limit" in takes else ():
        yield page, {"Accept": kind}
    for kind in STREAMS if "all" in takes else ():
        yield {"all": 1}, {"Accept": kind}
    for path in relations().paths(operation.shape) if operation.shape is not None and "expand" in takes else ():
        yield page | {"expand": path}, {}
    for key in sorted(world.keys) if "properties" in takes else ():
        yield page | {"properties": f"id,{key}"}, {}
    for flag in ("includestockdata", "includesubproducts", "includeparentid", "includetrans", "contact_list"):
        if flag in takes:
            yield page | {flag: 1}, {}


def test_no_get_shows_an_external_user_what_is_internal(world):
    told, read, tried = [], set(), 0
    for operation in [each for each in catalogue().operations if each.verb == "GET"]:
        for path in _paths(operation, world):
            for query, headers in _asked(operation, world):
                answer = world.external.simulate_get(path, params=query, headers=headers)
                assert answer.status_code < 500, f"{path} {query} -> {answer.text[:300]}"
                tried += 1
                if shown := world.shown(answer.content):
                    told.append((path, query, headers, shown))
                elif answer.status_code == 200 and answer.content not in (b"[]", b"null"):
                    read.add(operation.service)
    assert told == []
    assert read >= READ & {*catalogue().services}
    assert tried > 500


def test_an_administrator_reads_all_of_it(world):
    """Otherwise the test above would look for what nobody is shown."""
    found = set()
    for service in READ & {*catalogue().services}:
        for record in world.admin.get(f"/{service}", limit=1000):
            found |= {key for key, _ in _pairs(json.dumps(record).encode()) if key in world.keys}
    assert found >= NAMED


def test_no_filter_sort_order_or_search_uses_it(world):
    tried = 0
    for operation in [each for each in catalogue().operations if each.shape is not None]:
        takes = {each.name for each in operation.inputs}
        if not {"sqlfilters", "sortfield"} <= takes or "{" in operation.template:
            continue
        meta = meta_of(operation.shape.model)
        for name in meta.internal:
            if name not in meta.fields:
                continue
            for spelling in (name, meta.fields[name].column_name):
                asked = [{"sqlfilters": f"(t.{spelling}:isnot:NULL)"}, {"sortfield": f"t.{spelling}"}]
                for query in asked:
                    assert world.external.simulate_get(operation.template, params=query).status_code == 400, query
                    assert world.admin.simulate_get(operation.template, params=query).status_code == 200, query
                    tried += 1
        if "q" in takes:
            found = world.external.simulate_get(operation.template, params={"q": TEXT})
            assert found.status_code in (200, 400, 404)
            assert found.status_code != 200 or found.json in ([], {}), operation.template
    assert tried > 40
