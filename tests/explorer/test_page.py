"""The page and what it shows: harmless whatever a module says, and open about failures to administrators alone."""

import gzip
import html.parser
import re

import pytest

from explorer.assets import POLICY

pytestmark = pytest.mark.usefixtures("without_natives")

INDEX = "/explorer/index.json"

HOSTILE = '''
"""</script>"""
from core import Api


class Hostile(Api):
    """<script>alert(1)</script> "quoted" 'twice' & \u202ereversed\u202c.

    <img src=x onerror=alert(1)>
    """

    def get(self, id: int, q: str = "\\"><script>alert(2)</script>") -> dict:
        """</script><script>alert(3)</script>

        :param id: <b onclick="alert(4)">row</b> \u2067identifier\u2069
        :raises NotFound: {{ 7 * 7 }} <i>none</i>
        """
        return {}

    def odd(self) -> dict:
        """Odd path.

        :url: GET <svg/onload=alert(5)>/"x"
        """
        return {}
'''

BROKEN = '''
from core import Api
import there_is_no_such_thing


class Broken(Api):
    """Would do something."""

    def get(self, id: int) -> dict:
        """Would read one."""

    def post_block(self, id: int, reason: str) -> dict:
        """Would block one."""
'''


@pytest.fixture
def served(serve, folder):
    return serve(modules=str(folder))


def drop(folder, name, text):
    file = folder / name / "class" / f"api_{name}.py"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def service(shown, name):
    return next(each for each in shown["services"] if each["name"] == name)


def failure(shown, name):
    return next(each for each in shown["failures"] if each["name"] == name)


# The page itself -----------------------------------------------------------------------------------------------------


class Reader(html.parser.HTMLParser):
    """Gathers what a page loads, and what it should not have."""

    def __init__(self):
        super().__init__()
        self.loads = []
        self.inline = []
        self.labels = set()
        self.inputs = set()
        self._open = ""

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self._open = tag
        self.loads += [value for name in ("src", "href") if (value := values.get(name))]
        self.inline += [name for name in values if name.startswith("on") or name == "style"]
        if tag == "label" and "for" in values:
            self.labels.add(values["for"] or "")
        if tag == "input":
            self.inputs.add(values["id"] or "")

    def handle_endtag(self, tag):
        self._open = ""

    def handle_data(self, data):
        if self._open in ("script", "style") and data.strip():
            self.inline.append(data)


def read_page(text):
    reader = Reader()
    reader.feed(text)
    return reader


@pytest.mark.parametrize("prefix", ["", "/api/index.php"])
@pytest.mark.parametrize(("path", "base"), [("/explorer/", ""), ("/explorer", "explorer/")])
def test_the_page_loads_relative_files_alone(sample_server, prefix, path, base):
    nobody = sample_server.client(None)
    answer = nobody.simulate_get(prefix + path)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    reader = read_page(answer.text)
    assert reader.inline == []
    loads = {each for each in reader.loads if not each.startswith("#")}
    assert loads == {f"{base}{name}" for name in ("mark.svg", "theme.js", "explorer.css", "explorer.js")}
    assert reader.labels == {"key", "name", "password", "search"} and reader.inputs == {
        *reader.labels,
        "careful",
        "paths",
    }
    folder = (prefix + path).rpartition("/")[0]
    for name in loads - {"data:,"}:
        assert nobody.simulate_get(f"{folder}/{name}").status_code == 200


@pytest.mark.parametrize("path", ["/explorer", "/explorer/explorer.js", "/explorer/explorer.css"])
def test_its_policy_is_strict_and_its_files_are_cached(sample_server, path):
    nobody = sample_server.client(None)
    answer = nobody.simulate_get(path)
    policy = answer.headers["content-security-policy"]
    assert policy == POLICY
    assert "unsafe" not in policy and "http" not in policy
    for directive in ("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"):
        assert directive in policy.split("; ")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    again = nobody.simulate_get(path, headers={"If-None-Match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_verbs_of_the_page(sample_server):
    nobody = sample_server.client(None)
    head = nobody.simulate_head("/explorer/")
    assert (head.status_code, head.content) == (200, b"")
    refused = nobody.simulate_post("/explorer/", json={})
    assert refused.status_code == 405
    assert set(refused.headers["allow"].split(", ")) == {"GET", "HEAD", "OPTIONS"}
    preflight = nobody.simulate_options("/explorer/openapi.json", headers={"Access-Control-Request-Method": "GET"})
    assert preflight.status_code == 204
    assert nobody.simulate_get("/explorer/../core/settings.py").status_code == 404
    assert nobody.simulate_get("/explorer/page.html").status_code == 404


def test_the_script_makes_text_never_markup(sample_server):
    client = sample_server.client(None)
    script = client.simulate_get("/explorer/explorer.js").text
    # What is kept in the browser is what somebody chose: looks, columns of tables, the language of code; a key never is
    choices = r"localStorage\.(?:getItem|setItem|removeItem)\((?:`comptoir-\$\{name\}`|CHOSEN_COLUMNS|CODE_CHOSEN)"
    script, kept = re.subn(choices, "", script)
    assert kept == 6
    assert "setItem" not in client.simulate_get("/explorer/theme.js").text
    mark = client.simulate_get("/explorer/mark.svg")
    assert (
        mark.headers["content-type"] == "image/svg+xml"
        and "default-src 'none'" in mark.headers["content-security-policy"]
    )
    for sink in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "Function(",
    ):
        assert sink not in script
    assert "localStorage" not in script
    assert "sessionStorage" in script
    assert not re.findall(r"https?://", script)
    style = sample_server.client(None).simulate_get("/explorer/explorer.css").text
    assert "url(" not in style and "@import" not in style


# What it shows -------------------------------------------------------------------------------------------------------


def test_the_catalogue_needs_a_key(sample_server):
    assert sample_server.client(None).get(INDEX, status=401)
    assert sample_server.client("wrong").get(INDEX, status=401)
    answer = sample_server.client().simulate_get(INDEX)
    assert answer.headers["cache-control"] == "private, no-cache"
    assert {"DOLAPIKEY", "Authorization", "Accept-Encoding"} <= set(answer.headers["vary"].replace(" ", "").split(","))


def test_it_tells_what_the_caller_may_do(sample_server):
    clerk = sample_server.user("loyaltycards.read", login="clerk")
    shown = clerk.get(INDEX)
    assert shown["caller"] == {"login": "clerk", "admin": False}
    cards = service(shown, "loyaltycards")
    assert cards["summary"] == "Issue loyalty cards and spend the points they hold."
    missing = {each["id"]: each.get("missing") for each in cards["operations"]}
    assert missing["get-loyaltycards-id"] is None
    assert missing["post-loyaltycards"] == "loyaltycards.write"
    of_admin = service(sample_server.client().get(INDEX), "loyaltycards")["operations"]
    assert not [each for each in of_admin if "missing" in each]
    restricted = sample_server.user(admin=True, only=["loyaltycards.write"]).get(INDEX)
    missing = {each["id"]: each.get("missing") for each in service(restricted, "loyaltycards")["operations"]}
    assert missing["post-loyaltycards"] is None and missing["get-loyaltycards-id"] == "loyaltycards.read"


def test_an_index_that_did_not_change_is_not_sent_again(served, folder):
    client = served.client()
    first = client.simulate_get(INDEX)
    headers = {"If-None-Match": first.headers["etag"]}
    again = client.simulate_get(INDEX, headers=headers)
    assert (again.status_code, again.content) == (304, b"")
    # Nor is it that of another user, whose rights may be the same
    one, other = (served.user("thirdparties.read", login=login) for login in ("one", "other"))
    tag = one.simulate_get(INDEX).headers["etag"]
    assert tag != first.headers["etag"]
    assert other.simulate_get(INDEX, headers={"If-None-Match": tag}).json["caller"]["login"] == "other"
    drop(folder, "hostile", HOSTILE)
    changed = client.simulate_get(INDEX, headers=headers)
    assert changed.status_code == 200
    tags = [{each["name"]: each["tag"] for each in answer.json["services"]} for answer in (first, changed)]
    assert tags[0].items() <= tags[1].items()
    assert tags[1].keys() - tags[0].keys() == {"hostile"}


def test_a_service_has_another_tag_when_anything_of_it_changes(served, folder):
    client = served.client()
    file = drop(folder, "hostile", HOSTILE)
    seen = [service(client.get(INDEX), "hostile")["tag"]]
    for old, new in (("row</b>", "row </b>"), ("alert(1)", "alert(9)"), ("id: int", "id: str")):
        text = file.read_text()
        assert old in text
        file.write_text(text.replace(old, new))
        seen.append(service(client.get(INDEX), "hostile")["tag"])
    assert len(set(seen)) == 4


@pytest.mark.natives
def test_extra_fields_are_described_as_soon_as_they_are_defined(served):
    client = served.client()
    before = {each["name"]: each["tag"] for each in client.get(INDEX)["services"]}
    client.ask("POST", "/setup/extrafields/societe/colour", {"label": "Colour", "type": "varchar"})
    after = {each["name"]: each["tag"] for each in client.get(INDEX)["services"]}
    # Categories answer third parties, too, and so does what is read with `expand`
    holders = {"contacts", "invoices", "orders", "products", "proposals", "shipments"}
    assert {name for name in after if after[name] != before[name]} == {"thirdparties", "categories", *holders}
    schemas = client.get("/explorer/openapi/thirdparties.json")["components"]["schemas"]
    assert "options_colour" in schemas["Thirdparty"]["properties"]["array_options"]["properties"]


def test_script_and_style_are_small(sample_server):
    client = sample_server.client(None)
    packed = [
        client.simulate_get(f"/explorer/explorer.{kind}", headers={"Accept-Encoding": "gzip"}) for kind in ("js", "css")
    ]
    assert sum(len(each.content) for each in packed) < 96_000


@pytest.mark.natives
def test_it_comes_compressed(sample_server):
    client = sample_server.client()
    for path in (INDEX, "/explorer/openapi.json", "/explorer/explorer.js"):
        plain = client.simulate_get(path, headers={"Accept-Encoding": "identity"})
        packed = client.simulate_get(path, headers={"Accept-Encoding": "br, gzip"})
        assert "content-encoding" not in plain.headers
        assert packed.headers["content-encoding"] == "gzip"
        assert gzip.decompress(packed.content) == plain.content
        assert len(packed.content) < len(plain.content) / 3
        assert packed.headers["etag"] == plain.headers["etag"]


def test_a_dropped_file_is_there_at_once(served, folder):
    client = served.client()
    assert not [each for each in client.get(INDEX)["services"] if each["name"] == "hostile"]
    file = drop(folder, "hostile", HOSTILE)
    assert service(client.get(INDEX), "hostile")
    assert "/hostile/{id}" in client.get("/explorer/openapi.json")["paths"]
    file.write_text(HOSTILE.replace("class Hostile", "class Other"))
    assert failure(client.get(INDEX), "hostile")
    file.unlink()
    assert "hostile" not in client.simulate_get(INDEX).text


def test_hostile_words_travel_as_data(served, folder):
    client = served.client()
    before = client.simulate_get("/explorer/").content
    drop(folder, "hostile", HOSTILE)
    for path in (INDEX, "/explorer/openapi.json"):
        answer = client.simulate_get(path)
        assert answer.headers["content-type"] == "application/json; charset=utf-8"
        assert answer.headers["x-content-type-options"] == "nosniff"
    hostile = service(client.get(INDEX), "hostile")
    assert hostile["summary"].startswith("<script>alert(1)</script>")
    get = next(each for each in hostile["operations"] if each["path"] == "/hostile/{id}")
    said = client.get("/explorer/openapi/hostile.json")["paths"]["/hostile/{id}"]["get"]
    assert said["responses"]["404"]["description"] == "{{ 7 * 7 }} <i>none</i>"
    assert said["parameters"][1]["schema"]["default"] == '"><script>alert(2)</script>'
    odd = next(each for each in hostile["operations"] if each is not get)
    assert re.fullmatch(r"[A-Za-z0-9_-]+", odd["id"])
    assert client.simulate_get("/explorer/").content == before


@pytest.fixture
def clerk(served):
    return served.user("thirdparties.read")


def test_a_broken_file_is_marked(served, folder, clerk):
    drop(folder, "broken", BROKEN)
    shown = clerk.get(INDEX)
    broken = failure(shown, "broken")
    assert [(each["verb"], each["path"], each["status"]) for each in broken["methods"]] == [
        ("GET", "/broken/{id}", 501),
        ("POST", "/broken/block/{id}", 501),
    ]
    assert broken["methods"][0]["summary"] == "Would read one."
    assert broken.keys() == {"name", "module", "shadowed", "methods"}
    assert "skipped" not in shown
    text = clerk.simulate_get(INDEX).text
    assert "there_is_no_such_thing" not in text
    assert str(folder) not in text and "Traceback" not in text


def test_an_administrator_sees_why(served, folder):
    file = drop(folder, "broken", BROKEN)
    passed_over = folder / "broken" / "class" / "helper.py"
    passed_over.write_text("")
    shown = served.client().get(INDEX)
    broken = failure(shown, "broken")
    assert broken["reason"] == "ModuleNotFoundError: No module named 'there_is_no_such_thing'"
    assert "import there_is_no_such_thing" in broken["trace"]
    assert broken["file"] == str(file)
    assert {each["file"] for each in shown["skipped"]} == {str(passed_over)}


def test_an_administrators_restricted_key_sees_no_traceback(served, folder):
    drop(folder, "broken", BROKEN)
    restricted = served.user(admin=True, only=["thirdparties.read"])
    for path in (INDEX, "/explorer/modules"):
        assert str(folder) not in restricted.simulate_get(path).text
    assert "there_is_no_such_thing" not in restricted.simulate_get("/broken/1").text
    assert "there_is_no_such_thing" in served.client().simulate_get("/broken/1").text


@pytest.mark.natives
def test_what_another_file_shadows_is_for_administrators(served, folder, clerk):
    file = drop(folder, "contacts", 'class Contacts:\n    def index(self) -> str:\n        """Mine."""\n')
    shadowed = failure(served.client().get(INDEX), "contacts")
    assert shadowed["shadowed"] is True
    assert shadowed["file"] == str(file)
    assert clerk.get(INDEX)["failures"] == []
