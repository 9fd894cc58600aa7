"""Listing and fetching files of records, on each kind of database."""

from pathlib import Path

import pytest

from core.common.clock import as_if
from tests.modules.documents.calls import (
    build,
    pdf_path,
    proposal,
    upload,
    validated,
)
from tests.moments import LEAP_DAY_END


def raw(client, path, verb="GET", **headers):
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.simulate_request(
        verb, "/documents/raw", params={"modulepart": "propal", "original_file": path}, headers=sent
    )


# References ----------------------------------------------------------------------------------------------------------


def product(client, ref, *files):
    """A product with files; their names are their content."""
    identifier = int(client.ask("POST", "/products", {"ref": ref, "label": ref}))
    for name in files:
        body = {"filename": name, "modulepart": "product", "ref": ref, "filecontent": f"{identifier} {name}"}
        client.ask("POST", "/documents/upload", body)
    return identifier


def content(client, path):
    """The content of a product's file, or 404."""
    answer = client.simulate_get("/documents/raw", params={"modulepart": "product", "original_file": path})
    return answer.content.decode() if answer.status_code == 200 else answer.status_code


def test_files_follow_a_changed_reference(client):
    first = product(client, "OLD", "n.txt")
    client.ask("PATCH", f"/products/{first}", {"ref": "NEW"})
    second = product(client, "OLD")
    assert content(client, "NEW/n.txt") == f"{first} n.txt"
    assert content(client, "OLD/n.txt") == 404
    assert [each["fullname"] for each in client.get("/documents", modulepart="product", id=first)] == [
        "product/NEW/n.txt"
    ]
    body = {"filename": "n.txt", "modulepart": "product", "ref": "OLD", "filecontent": "second"}
    client.ask("POST", "/documents/upload", body)
    assert [content(client, f"{ref}/n.txt") for ref in ("OLD", "NEW")] == ["second", f"{first} n.txt"]
    client.ask("DELETE", "/documents?modulepart=product&original_file=OLD/n.txt")
    assert client.get("/documents", modulepart="product", id=second) == []


def test_files_follow_later_if_the_store_fails(server, client, monkeypatch):
    first = product(client, "BEFORE", "n.txt")
    with monkeypatch.context() as failing:
        failing.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError(30, "Read-only file system")))
        answer = client.simulate_patch(f"/products/{first}", json={"ref": "AFTER"})
        assert (answer.status_code, "is not writable" in answer.headers["warning"]) == (200, True)
    assert content(client, "AFTER/n.txt") == f"{first} n.txt"
    product(client, "BEFORE")
    assert content(client, "BEFORE/n.txt") == 404
    server.run_jobs()
    assert content(client, "AFTER/n.txt") == f"{first} n.txt"
    assert [each["path"] for each in client.get("/documents", modulepart="product", id=first)] == ["product/AFTER"]


@pytest.mark.parametrize("refs", [("Été1", "Ete1"), ("x--y", "x_y"), ("dot.", "dot"), ("ﬁn", "fin")])
def test_two_references_never_share_a_folder(client, refs):
    made = [product(client, ref, "Fiche é.txt") for ref in refs]
    stored = {each["path"] for id in made for each in client.get("/documents", modulepart="product", id=id)}
    assert len(stored) == 2
    for identifier, ref in zip(made, refs, strict=True):
        assert content(client, f"{ref}/Fiche é.txt") == f"{identifier} Fiche é.txt"
        (file,) = client.get("/documents", modulepart="product", id=identifier)
        assert content(client, file["fullname"]) == f"{identifier} Fiche é.txt"
    client.ask("DELETE", f"/documents?modulepart=product&original_file={refs[0]}/Fiche é.txt")
    assert [content(client, f"{ref}/Fiche é.txt") for ref in refs] == [404, f"{made[1]} Fiche é.txt"]


def test_builddoc_takes_last_main_doc(client):
    made = validated(client)
    body = {"modulepart": "proposal", "original_file": made["last_main_doc"]}
    assert client.ask("PUT", "/documents/builddoc", body)["filename"] == f"{made['ref']}.pdf"


# Lists ---------------------------------------------------------------------------------------------------------------


@pytest.mark.every_database
def test_a_row_has_the_shape_of_the_reference_with_paths_of_the_store(client):
    ref = f"(PROV{proposal(client)})"
    with as_if(LEAP_DAY_END):
        upload(client, ref, content="hello wörld")
    (row,) = client.get("/documents", modulepart="proposal", ref=ref)
    assert row == {
        "name": "note.txt",
        "path": f"propale/{ref}",
        "level1name": ref,
        "relativename": "note.txt",
        "fullname": f"propale/{ref}/note.txt",
        "date": LEAP_DAY_END,
        "size": 12,
        "type": "file",
    }


@pytest.mark.every_database
def test_a_list_is_sorted_as_asked(client):
    identifier = proposal(client)
    for name, content in (("b.txt", "22"), ("c.txt", "1"), ("a.txt", "333")):
        upload(client, f"(PROV{identifier})", name, content)

    def listed(**more):
        rows = client.get("/documents", modulepart="propal", id=identifier, **more)
        return "".join(row["name"][0] for row in rows)

    assert listed() == "bca"
    assert [listed(sortfield=each) for each in ("name", "fullname", "relativename", "size")] == [
        "abc", "abc", "abc", "cba",
    ]  # fmt: skip
    assert listed(sortfield="size", sortorder="DESC") == "abc"
    assert listed(sortfield="date") == "bca"
    assert [listed(sortfield=each, sortorder="desc") for each in ("t.rowid", "rowid", "date_c", "t.filename")] == [
        "acb", "acb", "acb", "cba",
    ]  # fmt: skip
    for wrong in ({"sortfield": "secret"}, {"sortorder": "up"}):
        client.get("/documents", modulepart="propal", id=identifier, status=400, **wrong)


def test_what_a_list_needs(client):
    ask = lambda status, **params: client.get("/documents", status=status, **params)["error"]["message"]  # noqa: E731
    assert ask(400, id=1) == "Bad Request: `modulepart` is required"
    assert ask(400, modulepart="proposal") == "Bad Request: `id` or `ref` is required"
    assert ask(404, modulepart="proposal", id=999999) == "Not Found: Proposal not found"
    assert ask(404, modulepart="proposal", ref="NOSUCH") == "Not Found: Proposal not found"
    assert ask(404, modulepart="thirdparty", ref="x") == "Not Found: Thirdparty not found"
    assert "expected one of" in ask(400, modulepart="nosuch", id=1)
    ask(400, modulepart="proposal", id="x")


# Fetching ------------------------------------------------------------------------------------------------------------


def test_a_download_has_the_shape_of_the_reference(client):
    ref = f"(PROV{proposal(client)})"
    upload(client, ref, content="hello world")
    assert client.get("/documents/download", modulepart="proposal", original_file=f"{ref}/note.txt") == {
        "filename": "note.txt",
        "content-type": "text/plain",
        "filesize": 11,
        "content": "aGVsbG8gd29ybGQ=",
        "encoding": "base64",
    }


@pytest.mark.parametrize("operation", ["download", "raw"])
def test_what_fetching_needs(client, operation):
    def ask(status, **params):
        return str(client.get(f"/documents/{operation}", status=status, **params)["error"]["message"])

    ref = f"(PROV{proposal(client)})"
    assert ask(400) == "Bad Request: `modulepart` is required"
    assert ask(400, modulepart="propal") == "Bad Request: `original_file` is required"
    assert ask(404, modulepart="propal", original_file=f"{ref}/nosuch.pdf") == "Not Found: File not found"
    assert ask(404, modulepart="propal", original_file=ref) == "Not Found: File not found"
    assert ask(404, modulepart="propal", original_file="x" * 5000) == "Not Found: File not found"


def test_a_raw_file_is_sent_as_it_is_and_never_run(client):
    ref = f"(PROV{proposal(client)})"
    assert upload(client, ref, "plän.txt", "hello world") == "plan.txt"
    answer = raw(client, f"{ref}/plan.txt")
    assert (answer.status_code, answer.content) == (200, b"hello world")
    headers = answer.headers
    assert headers["content-type"] == "text/plain"
    assert headers["content-length"] == "11"
    assert headers["content-disposition"].startswith("attachment; filename=")
    assert headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in headers["content-security-policy"]
    # Also under the name that it was sent with
    assert [raw(client, f"{ref}/{name}").status_code for name in ("plän.txt", "PLAN.txt")] == [200, 404]
    head = raw(client, f"{ref}/plan.txt", "HEAD")
    assert (head.status_code, head.headers["content-length"], head.content) == (200, "11", b"")


def test_an_unknown_kind_of_file_is_a_row_of_bytes(client):
    ref = f"(PROV{proposal(client)})"
    upload(client, ref, "model.step", "solid")
    assert raw(client, f"{ref}/model.step").headers["content-type"] == "application/octet-stream"


def test_a_raw_file_has_a_tag_that_changes_with_it(client):
    ref = f"(PROV{proposal(client)})"
    upload(client, ref, content="one")
    tag = raw(client, f"{ref}/note.txt").headers["etag"]
    answer = raw(client, f"{ref}/note.txt", If_None_Match=f'"other", W/{tag}')
    assert (answer.status_code, answer.content, answer.headers["etag"]) == (304, b"", tag)
    upload(client, ref, content="two", overwriteifexists=1)
    answer = raw(client, f"{ref}/note.txt", If_None_Match=tag)
    assert (answer.status_code, answer.content) == (200, b"two")


@pytest.mark.parametrize(
    ("asked", "status", "content", "range_"),
    [
        ("bytes=0-3", 206, b"0123", "bytes 0-3/10"), ("bytes=7-", 206, b"789", "bytes 7-9/10"),
        ("bytes=-2", 206, b"89", "bytes 8-9/10"), ("bytes=-99", 206, b"0123456789", "bytes 0-9/10"),
        ("bytes=9-99", 206, b"9", "bytes 9-9/10"), ("bytes=10-", 416, None, "bytes */10"),
        ("bytes=-0", 416, None, "bytes */10"), ("bytes=5-2", 200, b"0123456789", None),
        ("bytes=0-1,3-4", 200, b"0123456789", None), ("lines=1-2", 200, b"0123456789", None),
        ("bytes=x-y", 200, b"0123456789", None), ("bytes=" + "9" * 400 + "-", 200, b"0123456789", None),
    ],
)  # fmt: skip
def test_a_range_of_a_raw_file(client, asked, status, content, range_):
    ref = f"(PROV{proposal(client)})"
    upload(client, ref, content="0123456789")
    answer = raw(client, f"{ref}/note.txt", Range=asked)
    assert answer.status_code == status
    assert answer.headers.get("content-range") == range_
    if content is not None:
        assert answer.content == content
        assert answer.headers["content-length"] == str(len(content))


def test_a_range_of_another_state_is_the_whole_file(client):
    ref = f"(PROV{proposal(client)})"
    upload(client, ref, content="0123456789")
    tag = raw(client, f"{ref}/note.txt").headers["etag"]
    assert raw(client, f"{ref}/note.txt", Range="bytes=0-1", If_Range=tag).content == b"01"
    assert raw(client, f"{ref}/note.txt", Range="bytes=0-1", If_Range='"old"').content == b"0123456789"


def test_a_file_that_somebody_took_away_is_404(server, client):
    ref = f"(PROV{proposal(client)})"
    upload(client, ref)
    (Path(server.settings.documents) / "propale" / ref / "note.txt").unlink()
    assert raw(client, f"{ref}/note.txt").status_code == 404
    client.get("/documents/download", modulepart="propal", original_file=f"{ref}/note.txt", status=404)


# The old profile -----------------------------------------------------------------------------------------------------


def test_the_old_profile_answers_404_where_nothing_is_listed(start):
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
    assert record["last_main_doc"] == f"propale/{pdf_path(record['ref'])}"
    (row,) = client.get("/documents", modulepart="propal", ref=record["ref"])
    assert (row["name"], type(row["date"]), type(row["size"])) == (f"{record['ref']}.pdf", int, int)
