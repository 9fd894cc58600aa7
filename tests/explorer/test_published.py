"""The published documents: the address that they name, and who reads them without a key."""

import gzip
import json
from pathlib import Path

import pytest

from core.testing import Served, make_settings
from explorer.descriptions import Description
from tests.files import write_files

SAMPLES = Path(__file__).parent.parent / "samples" / "modules"
DOCUMENTS = ("/explorer/openapi.json", "/explorer/openapi/loyaltycards.json", "/explorer/swagger.json")

BROKEN = """from core import Api
import no_such_thing_of_anybody


class Broken(Api):
    def get(self, id: int) -> int:
        return 1
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    folder = write_files(tmp_path_factory.mktemp("published"), {"broken/class/api_broken.py": BROKEN})
    served = Served(make_settings(folder, modules=f"{SAMPLES}:{folder}", docs="public"))
    yield served
    served.close()


def address_of(document):
    if "servers" in document:
        (server,) = document["servers"]
        return str(server["url"])
    (scheme,) = document.get("schemes", [""])
    return f"{scheme}://{document['host']}{document['basePath']}".rstrip("/") if scheme else document["basePath"]


@pytest.mark.parametrize("path", DOCUMENTS)
def test_they_name_the_address_that_was_asked(served, path):
    def asked(host, path=path, peer="127.0.0.1", prefix="", **more):
        headers = {"Host": host, **({"X-Forwarded-Prefix": prefix} if prefix else {})}
        found = served.client(None).simulate_get(path, headers=headers, remote_addr=peer, **more)
        assert found.status_code == 200
        return address_of(found.json)

    assert asked("erp.example.org:8443", protocol="https") == "https://erp.example.org:8443"
    assert asked("[::1]:8000") == "http://[::1]:8000"
    assert asked("erp.example.org", f"/api/index.php{path}") == "http://erp.example.org/api/index.php"
    assert asked("erp.example.org", root_path="/comptoir") == "http://erp.example.org/comptoir"
    assert asked("erp.example.org", prefix="/comptoir/") == "http://erp.example.org/comptoir"
    # What nobody's proxy says, or what is no prefix and no host, is not repeated
    assert asked("erp.example.org", prefix="/comptoir", peer="192.0.2.1") == "http://erp.example.org"
    assert asked("erp.example.org", prefix="//evil.example.org") == "http://erp.example.org"
    assert asked('erp"><script>') == "/"


@pytest.mark.slow
def test_whatever_hosts_are_made_up_one_content_is_kept(served, monkeypatch):
    seen = []
    content = Description.content

    def watched(self, *arguments):
        seen.append(self)
        return content(self, *arguments)

    monkeypatch.setattr(Description, "content", watched)
    client = served.client(None)
    for path in DOCUMENTS:
        client.get(path)
    kept = seen[0].contents
    before = {key: len(each.plain) for key, each in kept.items()}
    for number in range(3):
        for path in DOCUMENTS:
            told = client.simulate_get(path, headers={"Host": f"host{number}.example"}).json
            assert address_of(told) == f"http://host{number}.example"
    assert {id(each) for each in seen} == {id(seen[0])}
    after = {key: len(each.plain) for key, each in kept.items()}
    assert after.keys() == before.keys()
    assert all(abs(size - before[key]) < 100 for key, size in after.items())


def test_each_host_gets_its_own_bytes_though_they_are_compressed_once(served, monkeypatch):
    client = served.client(None)

    def asked(host, **headers):
        return client.simulate_get(DOCUMENTS[0], headers={"Host": host, **headers})

    plain = {host: asked(host) for host in ("one.example", "another.example", "one.example:81")}
    assert len({each.headers["etag"] for each in plain.values()}) == 3
    monkeypatch.setattr("zlib.compress", None)
    for host, known in plain.items():
        packed = asked(host, **{"Accept-Encoding": "gzip"})
        assert packed.headers["content-encoding"] == "gzip"
        assert gzip.decompress(packed.content) == known.content
        assert packed.headers["etag"] == known.headers["etag"]
        assert asked(host, **{"If-None-Match": known.headers["etag"]}).status_code == 304


def test_whoever_has_no_key_reads_the_shape_and_nothing_else(served):
    nobody, admin = served.client(None), served.client()
    for path in DOCUMENTS:
        told = nobody.get(path)
        assert "x-allowed" not in json.dumps(told["paths"])
        assert told == admin.get(path)
        text = json.dumps(told)
        assert "no_such_thing_of_anybody" not in text and "/broken" not in text and str(SAMPLES) not in text
    # A key that comes is looked at; what tells more than the shape needs one all the same
    assert served.client("no-such-key").get(DOCUMENTS[0], status=401)
    clerk = served.user("loyaltycards.read").get(DOCUMENTS[0])
    assert clerk["paths"]["/contacts"]["get"]["x-allowed"] is False
    for path in ("/explorer/index.json", "/explorer/modules", "/contacts"):
        assert nobody.get(path, status=401)
