"""Files of modules that no Python file is: read whatever editor has saved them, and reported if they can't be read."""

import codecs
import json

import pytest

from core.contract.catalogue import catalogue
from explorer import ignored_files

pytestmark = pytest.mark.slow

HOURS = '''
from core import Api


class Hours(Api):
    """Hours.

    :access: public
    """

    def get(self, id: int) -> int:
        """Read one."""
        return id
'''

PAGE = "---\nsummary: How hours are noted\nwords: timesheet\n---\n# Noting hours\n\nText.\n"
FILES = {
    "guide.md": PAGE,
    "examples.json": json.dumps({"GET /hours/{id}": {"parameters": {"id": 4711}}}),
    "search_words.tsv": "hours\tpointage\n",
    "texts/sv.po": 'msgid ""\nmsgstr "Content-Type: text/plain; charset=utf-8\\n"\n\nmsgid "Hour"\nmsgstr "Timme"\n',
}


@pytest.fixture
def served(serve, tmp_path):
    """``served({"guide.md": b"…"})``: a server with a module that has these files."""

    def start(files):
        for name, content in {"class/api_hours.py": HOURS.encode(), **files}.items():
            file = tmp_path / "modules/hours" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        return serve(modules=str(tmp_path / "modules"))

    return start


@pytest.mark.parametrize("mark", [b"", codecs.BOM_UTF8])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_a_byte_order_mark_and_ends_of_lines_change_nothing(served, mark, end):
    client = served({name: mark + text.encode().replace(b"\n", end) for name, text in FILES.items()}).client()
    index = client.get("/explorer/index.json")
    assert [each["title"] for each in index["guide"] if each["name"] == "hours"] == ["Noting hours"]
    (service,) = (each for each in index["services"] if each["name"] == "hours")
    assert service["also"] == "pointage"
    parameters = client.get("/explorer/openapi.json")["paths"]["/hours/{id}"]["get"]["parameters"]
    assert [each["example"] for each in parameters if each.get("name") == "id"] == [4711]
    assert [each.messages() for each in catalogue().texts if each.module == "hours"] == [{("", "Hour"): "Timme"}]
    assert ignored_files(catalogue().services.values()) == []


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("guide.md", b"# Hours\n", "expected `summary: "),
        ("guide.md", PAGE.replace("words", "word").encode(), "expected `summary: "),
        ("guide.md", PAGE.encode() + b"caf\xe9\n", "line 8 is not UTF-8"),
        ("guide.md", PAGE.encode("utf-16"), "line 1 is not UTF-8"),
        ("examples.json", b"{", "Expecting property name"),
        ("examples.json", b"[]", "expected an object"),
        ("examples.json", b'{"a": "\xe9"}', "line 1 is not UTF-8"),
        ("search_words.tsv", b"hours\tpointage\nhours\t\xff\n", "line 2 is not UTF-8"),
        ("search_words.tsv", b"x" * 1_000_001, "expected at most 1000000 bytes"),
    ],
)
def test_a_file_that_cannot_be_read_is_reported_alone(served, name, content, reason):
    client = served({each: text.encode() for each, text in FILES.items()} | {name: content}).client()
    (line,) = ignored_files(catalogue().services.values())
    file, _, told = line.partition(" is ignored: ")
    assert file.endswith(f"modules/hours/{name}") and told.startswith(reason)
    assert client.get("/hours/4") == 4
    index = client.get("/explorer/index.json")
    assert ("hours" in {each["name"] for each in index["guide"]}) == (name != "guide.md")
