"""Several who change one document at the same time, on each kind."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from core.storage.database import close
from tests.modules.commercial.documents.desk import nothing_written, totals

pytestmark = pytest.mark.every_database


def at_once(calls):
    """Make calls in threads of their own; answer what they answer."""

    def run(call):
        try:
            return call()
        finally:
            close()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))


def test_what_several_do_at_once_is_not_lost(desk, admin):
    identifier = desk.make()

    def add():
        lines = desk.path(identifier, "lines")
        return [admin.ask("POST", lines, {"qty": 1, "subprice": "0.33", "tva_tx": 20}) for _ in range(4)]

    added = {line for lines in at_once([add] * 4) for line in lines}
    record = desk.read(identifier)
    assert {line["id"] for line in record["lines"]} == added
    assert [line["rang"] for line in record["lines"]] == list(range(1, 17))
    # 16 × 0.33, and 16 × 0.07
    assert totals(record) == ("5.28", "1.12", "6.40")


def test_one_document_is_validated_once_and_several_get_different_references(desk, admin):
    line = {"qty": 1, "subprice": 1}
    one = desk.make(line)
    answers = at_once([lambda: admin.simulate_post(desk.path(one, "validate")).status_code] * 4)
    assert sorted(answers) == [200, 405, 405, 405]
    ids = [desk.make(line) for _ in range(6)]
    refs = at_once([lambda each=each: desk.act(each, "validate")["ref"] for each in ids])
    assert len(set(refs)) == 6


def test_of_two_who_have_read_the_same_one_writes(desk, admin):
    identifier = desk.make()
    tag = desk.etag(identifier)

    def change(note):
        body = {"note_public": note}
        return admin.simulate_patch(desk.path(identifier), json=body, headers={"If-Match": tag}).status_code

    assert sorted(at_once([lambda note=note: change(note) for note in "abcd"])) == [200, 412, 412, 412]


def test_two_who_change_one_document(desk, admin):
    record = desk.made({"qty": 1, "subprice": 1}, note_public="first")
    path, line = desk.path(record["id"]), desk.path(record["id"], "lines", record["lines"][0]["id"])
    old = desk.etag(record["id"])
    assert admin.ask("PATCH", path, {"note_public": "second"}, headers={"If-Match": old})["note_public"] == "second"
    with nothing_written():
        for verb, where, body in (
            ("PUT", path, {"note_public": "third"}), ("PATCH", path, {"note_public": "third"}), ("DELETE", path, None),
            ("POST", f"{path}/lines", {"qty": 1, "subprice": 0}), ("PUT", line, {"qty": 2}), ("PATCH", line, {"qty": 2}),
            ("DELETE", line, None), ("POST", f"{path}/validate", None),
        ):  # fmt: skip
            message = admin.refused(verb, where, body, status=412, headers={"If-Match": old})
            assert "has changed since you read it" in message
    # A line's change is one of its document
    new = desk.etag(record["id"])
    admin.ask("PATCH", line, {"qty": 2}, headers={"If-Match": new})
    assert desk.etag(record["id"]) != new
    admin.ask("PATCH", line, {"rang": 5, "qty": 3}, headers={"If-Match": f'"x", W/{desk.etag(record["id"])}'})
    admin.ask("POST", f"{path}/validate", headers={"If-Match": desk.etag(record["id"])})
    admin.ask("POST", f"{path}/settodraft", headers={"If-Match": "*"})
    admin.ask("DELETE", path, headers={"If-Match": desk.etag(record["id"])})
