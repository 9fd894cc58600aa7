"""Redirects: to paths of this server, and to the hosts that the operator lists."""

import json
from urllib.parse import urljoin

import pytest

from core import Redirect
from core.common.setting_checks import hosts
from core.contract.catalogue import catalogue
from core.testing import serving
from tests.files import write_files

pytestmark = pytest.mark.usefixtures("without_natives")

MOVES = '''
from core import Redirect
from core.common.setting_checks import hosts


class Moves:
    """Redirects."""

    def index(self, url: str) -> Redirect:
        """Go to a URL.

        :access: public
        """
        return Redirect(url)

    def deep(self, name: str, url: str) -> Redirect:
        """Go to a URL from below.

        :url: GET {name}/deep
        """
        return Redirect(url)

    def post(self, url: str) -> Redirect:
        """Go to what was made.

        :permission: write
        :returns: the page of the record
        """
        return Redirect(url)
'''

#: URLs that a browser may read as another host's, or that aren't whole (URL standard, 4.4)
OUTSIDE = [
    "//evil.example", "///evil.example", "/\\evil.example", "\\\\evil.example", "\\/evil.example", "/\t/evil.example", "/\n/evil.example",
    "\t//evil.example", " //evil.example", "\x00//evil.example", "https://evil.example", "http://pay.example", "https:pay.example",
    "https:/pay.example", "https:///pay.example", "https:\\\\pay.example", "https://pay.example@evil.example", "https://evil.example#@pay.example",
    "https://pay.example:443@evil.example/", "https://user@pay.example/", "https://user:x@pay.example/", "https://pay.example\\@evil.example",
    "https://pay.example.evil.example", "https://evilpay.example", "https://pay.example.", "https://pay.example:8443", "https://pay.example:",
    "https://pay.example:443", "https://pay.example%2eevil.example", "https://pay.example\t.evil.example", "https://p\u0430y.example",
    "https://pay.example\u3002evil", "https://[::1]/", "https://pay.example /", "HTTPS://pay.example", "javascript:alert(1)", "data:text/html,x",
    "ftp://pay.example", "vbscript:x", "file:///etc/passwd", "orders/1", "../orders", "?a=1", "#a", "", " ", "/a b", "/a\r\nSet-Cookie: a=b", "/\u00e9",
    "/\x7f", "/a\\b", "https://pay.example/\r\nX: y", "https://pay.example/a b", "https://", "https://?pay.example", "mailto:a@pay.example",
]  # fmt: skip

INSIDE = [
    "/", "/orders/1", "/orders/1?a=b&c=%2F#d", "/a:b", "/https:evil.example", "/javascript:alert(1)", "/@evil.example", "/%2fevil.example", "/.//evil.example",
    "/%5cevil.example", "/..//evil.example", "/?//evil.example", "/a?url=https://evil.example",
]  # fmt: skip

LISTED = ["https://pay.example", "https://pay.example/", "https://pay.example/a?b=c#d", "https://pay.example?a", "https://PAY.example/x", "https://shop.example:8443/"]  # fmt: skip


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    folder = write_files(tmp_path_factory.mktemp("moves"), {"modules/moves/class/api_moves.py": MOVES})
    hosts = "pay.example shop.example:8443"
    with serving(folder, modules=str(folder / "modules"), redirect_hosts=hosts) as made:
        yield made


@pytest.fixture
def client(served):
    return served.client()


@pytest.mark.parametrize("url", OUTSIDE)
@pytest.mark.usefixtures("served")
def test_no_other_place_is_led_to(url):
    with pytest.raises(ValueError, match=r"^Redirect: expected a path such as /orders/1, or an HTTPS URL"):
        Redirect(url)


@pytest.mark.parametrize("url", ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)"])
def test_an_author_learns_of_it(client, caplog, url):
    answer = client.simulate_get("/moves", params={"url": url})
    assert (answer.status_code, "location" in answer.headers) == (500, False)
    raised = answer.json["error"]["raised"]
    assert raised["file"] == "moves/class/api_moves.py"
    assert raised["message"].startswith("ValueError: Redirect: expected a path")
    assert raised["message"].endswith(f"COMPTOIR_REDIRECT_HOSTS, got {json.dumps(url)}")
    assert raised["message"] in caplog.text


@pytest.mark.parametrize("root", ["", "/api/index.php"])
@pytest.mark.parametrize("path", ["/moves", "/moves/", "/moves/a/deep", "/moves/a%2Fb/deep/"])
@pytest.mark.parametrize("url", INSIDE)
def test_a_path_leads_to_this_server_from_wherever_it_was_asked(client, root, path, url):
    answer = client.simulate_get(root + path, params={"url": url})
    assert (answer.status_code, answer.content) == (303, b"")
    location = answer.headers["location"]
    # It can't be another host or scheme, however it is read
    assert location.startswith(("./", "../"))
    # As a browser sees it, behind a proxy that takes a prefix away
    asked = f"https://example.org/office{root}{path}"
    if not url.startswith("/."):
        assert urljoin(asked, location) == f"https://example.org/office{root}{url}"


@pytest.mark.parametrize("url", LISTED)
def test_a_listed_host_is_led_to(client, url):
    answer = client.simulate_get("/moves", params={"url": url})
    assert (answer.status_code, answer.headers["location"]) == (303, url)


@pytest.mark.parametrize(
    "value", ["", "pay.example", "a-b.example  localhost:8000", "xn--bcher-kva.example", "192.0.2.1"]
)
def test_the_setting_has_hosts(value):
    hosts(value)


@pytest.mark.parametrize(
    "wrong",
    [
        "https://pay.example",
        "Pay.example",
        "pay.example/",
        "*",
        "a.example,b.example",
        "a:b",
        "a:0",
        "u@a",
        "b\u00fccher.example",
    ],
)
def test_the_setting_has_nothing_else(wrong):
    with pytest.raises(ValueError, match="expected ASCII hosts in lower case") as raised:
        hosts(f"pay.example {wrong}")
    assert str(raised.value).endswith(f"got {wrong!r}")


def test_no_host_is_listed_by_default(serve, folder):
    serve(modules=str(folder))
    with pytest.raises(ValueError, match="COMPTOIR_REDIRECT_HOSTS, got"):
        Redirect("https://pay.example")
    assert Redirect("/a").url == "/a"


def test_a_repeated_post_is_redirected_again(client):
    sent = {"json": {"url": "/moves/1"}, "headers": {"Idempotency-Key": '"go"'}}
    first, second = (client.simulate_post("/moves", **sent) for _ in range(2))
    assert second.headers["idempotency-replayed"] == "true"
    for each in (first, second):
        assert (each.status_code, each.headers["location"], each.content) == (303, "./moves/1", b"")


def test_no_batch_has_it():
    assert not [each for each in catalogue().operations if each.origin == "moves" and each.entries]


def test_the_documents_show_it(client):
    document = client.get("/explorer/openapi/moves.json")
    said = document["paths"]["/moves"]["get"]["responses"]
    assert "200" not in said and "406" not in said
    assert said["303"] == {
        "description": "Read the URL in `Location`",
        "headers": {"Location": {"$ref": "#/components/headers/Location"}},
    }
    made = document["paths"]["/moves"]["post"]["responses"]["303"]
    assert (made["description"], {*made["headers"]}) == ("the page of the record", {"Location", "Idempotency-Replayed"})
    assert "303" in client.get("/explorer/swagger.json")["paths"]["/moves"]["get"]["responses"]
