"""A service with its model and its handlers in one file."""

import pytest

from core.contract.catalogue import catalogue
from core.loading.file_status import file_statuses
from tests.core.loading.services import reason_of

pytestmark = pytest.mark.usefixtures("without_natives")

#: the twelve lines of the tutorial
VISITS = """
from peewee import CharField, DateField
from core import Crud, Model, Records

class Visit(Model):
    place = CharField()
    day = DateField(null=True)
    class Meta:
        searched = ("place",)

class Visits(Crud):
    records = Records(Visit)
"""
HANDLER = """
from core import Refused, on

@on("visits.created", when="checking")
def choose_day(record, values):
    values.setdefault("day", "2026-11-30")

@on("visits.deleted", when="before")
def keep(record):
    raise Refused("visits stay")
"""
FILE = "visits/class/api_visits.py"


@pytest.fixture
def visits(served, write):
    write(FILE, VISITS)
    served.server.reloader.check()
    assert [each.reason for each in catalogue().failures] == []
    return served


def test_twelve_lines_are_a_service_with_all_operations(visits):
    assert len([line for line in VISITS.splitlines() if line]) <= 12
    admin = visits.client()
    made = admin.ask("POST", "/visits", {"place": "Oslo harbour", "day": "2026-11-29"})
    admin.ask("POST", "/visits/batch", {"entries": [{"method": "POST", "body": {"place": "Bergen"}}]})
    assert admin.get(f"/visits/{made}?dates=iso").items() >= {"place": "Oslo harbour", "day": "2026-11-29"}.items()
    assert [each["place"] for each in admin.get("/visits?q=harb")] == ["Oslo harbour"]
    assert admin.get("/visits?sqlfilters=(t.place:=:'Bergen')&properties=place") == [{"place": "Bergen"}]
    admin.ask("PATCH", f"/visits/{made}", {"place": "Oslo"})
    assert admin.get(f"/visits/{made}/history")[0]["after"]["place"] == "Oslo"
    admin.ask("PUT", f"/visits/{made}", {"place": "Tromsø"})
    admin.ask("DELETE", f"/visits/{made}")
    assert admin.ask("POST", "/visits", {"place": "a", "day": "x"}, status=400)["error"]["errors"][0]["field"] == "day"
    member = visits.user("visits.read")
    assert [each["place"] for each in member.get("/visits")] == ["Bergen"]
    assert member.ask("POST", "/visits", {"place": "a"}, status=401)


def test_its_handlers_run_and_refuse_while_the_file_is_broken(visits, write):
    write(FILE, VISITS + HANDLER)
    write("tours/class/api_tours.py", VISITS.replace("Visit", "Tour"))
    visits.server.reloader.check()
    admin = visits.client()
    made = admin.ask("POST", "/visits", {"place": "Oslo"})
    assert admin.get(f"/visits/{made}?dates=iso")["day"] == "2026-11-30"
    assert "visits stay" in admin.ask("DELETE", f"/visits/{made}", status=405)["error"]["message"]
    write(FILE, VISITS + HANDLER + "1 / 0\n")
    assert "ZeroDivisionError" in reason_of(visits, "visits")
    assert admin.get(f"/visits/{made}", status=501)
    assert admin.ask("POST", "/tours", {"place": "Rome"})
    refusing = [each for each in catalogue().event_handlers if (each.service, each.event) == ("visits", "deleted")]
    with pytest.raises(Exception, match=r"visits/class/api_visits.py must approve this change"):
        refusing[0].function({})


def test_a_broken_neighbour_keeps_its_models_to_itself(visits, write):
    admin = visits.client()
    admin.ask("POST", "/visits", {"place": "Oslo"})
    write("visits/class/api_tours.py", VISITS.replace("Visit", "Tour").replace("CharField()", "CharField(bad=1)"))
    assert "bad" in reason_of(visits, "tours")
    assert [each["place"] for each in admin.get("/visits")] == ["Oslo"]


def test_a_changed_model_changes_its_table(visits, write):
    admin = visits.client()
    made = admin.ask("POST", "/visits", {"place": "Oslo"})
    write(
        FILE,
        VISITS.replace("    day =", "    guests = IntegerField(default=2)\n    day =").replace(
            "CharField,", "CharField, IntegerField,"
        ),
    )
    visits.server.reloader.check()
    assert admin.get(f"/visits/{made}").items() >= {"place": "Oslo", "guests": 2}.items()


def test_its_model_moves_to_models_py_without_a_migration(visits, write):
    admin = visits.client()
    made = admin.ask("POST", "/visits", {"place": "Oslo"})
    write(
        "visits/rows.py",
        "from core import Rows\nfrom .class.api_visits import Visit\n\nRULES = {Visit: lambda caller: Rows.ALL}\n",
    )
    told = "Python can't import from a folder class; move the model to models.py: its table stays as it is"
    assert reason_of(visits, "visits/rows") == told
    model, api = VISITS.split("class Visits")
    write("visits/models.py", model)
    write(FILE, f"from core import Crud, Records\nfrom ..models import Visit\n\nclass Visits{api}")
    write(
        "visits/rows.py",
        "from core import Rows\nfrom .models import Visit\n\nRULES = {Visit: lambda caller: Rows.ALL}\n",
    )
    visits.server.reloader.check()
    assert [each.reason for each in catalogue().failures] == []
    assert admin.get(f"/visits/{made}")["place"] == "Oslo"


def test_a_migration_changes_its_table(visits, write):
    admin = visits.client()
    made = admin.ask("POST", "/visits", {"place": "Oslo"})
    write("visits/migrations/0001_town.py", "def migrate(tables):\n    tables.rename('visit', 'place', 'town')\n")
    write(FILE, VISITS.replace("place", "town"))
    visits.server.reloader.check()
    assert [each.reason for each in catalogue().failures] == []
    assert admin.get(f"/visits/{made}")["town"] == "Oslo"


def test_a_wrong_model_has_the_line_of_its_file(visits, write):
    write(FILE, VISITS.replace("CharField", "BlobField"))
    assert reason_of(visits, "visits").startswith("api_visits.py:5: Visit.Meta: searched: expected a text field")
    write(FILE, VISITS.replace("DateField", "BlobField"))
    assert reason_of(visits, "visits").startswith("api_visits.py:7: Visit.day: ")


def test_check_lists_it_as_loaded(visits):
    status = next(each for each in file_statuses(catalogue()) if each.service == "visits")
    assert (status.state, status.service, len(status.routes)) == ("loaded", "visits", 9)


def test_two_files_cannot_have_one_table(visits, write):
    write("visits/class/api_tours.py", VISITS.replace("class Visits", "class Tours"))
    told = "api_visits.py already has the table visit: write `table_name = …` in Meta of Visit"
    assert reason_of(visits, "visits") == told.replace("api_visits", "api_tours")
    assert len(catalogue().failures) == 1


def test_a_bad_handler_beside_an_error_disables_only_its_file(visits, write):
    text = 'from core import on\n\n@on("nosuch.created", when="before")\ndef see(record): pass\n'
    write("tours/events.py", text + "1 / 0\n")
    write("tours/class/api_tours.py", VISITS.replace("Visit", "Tour") + text)
    visits.server.reloader.check()
    assert {each.file.name for each in catalogue().failures} == {"events.py", "api_tours.py"}
    assert visits.client().ask("POST", "/visits", {"place": "Oslo"}) == 1


def test_a_handler_that_it_imports_belongs_to_its_own_file(visits, write):
    write("visits/events.py", HANDLER)
    write(FILE, VISITS.replace("class Visit(", "from ..events import keep\n\nclass Visit("))
    visits.server.reloader.check()
    assert [each.reason for each in catalogue().failures] == []
    assert len([each for each in catalogue().event_handlers if each.event == "deleted"]) == 1


def test_records_that_two_classes_serve_have_the_service_of_one(visits, write):
    write(
        "tours/models.py",
        "from peewee import CharField\nfrom core import Model, Records\n\nclass Tour(Model):\n    place = CharField()\n\ntours = Records(Tour)\n",
    )
    for name in ("Tours", "Trips"):
        write(
            f"tours/class/api_{name.lower()}.py",
            f"from core import Crud\nfrom ..models import tours\n\nclass {name}(Crud):\n    records = tours\n",
        )
    visits.server.reloader.check()
    assert [each.reason for each in catalogue().failures] == []


def test_the_noun_of_records_is_that_of_the_model(visits, write):
    write(FILE, VISITS.replace("class Visit(", "class VATRateLine(").replace("Records(Visit)", "Records(VATRateLine)"))
    visits.server.reloader.check()
    assert (
        visits.client().ask("GET", "/visits/7", status=404)["error"]["message"]
        == "Not Found: VAT rate line 7 not found"
    )
