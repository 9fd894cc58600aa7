"""Where files lie: a folder or a URL, names, links, and folders of modules; the old profile's answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from core.testing import Client, Served
from tests.filing import MODULES, PLAIN, build, download, filing, names, place, proposal, upload, validated

Start = Callable[..., Client]

THINGS = '''
from peewee import AutoField, CharField

from core import Model, Records


class Thing(Model):
    """A thing that keeps its reference as it is sent."""

    id = AutoField()
    ref = CharField(max_length=300, unique=True)

    class Meta:
        table_name = "things_thing"


things = Records(Thing, service="things", noun="Thing")
'''
API = '''
from typing import Annotated

from ..models import Thing, things


class Things:
    """Things."""

    def get(self, id: int) -> Annotated[dict, Thing]:
        """Read one.

        :permission: things.read
        """
        return things.read(id)

    def post(self, request_data: dict) -> int:
        """Make one.

        :permission: things.write
        """
        return things.create(request_data)

    def delete(self, id: int) -> int:
        """Delete one.

        :permission: things.delete
        """
        things.delete(id)
        return 1
'''


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start a server with settings of one's own; answers an administrator's client of it."""
    running: list[Iterator[Served]] = []

    def begin(files: dict[str, str] = MODULES, **options: Any) -> Client:
        running.append(filing("sqlite", tmp_path, files, **options))
        return next(running[-1]).client()

    yield begin
    for each in running:
        next(each, None)


@pytest.mark.parametrize("scheme", ["memory://{0}/documents", "file://{0}", "local://{0}"])
def test_a_url_is_a_store_too(start: Start, tmp_path: Path, scheme: str) -> None:
    client = start(documents=scheme.format(tmp_path / "elsewhere"))
    identifier = proposal(client)
    draft = f"(PROV{identifier})"
    build(client, draft)
    upload(client, draft)
    client.ask("POST", f"/proposals/{identifier}/validate", {})
    ref = client.get(f"/proposals/{identifier}")["ref"]
    assert names(client, ref) == [f"{ref}.pdf", "note.txt"]
    assert download(client, place(ref)).startswith(b"%PDF")
    asked = {"modulepart": "propal", "original_file": f"{ref}/note.txt"}
    answer = client.simulate_get("/documents/raw", params=asked, headers={"Range": "bytes=1-2"})
    assert (answer.status_code, answer.content) == (206, b"el")
    assert client.simulate_get("/documents/raw", params=asked).headers["etag"]
    upload(client, ref, content="anew", overwriteifexists=1)
    assert download(client, f"{ref}/note.txt") == b"anew"
    client.ask("DELETE", "/documents", params=asked)
    assert names(client, ref) == [f"{ref}.pdf"]
    client.ask("DELETE", f"/proposals/{identifier}")
    client.get("/documents/download", modulepart="propal", original_file=place(ref), status=404)


@pytest.mark.parametrize("where", ["modules", "modules/papers", "modules/new", "modules/..", "linked"])
def test_no_file_lands_in_a_folder_of_modules(start: Start, tmp_path: Path, where: str) -> None:
    (tmp_path / "modules").mkdir()
    (tmp_path / "linked").symlink_to(tmp_path / "modules")
    client = start(documents=str(tmp_path / where))
    ref = f"(PROV{proposal(client)})"
    body = {"filename": "x.txt", "modulepart": "propal", "ref": ref, "filecontent": "x"}
    message = client.refused("POST", "/documents/upload", body, status=405)
    assert "COMPTOIR_DOCUMENTS" in message and str(tmp_path) not in message
    answer = client.simulate_put("/documents/builddoc", json={"modulepart": "propal", "original_file": place(ref)})
    assert answer.status_code == 405
    assert not list(tmp_path.rglob("propale"))


@pytest.mark.parametrize("url", ["nosuch://x", "memory", "/proc/nowhere"])
def test_a_store_that_does_not_answer_is_503_without_a_word_of_its_place(
    start: Start, tmp_path: Path, url: str
) -> None:
    if url == "memory":
        (tmp_path / "file").write_text("in the way")
        url = str(tmp_path / "file")
    client = start(documents=url)
    ref = f"(PROV{proposal(client)})"
    body = {"filename": "x.txt", "modulepart": "propal", "ref": ref, "filecontent": "x"}
    message = client.refused("POST", "/documents/upload", body, status=503)
    assert message == "Service Unavailable: the store of documents did not answer, try again"
    assert names(client, ref) == []
    # a validation stands all the same
    identifier = proposal(client)
    answer = client.simulate_post(f"/proposals/{identifier}/validate", json={})
    assert (answer.status_code, answer.json["statut"]) == (200, 1)
    assert "the store of documents did not answer" in answer.headers["warning"]


def test_any_service_with_records_has_files_and_shared_folders_are_kept_apart(start: Start) -> None:
    client = start({"things/models.py": THINGS, "things/class/api_things.py": API})
    for ref in ("A:B", "A_B", "CON", "x/y", "é", "../..", "ж" * 120):
        client.ask("POST", "/things", {"ref": ref})

    def send(ref: str, name: str, content: str = "x", status: int = 200) -> Any:
        body = {"filename": name, "modulepart": "thing", "ref": ref, "filecontent": content}
        return client.ask("POST", "/documents/upload", body, status=status)

    send("A:B", "first.txt", "of A:B")
    send("A_B", "second.txt", "of A_B")
    send("A_B", "first.txt", status=405)
    assert names(client, "A:B", "things") == ["first.txt"]
    assert names(client, "A_B", "thing") == ["second.txt"]
    assert download(client, "A_B/first.txt", "things") == b"of A:B"
    client.ask("DELETE", "/things/1")
    client.get("/documents/download", modulepart="thing", original_file="A_B/first.txt", status=404)
    assert download(client, "A_B/second.txt", "things") == b"of A_B"
    for ref, folder in (("CON", "_CON"), ("x/y", "x_y"), ("é", "e")):
        send(ref, "a.txt")
        assert client.get("/documents", modulepart="thing", ref=ref)[0]["path"] == f"things/{folder}"
    send("../..", "a.txt")
    assert client.get("/documents", modulepart="thing", ref="../..")[0]["path"] == "things/_"
    send("ж" * 120, "a.txt", status=405)


def test_a_reference_that_no_folder_can_have_is_built_by_either_name(start: Start) -> None:
    template = PLAIN.replace("...proposals.proposals import proposals", "..models import things").replace(
        "documents = proposals", "documents = things"
    )
    template = template.replace('state=record["statut"]', "state=0")
    client = start(
        {"things/models.py": THINGS, "things/class/api_things.py": API, "things/doctemplates/pdf_tag.py": template}
    )
    for ref in ("A:B/C", "A_B_C", "D:E"):
        client.ask("POST", "/things", {"ref": ref})

    def ask(ref: str, status: int = 200) -> Any:
        body = {"modulepart": "thing", "original_file": place(ref)}
        return client.ask("PUT", "/documents/builddoc", body, status=status)

    ask("D_E", status=404)
    assert ask("A:B/C")["filename"] == "A_B_C.pdf"
    assert download(client, "A_B_C/A_B_C.pdf", "thing") == b"%PDF-1.4 A:B/C state 0 de_DE"
    # the other one has the folder by right, and still does not write over it
    ask("A_B_C", status=405)
    client.ask("DELETE", "/things/2")
    assert ask("A_B_C")["filename"] == "A_B_C.pdf"
    assert download(client, "A_B_C/A_B_C.pdf", "thing") == b"%PDF-1.4 A:B/C state 0 de_DE"


def test_the_old_profile_answers_404_where_nothing_is_listed(start: Start) -> None:
    client = start(profile_name="dolibarr16")
    identifier = proposal(client)
    ref = f"(PROV{identifier})"
    build(client, ref)
    message = client.get("/documents", modulepart="proposal", id=identifier, status=404)["error"]["message"]
    assert message == (
        f"Not Found: Search for modulepart proposal with Id {identifier} or Ref {ref} does not return any document."
    )
    customer = client.get(f"/proposals/{identifier}")["socid"]
    message = client.get("/documents", modulepart="thirdparty", id=customer, status=404)["error"]["message"]
    assert f"with Id {customer} or Ref {customer} does not" in message
    record = validated(client)
    assert record["last_main_doc"] == f"propale/{place(record['ref'])}"
    (row,) = client.get("/documents", modulepart="propal", ref=record["ref"])
    assert (row["name"], type(row["date"]), type(row["size"])) == (f"{record['ref']}.pdf", int, int)
