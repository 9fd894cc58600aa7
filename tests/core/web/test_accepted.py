"""202: a job does the work, and the answer says where it is followed; as documents say."""

from urllib.parse import urljoin

import pytest

from core.testing import serving
from tests.files import write_files

pytestmark = pytest.mark.usefixtures("without_natives")

EXPORTS = '''
from core import Accepted, Api


class Exports(Api):
    """Exports that take long."""

    def post(self) -> Accepted:
        """Make one."""
        return Accepted(7)

    def year(self, id: int) -> Accepted:
        """Make that of a year.

        :url: POST {id}/made/at/once
        :returns: the export has begun
        """
        return Accepted(id)

    def named(self, name: str) -> Accepted:
        """Make that of a name.

        :url: POST named/{name}
        """
        return Accepted(8)
'''


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    folder = write_files(tmp_path_factory.mktemp("exports"), {"modules/exports/class/api_exports.py": EXPORTS})
    with serving(folder, modules=str(folder / "modules")) as made:
        yield made


@pytest.fixture(scope="module")
def client(served):
    return served.client()


def test_it_names_the_job(client):
    answer = client.simulate_post("/exports")
    assert answer.status_code == 202
    assert answer.json == {"job": 7, "state": "waiting", "href": "/jobs/7"}
    assert (answer.headers["location"], answer.headers["retry-after"]) == ("jobs/7", "1")


@pytest.mark.parametrize("root", ["", "/api/index.php", "/API/index.php"])
@pytest.mark.parametrize(
    "path",
    ["/exports", "/exports/", "/exports/2026/made/at/once", "/exports/2026/made/at/once/", "/exports/named/a%2Fb%2fc"],
)
def test_its_address_leads_to_the_job_from_wherever_it_was_asked(client, root, path):
    answer = client.simulate_post(root + path)
    job = answer.json["job"]
    # As a browser sees it, behind a proxy that takes a prefix away
    asked = f"https://example.org/office{root}{path}"
    assert urljoin(asked, answer.headers["location"]) == f"https://example.org/office{root}/jobs/{job}"


def test_the_same_request_again_is_answered_with_the_same_job(client):
    first, second = (client.simulate_post("/exports", headers={"Idempotency-Key": '"twice"'}) for _ in range(2))
    assert second.headers["idempotency-replayed"] == "true"
    assert (second.status_code, second.json, second.headers["location"]) == (202, first.json, "jobs/7")
    assert second.headers["retry-after"] == "1"


def test_the_document_says_so(client):
    document = client.get("/explorer/openapi/exports.json")
    said = document["paths"]["/exports"]["post"]["responses"]
    assert "200" not in said
    assert {*said["202"]["headers"]} == {"Location", "Retry-After", "Idempotency-Replayed"}
    reference = said["202"]["content"]["application/json"]["schema"]["$ref"]
    schema = document["components"]["schemas"][reference.rpartition("/")[2]]
    assert schema["required"] == ["job", "state", "href"]
    other = document["paths"]["/exports/{id}/made/at/once"]["post"]["responses"]["202"]
    assert other["description"] == "the export has begun"
