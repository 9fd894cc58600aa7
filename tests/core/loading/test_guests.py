"""A service may serve paths below another one's name; when it breaks, or goes, those alone are concerned."""

import pytest

from core.contract.catalogue import catalogue
from core.loading.file_status import file_statuses
from tests.core.loading.services import reason_of

pytestmark = pytest.mark.usefixtures("without_natives")

CARS = '''
class Cars:
    """Cars.

    :access: public
    """

    def get(self, id: int) -> str:
        """A car."""
        return f"car {id}"
'''
TYRES = '''
class Tyres:
    """Tyres.

    :access: public
    """

    def index(self) -> str:
        """All."""
        return "all tyres"

    def of_car(self, id: int) -> str:
        """Those of a car.

        :url: GET ../cars/{id}/tyres
        """
        return f"tyres of car {id}"
'''


def test_a_service_serves_below_another_ones_name(served, write):
    write("garage/class/api_cars.py", CARS)
    file = write("rubber/class/api_tyres.py", TYRES)
    client = served.client(None)
    assert client.get("/cars/3") == "car 3"
    assert client.get("/cars/3/tyres") == "tyres of car 3"
    assert client.get("/tyres") == "all tyres"
    assert client.get("/tyres/cars/3/tyres", status=404)
    assert "get-cars-id-tyres" in str(served.client().get("/explorer/openapi.json?names=paths"))
    assert [each["path"] for each in _routes(file.name)] == ["/cars/{id}/tyres", "/tyres"]
    assert [each["path"] for each in _routes("api_cars.py")] == ["/cars/{id}"]


def _routes(name):
    return next(each.routes for each in file_statuses(catalogue()) if each.file.name == name)


def test_a_broken_guest_costs_its_own_paths_alone(served, write):
    write("garage/class/api_cars.py", CARS)
    write("rubber/class/api_tyres.py", TYRES)
    client = served.client(None)
    assert client.get("/cars/3/tyres") == "tyres of car 3"
    write("rubber/class/api_tyres.py", TYRES.replace("tyres of car {id}", "{1/") + "\nnonsense(\n")
    served.server.reloader.check()
    assert client.get("/tyres", status=501)
    assert client.get("/cars/3") == "car 3"
    file = write("rubber/class/api_tyres.py", "import nothing_of_that_name\n" + TYRES)
    served.server.reloader.check()
    refused = client.get("/cars/3/tyres", status=501)
    assert refused["error"]["message"] == "API not found (failed to include API file)"
    file.unlink()
    served.server.reloader.check()
    assert client.get("/cars/3/tyres", status=404)
    assert client.get("/cars/3") == "car 3"


def test_a_guest_has_rights_of_its_own(served, write):
    write("garage/class/api_cars.py", CARS)
    text = TYRES.replace(":url:", ":access: protected\n        :permission: read\n        :url:")
    write("rubber/class/api_tyres.py", text)
    served.server.reloader.check()
    operation = next(each for each in catalogue().services["cars"].operations if each.is_mounted)
    assert operation.permission is not None and operation.permission.text == "tyres.read"
    assert served.client(None).get("/cars/3/tyres", status=401)


def test_a_guest_that_is_rejected_serves_nothing_below_others(served, write):
    write("garage/class/api_cars.py", CARS)
    keyed = TYRES.replace("    :access: public\n", "    Keyed.\n")
    write(
        "rubber/class/api_tyres.py",
        keyed.replace(":url: GET ../cars", ":permission: tyres.fly\n        :url: GET ../cars"),
    )
    assert "unknown permission tyres.fly" in reason_of(served, "tyres")
    assert served.client(None).get("/cars/3") == "car 3"
    assert served.client().get("/cars/3/tyres", status=501)


def test_what_cannot_be_a_guest_fails_with_the_reason(served, write):
    write("garage/class/api_cars.py", CARS)
    write("rubber/class/api_tyres.py", TYRES.replace("../cars", "../carts"))
    assert "unknown service carts" in reason_of(served, "tyres")
    write("rubber/class/api_tyres.py", TYRES.replace("../cars/{id}/tyres", "../cars/{id}"))
    assert "GET /cars/{id} is served by both cars.get and tyres.of_car" in reason_of(served, "tyres")
    write("rubber/class/api_tyres.py", TYRES.replace("../cars/{id}/tyres", "../{id}/tyres"))
    assert "expected a path below a service" in reason_of(served, "tyres")
    write("rubber/class/api_tyres.py", TYRES.replace("../cars/{id}/tyres", "../health/{id}/tyres"))
    assert "are reserved for the server" in reason_of(served, "tyres")
    assert served.client(None).get("/cars/3") == "car 3"


def test_of_two_guests_on_one_path_the_first_stays(served, write):
    write("garage/class/api_cars.py", CARS)
    write("rubber/class/api_tyres.py", TYRES)
    write("wheels/class/api_wheels.py", TYRES.replace("Tyres", "Wheels"))
    assert "GET /cars/{id}/tyres is served by both tyres.of_car" in reason_of(served, "wheels")
    assert served.client(None).get("/cars/3/tyres") == "tyres of car 3"


def test_while_the_host_is_broken_its_guest_waits(served, write):
    write("garage/class/api_cars.py", "nonsense(" + CARS)
    write("rubber/class/api_tyres.py", TYRES)
    client = served.client(None)
    assert client.get("/tyres") == "all tyres"
    assert client.get("/cars/3/tyres", status=501)
    write("garage/class/api_cars.py", CARS)
    served.server.reloader.check()
    assert client.get("/cars/3/tyres") == "tyres of car 3"
