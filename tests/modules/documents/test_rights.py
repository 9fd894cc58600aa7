"""Who may reach which file; no path, module part or link leads to any other."""

from pathlib import Path

import pytest

from tests.modules.documents.calls import download, pdf_path, proposal, thirdparty, upload, validated

DOC = "/documents"


def calls(ref, identifier, part="proposal", name="note.txt"):
    """Every operation on the files of one record: verb, path with query, body; by the right it needs."""
    at = f"modulepart={part}&original_file={ref}/{name}"
    return {
        "list by id": ("GET", f"{DOC}?modulepart={part}&id={identifier}", None),
        "list by ref": ("GET", f"{DOC}?modulepart={part}&ref={ref}", None),
        "download": ("GET", f"{DOC}/download?{at}", None),
        "raw": ("GET", f"{DOC}/raw?{at}", None),
        "build": ("PUT", f"{DOC}/builddoc", {"modulepart": part, "original_file": pdf_path(ref)}),
        "upload by ref": (
            "POST", f"{DOC}/upload", {"filename": "new.txt", "modulepart": part, "ref": ref, "filecontent": "x"}
        ),
        "upload by folder": (
            "POST", f"{DOC}/upload", {"filename": "new2.txt", "modulepart": part, "subdir": ref, "filecontent": "x"}
        ),
        "delete": ("DELETE", f"{DOC}?{at}", None),
    }  # fmt: skip


NEEDS = {
    "list by id": {"proposals.read"},
    "list by ref": {"proposals.read"},
    "download": {"proposals.read"},
    "raw": {"proposals.read"},
    "build": {"proposals.write"},
    "upload by ref": {"documents.write", "proposals.read"},
    "upload by folder": {"documents.write", "proposals.read"},
    "delete": {"proposals.delete"},
}


@pytest.mark.parametrize("name", NEEDS)
def test_each_operation_needs_its_rights(server, client, name):
    identifier = proposal(client)
    upload(client, ref := f"(PROV{identifier})")
    verb, path, body = calls(ref, identifier)[name]
    every = {right for rights in NEEDS.values() for right in rights} | {"documents.read", "documents.delete"}
    for missing in NEEDS[name]:
        message = server.user(*every - {missing}, "thirdparties.all").refused(verb, path, body, status=401)
        assert missing in message
    answer = server.user(*NEEDS[name], "thirdparties.all").simulate_request(
        verb, path, **({"json": body} if body else {})
    )
    assert answer.status_code == 200, answer.text
    assert server.client(None).simulate_request(verb, path).status_code == 401


def test_the_document_says_which_rights_and_values_each_operation_needs(client):
    paths = client.get("/explorer/openapi.json")["paths"]
    for name, (verb, path, _) in calls("A", 1).items():
        said = paths[path.partition("?")[0]][verb.lower()]
        asked = {said.get("x-permission"), said.get("x-requires")} - {None}
        for right in NEEDS[name] - asked:
            # The other one of an upload is that of reading its record
            verb_of_right = right.rpartition(".")[2]
            assert f"<modulepart>.{verb_of_right}" in str(asked) or name.startswith("upload")
    # No schema can require one of `modulepart` and its alias, and Dolibarr has its own message for a missing file
    body = paths["/documents/builddoc"]["put"]["requestBody"]["content"]["application/json"]["schema"]["properties"]
    for name, other in (("modulepart", "original_file"), ("original_file", "modulepart")):
        assert "required" in body[name]["description"]
        refused = client.ask("PUT", "/documents/builddoc", {other: "proposals"}, status=400)["error"]
        assert [each["field"] for each in refused["errors"]] == [name]


def test_an_external_user_sees_no_other_third_party_s_or_user_s_files(server, client):
    own, other = thirdparty(client), thirdparty(client)
    external = server.user("thirdparties.read", "users.read", "documents.write", socid=own)
    for part, identifier in (("thirdparty", other), ("user", server.administrator.id)):
        body = {"filename": "n.txt", "modulepart": part, "ref": str(identifier), "filecontent": "x"}
        client.ask("POST", f"{DOC}/upload", body)
        external.get(DOC, modulepart=part, id=identifier, status=404)
        external.get(f"{DOC}/download", modulepart=part, original_file=f"{identifier}/n.txt", status=404)
        external.ask("POST", f"{DOC}/upload", body | {"filename": "m.txt"}, status=404)


# Paths ---------------------------------------------------------------------------------------------------------------

TRAVERSALS = [
    "../x.pdf", "../../etc/passwd", "{0}/../{0}/note.txt", "/etc/passwd", "..%2fx", "%2e%2e%2f%2e%2e%2fx",
    "%252e%252e%252fx", "..\\x", "{0}\\note.txt", "{0}/..", "{0}/.", "{0}/./note.txt", "./{0}/note.txt", "{0}//note.txt",
    "\u2024\u2024/x", "\u2025/x", "\uff0e\uff0e\uff0fx", "{0}\uff0fnote.txt", "{0}/note.txt/", "{0}/NOTE.TXT",
    "<x>", "a|b", "{0}/note.txt\u202e", "{0}/note\n.txt", "~/x", "file:///etc/passwd",
    # With the folder of the type before it, a path leads nowhere else
    "propale/propale/{0}/note.txt", "propale//{0}/note.txt", "/propale/{0}/note.txt", "./propale/{0}/note.txt",
    "propale/../{0}/note.txt", "propale/./{0}/note.txt", "PROPALE/{0}/note.txt", "propale\\{0}\\note.txt", "propale",
    "propale/", "propale/{0}", "propale%2f{0}/note.txt", "commande/{0}/note.txt", "propale/commande/{0}/note.txt",
    "documents/propale/{0}/note.txt", "propale/{0}/NOTE.TXT", "propal/{0}/note.txt",
]  # fmt: skip


@pytest.mark.parametrize("path", TRAVERSALS)
def test_no_path_leads_out_of_the_documents(client, path):
    ref = f"(PROV{proposal(client)})"
    upload(client, ref, content="kept")
    path = path.format(ref)
    for verb, operation in (("GET", "/download"), ("GET", "/raw"), ("DELETE", "")):
        params = {"modulepart": "propal", "original_file": path}
        answer = client.simulate_request(verb, f"{DOC}{operation}", params=params)
        assert answer.status_code in (400, 401, 404), f"{operation} {path!r} -> {answer.status_code}"
        assert "passwd" not in answer.text and "/work" not in answer.text and "tmp" not in answer.text
    for named in ({"ref": path}, {"subdir": path}):
        body = {"filename": "x.txt", "modulepart": "propal", "filecontent": "x", **named}
        assert client.simulate_post(f"{DOC}/upload", json=body).status_code in (400, 404)
    body = {"modulepart": "propal", "original_file": f"{path}/{path}.pdf"}
    assert client.simulate_put(f"{DOC}/builddoc", json=body).status_code in (400, 404)
    assert download(client, f"{ref}/note.txt") == b"kept"


def test_a_path_as_records_and_lists_return_it_leads_to_the_same_file(server, client):
    own, other = thirdparty(client), thirdparty(client)
    made, theirs = validated(client, own), validated(client, other)
    for record in (made, theirs):
        upload(client, record["ref"], content=f"of {record['ref']}")
    (listed,) = [each for each in client.get(DOC, modulepart="proposal", ref=made["ref"]) if each["name"] == "note.txt"]
    assert listed["fullname"] == f"propale/{made['ref']}/note.txt"
    assert download(client, listed["fullname"]) == f"of {made['ref']}".encode()
    pdf = client.simulate_get(f"{DOC}/raw", params={"modulepart": "proposal", "original_file": made["last_main_doc"]})
    assert pdf.status_code == 200
    assert pdf.content.startswith(b"%PDF")
    assert pdf.content == download(client, pdf_path(made["ref"]))
    # Another type of record has no such file, and others may not see it
    for part in ("order", "invoice", "thirdparty", "product", "user"):
        for operation in ("raw", "download"):
            client.get(f"{DOC}/{operation}", modulepart=part, original_file=listed["fullname"], status=404)
    external = server.user("proposals.read", "proposals.delete", socid=own)
    assert download(external, made["last_main_doc"]) == pdf.content
    for path in (f"propale/{theirs['ref']}/note.txt", theirs["last_main_doc"]):
        for verb, operation in (("GET", "/raw"), ("GET", "/download"), ("DELETE", "")):
            answer = external.simulate_request(
                verb, f"{DOC}{operation}", params={"modulepart": "propal", "original_file": path}
            )
            assert answer.status_code == 404, (operation, path)
    poor = server.user("orders.read", "documents.read", "thirdparties.all")
    poor.get(f"{DOC}/raw", modulepart="propal", original_file=made["last_main_doc"], status=401)
    client.ask("DELETE", f"{DOC}?modulepart=propal&original_file={listed['fullname']}")
    assert [each["name"] for each in client.get(DOC, modulepart="proposal", ref=made["ref"])] == [f"{made['ref']}.pdf"]


def test_a_record_that_has_the_name_of_its_folder_keeps_its_files(client):
    """A product `product` has the folder product/product, so product/x.txt is its file, and product/product/x.txt too."""
    for ref in ("product", "x.txt"):
        identifier = client.ask("POST", "/products", {"ref": ref, "label": ref})
        upload(client, ref, "x.txt", f"of {ref}", modulepart="product")
        assert identifier
    assert download(client, "product/x.txt", "product") == b"of product"
    assert download(client, "product/product/x.txt", "product") == b"of product"
    assert download(client, "x.txt/x.txt", "product") == b"of x.txt"
    assert download(client, "product/x.txt/x.txt", "product") == b"of x.txt"


@pytest.mark.parametrize(
    "part", ["../propale", "propal/..", "ecm", "medias", "systemtools", "\x00", "documents", "login"]
)
def test_no_modulepart_leads_elsewhere(client, part):
    answer = client.simulate_get(DOC, params={"modulepart": part, "id": "1"})
    assert answer.status_code == 400, answer.text


def test_nothing_goes_through_a_link_in_the_store(server, client, tmp_path):
    (tmp_path / "secret.txt").write_text("secret")
    root = Path(server.settings.documents) / "propale"
    first, second = (f"(PROV{proposal(client)})" for _ in range(2))
    # a file that has become a link
    upload(client, first, "note.txt", "mine")
    (root / first / "note.txt").unlink()
    (root / first / "note.txt").symlink_to(tmp_path / "secret.txt")
    for operation in ("download", "raw"):
        client.get(f"{DOC}/{operation}", modulepart="propal", original_file=f"{first}/note.txt", status=404)
    upload(client, first, "note.txt", "anew", overwriteifexists=1)
    assert (tmp_path / "secret.txt").read_text() == "secret"
    assert download(client, f"{first}/note.txt") == b"anew"
    # a folder that is one
    (root / second).symlink_to(tmp_path)
    body = {"filename": "secret.txt", "modulepart": "propal", "ref": second, "filecontent": "x"}
    assert client.refused("POST", f"{DOC}/upload", body, status=405).endswith(
        "contains a symbolic link, which is not allowed"
    )
    client.refused("PUT", f"{DOC}/builddoc", {"modulepart": "propal", "original_file": pdf_path(second)}, status=405)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["secret.txt"]
    assert (tmp_path / "secret.txt").read_text() == "secret"
