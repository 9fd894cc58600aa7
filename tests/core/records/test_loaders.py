"""What belongs to records besides their columns: subqueries, loaders and lists of children, on each database."""

import pytest

from core.testing import statements

pytestmark = [pytest.mark.usefixtures("without_natives"), pytest.mark.every_database]

MODELS = """
from peewee import AutoField, CharField, IntegerField

from core import Children, Loader, Model, RecordField, Records

from ..thirdparties.models import Thirdparty


class Crate(Model):
    id = AutoField()
    label = CharField(max_length=20)

    class Meta:
        table_name = "crates_crate"


class Bottle(Model):
    id = AutoField()
    crate = RecordField(Crate, "Crate")
    size = IntegerField()
    socid = RecordField(Thirdparty, "Third party", null=True)

    class Meta:
        table_name = "crates_bottle"
        thirdparty = "socid"


class Sizes(Loader):
    def sql(self, ids):
        marks = ", ".join("?" * len(ids))
        return f"SELECT crate, size FROM crates_bottle WHERE '?%' = '?%' AND crate IN ({marks}) ORDER BY size", ids

    def apply(self, rows, records):
        for record in records:
            record["sizes"] = [size for crate, size in rows if crate == record["id"]]


class Crates(Records):
    model = Crate
    subqueries = {"bottles": "SELECT COUNT(*) FROM crates_bottle AS b WHERE b.crate = t.id"}

    def loaders(self, *, alone):
        return [Sizes(), Children(bottles, "crate", "mine", sort="t.size", most=4)] if alone else [Sizes()]

    def complete(self, records):
        for record in records:
            record["biggest"] = max(record["sizes"], default=0)


bottles = Records(Bottle, service="bottles")
crates = Crates(service="crates", noun="Crate")
"""
API = '''
from core import Crud

from ..models import bottles, crates


class Crates(Crud):
    """Crates."""

    records = crates

    def get_called(self, label: str) -> dict:
        """Read a crate by its label.

        :permission: crates.read
        """
        return crates.read(label, "label")

    def post(self, request_data: dict) -> int:
        """Create a crate, or a bottle.

        :permission: crates.write
        """
        return (crates if "label" in request_data else bottles).create(request_data)
'''


@pytest.mark.natives
def test_records_have_what_subqueries_and_loaders_find(serve, kind, folder, write):
    write("crates/models.py", MODELS)
    write("crates/class/api_crates.py", API)
    served = serve(kind=kind, modules=str(folder))
    admin = served.client()
    mine, other = (admin.ask("POST", "/thirdparties", {"name": name}) for name in ("Mine", "Other"))
    full, empty = (admin.ask("POST", "/crates", {"label": label}) for label in ("full", "empty"))
    for size, owner in ((75, mine), (33, other), (50, None)):
        admin.ask("POST", "/crates", {"crate": full, "size": size, "socid": owner})

    def sizes(record):
        return [bottle["size"] for bottle in record["mine"]]

    listed = {"bottles": 3, "sizes": [33, 50, 75], "biggest": 75}
    for call in (f"/crates/{full}", "/crates/called?label=full"):
        read = admin.get(call)
        assert sizes(read) == [33, 50, 75]
        del read["mine"]
        assert read == {"id": full, "label": "full", **listed}
    assert admin.get(f"/crates/{empty}") == {
        "id": empty, "label": "empty", "bottles": 0, "sizes": [], "biggest": 0, "mine": [],
    }  # fmt: skip
    assert admin.get("/crates?sortfield=t.id&sortorder=DESC") == [
        {"id": empty, "label": "empty", "bottles": 0, "sizes": [], "biggest": 0},
        {"id": full, "label": "full", **listed},
    ]
    with statements() as seen:
        admin.get("/crates")
    assert sum("crates_bottle" in each for each in seen) == 2
    assert admin.get("/crates?limit=0&sqlfilters=(t.label:=:'none')") == []
    admin.refused("GET", f"/crates/{full + 9}", status=404)
    # Children are subject to the row rules, and may be too many
    assert sizes(served.user("crates.read", socid=mine).get(f"/crates/{full}")) == [75]
    for _ in range(2):
        admin.ask("POST", "/crates", {"crate": full, "size": 20})
    assert "more than 4" in admin.refused("GET", f"/crates/{full}", status=400)
