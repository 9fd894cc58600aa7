"""A batch as CSV: a record from each line, as from each entry in JSON; errors by line."""

import pytest

from core.testing import extra_field

CONTACTS = "/contacts/batch"
BOM = b"\xef\xbb\xbf"


def send(client, content, path=CONTACTS, kind="text/csv", **headers):
    body = content if isinstance(content, bytes) else content.encode()
    return client.simulate_post(path, body=body, headers={"Content-Type": kind, **headers})


def made(client, content, path=CONTACTS):
    answer = send(client, content, path)
    assert answer.status_code == 200, answer.text
    assert (answer.json["failed"], answer.json["done"]) == (0, len(answer.json["results"]))
    return answer.json["results"]


def error(client, content, path=CONTACTS, status=400):
    answer = send(client, content, path)
    assert answer.status_code == status, answer.text
    return answer.json["error"]


def count(client):
    return len(client.get("/contacts", limit=0))


@pytest.mark.parametrize(
    "content",
    [
        b"lastname,town,zip\nVasseur,Lille,59000\nOkafor,Hull,\n",
        b"lastname;town;zip\r\nVasseur;Lille;59000\r\nOkafor;Hull;\r\n",
        BOM + b"lastname;town;zip\nVasseur;Lille;59000\nOkafor;Hull",
        b'"lastname","town","zip"\n"Vasseur","Lille","59000"\n\n,,\n"Okafor","Hull",""\n',
    ],
)
def test_each_line_is_a_record(admin, content):
    first, second = made(admin, content)
    assert [each["status"] for each in (first, second)] == [200, 200]
    # Empty lines are skipped, and lines are counted as a spreadsheet does
    assert (first["line"], second["line"]) == (2, 5 if b"\n\n" in content else 3)
    found = [admin.get(f"/contacts/{each['result']}") for each in (first, second)]
    assert [(each["lastname"], each["town"], each["zip"]) for each in found] == [
        ("Vasseur", "Lille", "59000"), ("Okafor", "Hull", None),
    ]  # fmt: skip


def test_quotes_commas_line_breaks_and_any_letters(admin):
    (one,) = made(admin, 'lastname,note_public,town\n"O""Neill, Zoë","first\nsecond;third","北京"\n')
    found = admin.get(f"/contacts/{one['result']}")
    assert (found["lastname"], found["note_public"], found["town"]) == ('O"Neill, Zoë', "first\nsecond;third", "北京")


def test_the_same_comes_of_it_as_of_json(admin):
    """Fields of every type, an unknown one, and one that only the server writes."""
    fields = {
        "name": "Type Ltd",
        "client": "1",
        "tva_assuj": "0",
        "remise_percent": "2.5",
        "capital": "1000.5",
        "colour": "red",
        "id": "7",
    }
    answer = send(admin, f"{','.join(fields)}\n{','.join(fields.values())}\n", "/thirdparties/batch")
    (row,) = answer.json["results"]
    entries = [{"method": "POST", "body": fields}]
    (entry,) = admin.ask("POST", "/thirdparties/batch", {"entries": entries})["results"]
    assert row["line"] == 2 and "line" not in entry
    # The rows of a file have the same columns
    assert "warnings" not in row
    assert answer.headers["warning"] == f'299 comptoir "{entry["warnings"][0]}"'
    assert "ignored: colour, remise_percent, id" in entry["warnings"][0]
    first, second = (admin.get(f"/thirdparties/{each['result']}") for each in (row, entry))
    same = {name for name in first if first[name] == second[name]}
    assert {"name", "client", "tva_assuj", "remise_percent", "capital"} <= same
    assert first["client"] == 1 and str(first["tva_assuj"]) == "0"


def test_all_or_nothing_lists_errors_by_line(admin):
    before = count(admin)
    said = error(admin, "lastname,email,socid\nA,a@example.org,\n\nB,nobody,999999\n,c@example.org,\n")
    assert said["message"].startswith("Bad Request: line 4: ")
    assert (said["line"], said["entry"]) == (4, 1)
    assert {each["field"] for each in said["errors"]} >= {"line 4.email"}
    said = error(admin, "lastname\nA\nB\n", "/thirdparties/batch")
    assert said["message"] == "Bad Request: line 2: `name` is required; nothing was changed"
    said = error(admin, "Name\nA\n", "/thirdparties/batch")
    assert "`name` is required; `Name` is unknown, because case matters" in said["message"]
    assert count(admin) == before


def test_each_for_itself_lists_the_line_of_each(admin):
    before = count(admin)
    answer = send(admin, "lastname,email\nA,\nB,nobody\nC,\n", f"{CONTACTS}?atomic=false")
    assert answer.status_code == 200, answer.text
    assert (answer.json["done"], answer.json["failed"]) == (2, 1)
    assert [(each["line"], each["status"]) for each in answer.json["results"]] == [(2, 200), (3, 400), (4, 200)]
    assert [each["field"] for each in answer.json["results"][1]["error"]["errors"]] == ["email"]
    assert count(admin) == before + 2


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"lastname\n\xff\xfe\n", "UTF-8"),
        ("lastname,lastname\nA,B\n", "line 1: expected a unique name for each column"),
        (",town\nA,B\n", "line 1: expected a unique name for each column"),
        ("lastname,town\nA,B\nC,D,E\nF\nG,H,I,J\n", "line 3"),
        ('lastname\n"A\n', "can't be read"),
        ("lastname\nA\x00B\n", "line 2.lastname"),
        ("lastname\nA\nB\x07\n", "line 3.lastname"),
        ("lastname\n", "expected 1 to 1000 entries"),
        ("", "`entries` is required"),
        (f"lastname\n{'A' * 200_000}\n", "can't be read"),
        ('{"entries": []}', "expected 1 to 1000 entries"),
    ],
)
def test_what_cannot_be_read_is_rejected_as_a_whole(admin, content, words):
    before = count(admin)
    said = error(admin, content)
    assert words in str(said), said
    assert count(admin) == before


def test_all_lines_with_too_many_cells_are_listed(admin):
    said = error(admin, "lastname,town\nA,B\nC,D,E\nF\nG,H,I,J\n")
    assert [each["field"] for each in said["errors"]] == ["line 3", "line 5"]


def test_limits_are_those_of_json(serve):
    client = serve(batch_entries=3, max_body=2000).client()
    assert len(made(client, "lastname\nA\nB\n\n\nC\n")) == 3
    before = count(client)
    assert "expected at most 3 rows" in error(client, "lastname\nA\nB\nC\nD\n")["message"]
    assert error(client, f"lastname\n{'A' * 2000}\n", status=413)
    assert count(client) == before


def test_it_is_for_creations_and_for_batches_only(serve, admin, write, folder):
    answer = send(admin, "lastname\nA\n", "/contacts")
    assert answer.status_code == 415
    assert "text/csv" not in answer.json["error"]["message"].partition("got")[0]
    answer = send(admin, "lastname\nA\n", kind="application/xml")
    assert answer.status_code == 415 and "text/csv" in answer.json["error"]["message"]
    entries = [{"method": "POST", "body": {"lastname": "JSON"}}]
    assert admin.ask("POST", CONTACTS, {"entries": entries})["done"] == 1


def test_a_key_and_a_permission_are_needed(server):
    assert send(server.client(None), "lastname\nA\n").status_code == 401
    reader = server.user("contacts.read", "thirdparties.all")
    assert send(reader, "lastname\nA\n").status_code == 401
    own = int(server.client().ask("POST", "/thirdparties", {"name": "Own", "client": 1}))
    other = int(server.client().ask("POST", "/thirdparties", {"name": "Other", "client": 1}))
    external = server.user("contacts.read", "contacts.write", socid=own)
    assert send(external, f"lastname,socid\nA,{own}\n").status_code == 200
    assert error(external, f"lastname,socid\nA,{own}\nB,{other}\n", status=404)["line"] == 3


def test_a_file_is_done_once_under_its_key(admin):
    first = send(admin, "lastname\nOnce\n", **{"Idempotency-Key": "csv-once"})
    again = send(admin, "lastname\r\nOnce\r\n", **{"Idempotency-Key": "csv-once"})
    assert first.json == again.json
    assert again.headers["idempotency-replayed"] == "true"
    assert send(admin, "lastname\nTwice\n", **{"Idempotency-Key": "csv-once"}).status_code == 422


def test_the_document_says_so(admin):
    content = admin.get("/explorer/openapi/contacts.json")["paths"]["/contacts/batch"]["post"]["requestBody"]["content"]
    assert [*content] == ["application/json", "text/csv"]
    assert content["text/csv"] == {"schema": {"type": "string"}}


@pytest.mark.parametrize("service", ["thirdparties", "contacts", "products"])
def test_the_csv_of_a_list_can_be_sent_again(admin, service):
    """Texts that a spreadsheet would calculate, extra fields, and maps."""
    own = {
        "thirdparties": {"name": "=1+1", "client": 1, "note_public": "-5% remise", "url": "'=x"},
        "contacts": {"lastname": "@x", "note_public": "+33 6 12", "socialnetworks": {"mastodon": "@dup"}},
        "products": {"ref": "-again", "label": "+x", "description": "{not JSON}"},
    }[service]
    element = {"thirdparties": "societe", "contacts": "socpeople", "products": "product"}[service]
    with extra_field(admin, element, "colour", required=1):
        first = admin.ask("POST", f"/{service}", own | {"array_options": {"options_colour": "-red"}})
        path = f"/{service}?sqlfilters=(t.rowid:=:{first})"
        sheet = admin.simulate_get(path, headers={"Accept": "text/csv"}).text
        if service == "products":
            sheet = sheet.replace("'-again", "another")
        (again,) = made(admin, sheet, f"/{service}/batch")
        found = admin.get(f"/{service}/{again['result']}")
        assert {name: found[name] for name in own} == own | ({"ref": "another"} if service == "products" else {})
        assert found["array_options"] == {"options_colour": "-red"}


def test_extra_fields_are_columns(admin):
    with extra_field(admin, "socpeople", "colour", required=1), extra_field(admin, "socpeople", "size", type="int"):
        content = "lastname,options_colour,array_options.options_size\nA,red,4\nB,blue,\n"
        found = [admin.get(f"/contacts/{each['result']}")["array_options"] for each in made(admin, content)]
        assert found == [
            {"options_colour": "red", "options_size": 4}, {"options_colour": "blue", "options_size": None},
        ]  # fmt: skip
        wrong = error(admin, "lastname,options_size\nA,four\n", f"{CONTACTS}?atomic=true")
        assert {each["field"] for each in wrong["errors"]} == {
            "line 2.array_options.options_size", "line 2.array_options.options_colour",
        }  # fmt: skip
        content = 'lastname,array_options\nA,"{""options_colour"": ""red"", ""options_size"": 5}"\n'
        (one,) = made(admin, content)
        assert admin.get(f"/contacts/{one['result']}")["array_options"]["options_size"] == 5
