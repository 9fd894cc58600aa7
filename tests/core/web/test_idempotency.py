"""`Idempotency-Key`: a POST is done once, however often it is sent; on each database."""

import re
from itertools import count

import peewee
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import BadRequest
from core.for_natives import Grant, Restriction, make_key
from core.storage import claims
from core.storage.claims import Answer, Claim, Found, IdempotencyClaim, forget_old_claims, take
from core.storage.database import database, ensure_connected, query
from core.storage.error_kinds import OutcomeUnknown
from core.testing import serving
from core.web import idempotency
from core.web.idempotency import read_key
from tests.letters import write_letters

_numbers = count(1)


@pytest.fixture(scope="module")
def post_office(kind, tmp_path_factory):
    """The native modules and that of letters."""
    folder = tmp_path_factory.mktemp(kind)
    with serving(folder, kind, modules=str(write_letters(folder / "modules"))) as served:
        yield served


@pytest.fixture(scope="module")
def client(post_office):
    return post_office.client()


@pytest.fixture
def key():
    """An unused key."""
    return f'"key-{next(_numbers)}"'


@pytest.fixture
def clock(monkeypatch):
    """``clock(60)``: it is a minute later than it is, until the end of the test."""
    true = claims.unix_now
    return lambda seconds: monkeypatch.setattr(claims, "unix_now", lambda: true() + seconds)


def send(client, path, body=None, key=None, **options):
    """One POST."""
    headers = {**options.pop("headers", {}), **({} if key is None else {"Idempotency-Key": key})}
    if body is not None:
        options["json"] = body
    return client.simulate_post(path, headers=headers, **options)


def texts(client):
    return list(client.get("/letters"))


def new_text():
    return f"text {next(_numbers)}"


# Once ----------------------------------------------------------------------------------------------------------------


@pytest.mark.every_database
def test_the_first_answer_is_given_again(client, key):
    body = {"text": new_text()}
    first, second = send(client, "/letters", body, key), send(client, "/letters", body, key)
    assert (first.status_code, second.status_code) == (200, 200)
    assert first.content == second.content
    assert "idempotency-replayed" not in first.headers
    assert second.headers["idempotency-replayed"] == "true"
    assert texts(client).count(body["text"]) == 1
    before = claims_of_all()
    assert send(client, "/letters", {"text": new_text()}).status_code == 200
    assert claims_of_all() == before


def claims_of_all():
    ensure_connected()
    return IdempotencyClaim.select().count()


def test_status_headers_and_warnings_come_again(client, key):
    made = client.ask("POST", "/letters", {"text": new_text()})
    first, second = (send(client, f"/letters/{made}/stamp", {"mark": "."}, key) for _ in range(2))
    for answer in (first, second):
        assert answer.status_code == 201
        assert answer.json["text"].endswith(".")
        assert answer.headers["x-office"] == "Lyon"
        assert answer.headers["x-stamps"] == "."
        assert answer.headers["warning"] == '299 comptoir "stamped"'
        assert answer.headers["content-type"] == "application/json; charset=utf-8"
    assert first.headers["x-request-id"] != second.headers["x-request-id"]


@pytest.mark.parametrize(
    ("path", "body", "options"),
    [
        ("/letters", {"text": "another"}, {}),
        ("/letters", {"text": "first"}, {"params": {"a": "1"}}),
        ("/letters/apart", {"text": "first"}, {}),
        ("/letters", {"text": "first", "more": None}, {}),
    ],
    ids=["body", "query", "path", "one key more"],
)
def test_another_request_under_the_key_is_refused(client, key, path, body, options):
    first = {"text": new_text()}
    assert send(client, "/letters", first, key).status_code == 200
    body = {name: first["text"] if text == "first" else text for name, text in body.items()}
    answer = send(client, path, body, key, **options)
    assert answer.status_code == 422
    assert "this Idempotency-Key was used with a different path, query or body" in answer.json["error"]["message"]
    assert "another" not in texts(client)


def test_what_only_looks_different_is_the_same_request(client, key):
    text = new_text()
    for body in (f'{{"text": "{text}", "note": 1}}', f'{{ "note":1,\n"text":"{text}" }}'):
        headers = {"Idempotency-Key": key, "Content-Type": "application/json"}
        answer = client.simulate_post("/letters", body=body, headers=headers)
        assert answer.status_code == 200
    assert answer.headers["idempotency-replayed"] == "true"


def test_a_file_is_the_same_between_other_boundaries(client, key):
    text = new_text()

    def upload(boundary, content):
        parts = [('name="text"', text), ('name="file"; filename="a.txt"\r\nContent-Type: text/plain', content)]
        body = "".join(
            f"--{boundary}\r\nContent-Disposition: form-data; {head}\r\n\r\n{inner}\r\n" for head, inner in parts
        )
        headers = {"Idempotency-Key": key, "Content-Type": f"multipart/form-data; boundary={boundary}"}
        return client.simulate_post("/letters/scan", body=f"{body}--{boundary}--\r\n", headers=headers)

    assert [upload("one", "scanned").json, upload("two", "scanned").json] == ["scanned", "scanned"]
    assert upload("one", "other").status_code == 422
    assert texts(client).count(text) == 1


@pytest.mark.every_database
def test_two_users_may_use_the_same_key(post_office, client, key):
    body = {"text": new_text()}
    assert send(client, "/letters", body, key).status_code == 200
    others = send(post_office.user(), "/letters", {"text": new_text()}, key)
    assert others.status_code == 200
    assert "idempotency-replayed" not in others.headers


def test_a_key_with_other_rights_gets_no_answer_of_its_users_other_key(post_office, key):
    wide = post_office.user("thirdparties.read")
    assert wide.user_id
    ensure_connected()
    narrow = post_office.client(make_key(wide.user_id, "tests", restriction=Restriction(frozenset(["users.self"]))))
    again = post_office.client(make_key(wide.user_id, "tests"))
    body = {"text": new_text()}
    assert send(wide, "/letters", body, key).status_code == 200
    assert send(narrow, "/letters", body, key).status_code == 422
    assert send(again, "/letters", body, key).headers["idempotency-replayed"] == "true"


def test_a_right_that_was_lost_is_asked_for_again(post_office, key):
    user = post_office.user("thirdparties.write", "thirdparties.all")
    body = {"name": "Lost"}
    assert send(user, "/thirdparties", body, key).status_code == 200
    ensure_connected()
    Grant.delete().where(Grant.user == user.user_id).execute()
    assert send(user, "/thirdparties", body, key).status_code == 401


def test_only_post_is_done_once(client, key):
    made = client.ask("POST", "/letters", {"text": new_text()})
    for _ in range(2):
        body = {"text": new_text()}
        answer = client.simulate_put(f"/letters/{made}", json=body, headers={"Idempotency-Key": key})
        assert answer.json["text"] == body["text"]
        headers = {"X-HTTP-Method-Override": "PUT"}
        body = {"text": new_text()}
        assert send(client, f"/letters/{made}", body, key, headers=headers).json["text"] == body["text"]


# What is not kept ----------------------------------------------------------------------------------------------------


@pytest.mark.every_database
@pytest.mark.parametrize(("how", "status"), [("", 405), ("error", 500), ("exit", 500)])
def test_what_fails_is_undone_and_may_be_tried_again(client, key, how, status):
    text = new_text()
    for _ in range(2):
        answer = send(client, "/letters/fail", {"text": text, "how": how}, key)
        assert answer.status_code == status
        assert "idempotency-replayed" not in answer.headers
        assert answer.headers["content-type"] == "application/json; charset=utf-8"
    assert text not in texts(client)
    assert "told of what was undone" not in texts(client)
    # Mended by its sender, under the same key
    assert send(client, "/letters", {"text": text}, key).status_code == 200


def test_a_format_that_cannot_be_given_undoes_the_work(client, key):
    body = {"text": new_text()}
    assert send(client, "/letters", body, key, headers={"Accept": "text/csv"}).status_code == 406
    assert body["text"] not in texts(client)
    assert send(client, "/letters", body, key).status_code == 200


def test_a_secret_is_not_kept(client, key):
    body = {"text": new_text()}
    assert send(client, "/letters/sealed", body, key).json == {"key": "a-secret-of-many-letters"}
    again = send(client, "/letters/sealed", body, key)
    assert again.status_code == 409
    assert again.json["error"]["done"] is True
    assert "because it contains a secret" in again.json["error"]["message"]
    assert "retry-after" not in again.headers
    assert texts(client).count(body["text"]) == 1
    ensure_connected()
    (row,) = query("SELECT headers, body, fingerprint, digest FROM comptoir_idempotency ORDER BY rowid DESC LIMIT 1")
    assert row[:2] == (None, None)
    assert "a-secret-of-many-letters" not in "".join(row[2:])
    created = {"label": "once"}
    assert [send(client, "/users/1/keys", created, f'{key[:-1]}-user"').status_code for _ in range(2)] == [200, 409]


def test_what_is_kept_of_a_body_cannot_be_guessed_without_its_key(client):
    body = {"size": next(_numbers)}
    for _ in range(2):
        assert send(client, "/letters/copies", body, f'"key-{next(_numbers)}"').status_code == 200
    ensure_connected()
    newest = IdempotencyClaim.select().order_by(IdempotencyClaim.id.desc()).limit(2)
    assert len({row.fingerprint for row in newest}) == 2


@pytest.mark.parametrize(
    ("path", "body", "kept"),
    [
        ("/letters/copies", {"size": 200_000}, True),
        ("/letters/copies", {"size": 2**20 + 1}, False),
        ("/letters/copies", {"size": 130_000, "random": True}, False),
        ("/letters/print", {"size": 1000}, True),
    ],
)
def test_an_answer_is_kept_up_to_a_size(client, key, path, body, kept):
    first, second = send(client, path, body, key), send(client, path, body, key)
    assert first.status_code == 200
    if kept:
        assert second.content == first.content
        assert second.headers["content-type"] == first.headers["content-type"]
        assert second.headers.get("content-disposition") == first.headers.get("content-disposition")
    else:
        assert second.status_code == 409
        assert second.json["error"]["done"] is True


@pytest.mark.parametrize("path", ["/letters/unminded", "/letters/public"])
def test_where_the_header_is_not_minded_a_warning_says_so(client, key, path):
    for _ in range(2):
        answer = send(client, path, {"text": new_text()}, key)
        assert answer.status_code == 200
        assert answer.headers["warning"] == '299 comptoir "Idempotency-Key is ignored by this operation"'


def test_without_a_user_nothing_is_kept(post_office, client, key):
    nobody = post_office.client(None)
    for _ in range(2):
        answer = send(nobody, "/letters/hybrid", {"text": new_text()}, key)
        assert answer.status_code == 200
        assert "Idempotency-Key is ignored without an API key" in answer.headers["warning"]
    body = {"text": new_text()}
    assert [send(client, "/letters/hybrid", body, key).status_code for _ in range(2)] == [200, 200]


# Late handlers -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["stamp", "stampandread"])
@pytest.mark.parametrize("mark", ["!", "#"], ids=["says what it wrote", "only writes"])
def test_the_answer_is_true_after_late_handlers(client, key, path, mark):
    made = client.ask("POST", "/letters", {"text": new_text()})
    first, second = (send(client, f"/letters/{made}/{path}", {"mark": mark}, key) for _ in range(2))
    assert first.json["text"].endswith(f"{mark} franked")
    assert first.content == second.content
    assert client.get("/letters").count(first.json["text"]) == 1


def test_a_late_handler_that_fails_is_told_of_each_time(client, key):
    made = client.ask("POST", "/letters", {"text": new_text()})
    for _ in range(2):
        answer = send(client, f"/letters/{made}/stamp", {"mark": "?"}, key)
        assert answer.status_code == 201
        assert "after_letters_stamped failed: no such stamp" in answer.headers["warning"]


def test_a_validated_document_has_its_pdf_in_the_answer(client, key):
    customer = client.ask("POST", "/thirdparties", {"name": new_text(), "client": 1})
    line = {"desc": "Desk", "qty": 1, "subprice": "10", "tva_tx": 20}
    order = client.ask("POST", "/orders", {"socid": customer, "date": "2026-11-21", "lines": [line]})
    first, second = (send(client, f"/orders/{order}/validate", {}, key) for _ in range(2))
    assert first.json["last_main_doc"].endswith(".pdf")
    assert first.content == second.content
    assert first.json == client.get(f"/orders/{order}")


@pytest.mark.every_database
def test_what_a_savepoint_undoes_is_not_told_of(client, key):
    good = new_text()
    answer = send(client, "/letters/several", {"texts": [good, "bad"]}, key)
    assert answer.json == ["bad"]
    assert answer.headers["warning"] == f'299 comptoir "told of {good}"'
    assert good in texts(client)
    assert "bad" not in texts(client)


@pytest.mark.every_database
def test_tables_may_change_under_a_key(client, key):
    body = {"label": "Idem", "type": "int"}
    name = f"idem{next(_numbers)}"
    first, second = (send(client, f"/setup/extrafields/societe/{name}", body, key) for _ in range(2))
    assert first.status_code == 200
    assert first.content == second.content
    assert second.headers["idempotency-replayed"] == "true"
    client.ask("DELETE", f"/setup/extrafields/societe/{name}")


@pytest.mark.every_database
def test_what_is_done_apart_stays_done(client, key):
    text = new_text()
    assert send(client, "/letters/apart", {"text": text, "fails": True}, key).status_code == 405
    assert text in texts(client)
    text = new_text()
    assert [send(client, "/letters/apart", {"text": text}, key).status_code for _ in range(2)] == [200, 200]
    assert texts(client).count(text) == 1


# Claims --------------------------------------------------------------------------------------------------------------


def claim(digest, fingerprint="f", lease=10):
    ensure_connected()
    return take(1, digest, fingerprint, lease)


@pytest.mark.every_database
def test_somebody_at_work_is_not_disturbed(post_office, client, key, clock):
    body = {"text": new_text()}
    assert send(client, "/letters", body, key).status_code == 200
    ensure_connected()
    IdempotencyClaim.update(status=None, headers=None, body=None).where(
        IdempotencyClaim.id == IdempotencyClaim.select(peewee.fn.MAX(IdempotencyClaim.id)).scalar()
    ).execute()
    answer = send(client, "/letters", body, key)
    assert answer.status_code == 409
    assert answer.headers["retry-after"] == "1"
    assert "done" not in answer.json["error"]
    assert send(client, "/letters", {"text": "other"}, key).status_code == 422
    # As long as its worker may live
    clock(post_office.settings.timeout)
    assert send(client, "/letters", body, key).status_code == 409
    clock(post_office.settings.timeout + idempotency.GRACE + 1)
    # Taken over: the text is there already, since it was settled in truth
    assert send(client, "/letters", body, key).status_code == 405


@pytest.mark.every_database
def test_one_of_several_takes_over(post_office, clock):
    first = claim("left")
    assert isinstance(first, Claim)
    assert isinstance(claim("left"), Found)
    clock(11)
    second = claim("left")
    assert isinstance(second, Claim)
    assert isinstance(claim("left"), Found)
    # The one that was taken for dead
    assert not first.settle(Answer(200, "{}", b"mine"))
    first.release()
    assert second.settle(Answer(200, "{}", b"theirs"))
    second.release()
    found = claim("left")
    assert isinstance(found, Found)
    assert found.answer == Answer(200, "{}", b"theirs")


@pytest.mark.every_database
def test_a_claim_that_could_not_be_given_up_is_given_up_later(post_office, monkeypatch):
    """The database is away for a moment: whoever sends it again need not wait for the end of the lease."""
    first = claim("away")
    assert isinstance(first, Claim)
    run = claims._run

    def fail(sql, values):
        raise peewee.OperationalError(1213, "another node was faster")

    monkeypatch.setattr(claims, "_run", fail)
    first.release()
    with pytest.raises(peewee.OperationalError):
        claims.release_left()
    monkeypatch.setattr(claims, "_run", run)
    assert isinstance(claim("away"), Found)
    claims.release_left()
    assert isinstance(claim("away"), Claim)


@pytest.mark.every_database
def test_a_claim_that_was_taken_over_undoes_the_work(client, key, monkeypatch):
    text = new_text()
    monkeypatch.setattr(Claim, "settle", lambda self, answer: False)
    answer = send(client, "/letters", {"text": text}, key)
    assert answer.status_code == 409
    assert "has taken over" in answer.json["error"]["message"]
    assert text not in texts(client)


def test_after_a_day_the_key_is_a_new_one(client, key, clock):
    body = {"text": new_text()}
    assert send(client, "/letters", body, key).status_code == 200
    clock(86_300)
    assert send(client, "/letters", body, key).headers["idempotency-replayed"] == "true"
    clock(86401)
    assert send(client, "/letters", body, key).status_code == 405  # done anew, and the text is there already
    other = {"text": new_text()}
    assert send(client, "/letters", other, key).status_code == 200
    assert send(client, "/letters", other, key).headers["idempotency-replayed"] == "true"


@pytest.mark.every_database
def test_what_is_old_is_removed(post_office, clock, monkeypatch):
    monkeypatch.setattr(claims, "_PORTION", 2)
    for number in range(5):
        taken = claim(f"old {number}")
        assert isinstance(taken, Claim)
    clock(86401)
    assert isinstance(claim("young"), Claim)
    assert isinstance(claim("old 0"), Claim)
    assert forget_old_claims() >= 4
    left = {row.digest for row in IdempotencyClaim.select()}
    assert {"young", "old 0"} <= left
    assert not left & {"old 1", "old 2", "old 3", "old 4"}


@pytest.mark.every_database
def test_a_claim_of_which_nobody_knows_whether_it_was_written_is_looked_at(post_office, monkeypatch):
    ensure_connected()
    run, lost = claims._run, iter([True, False])

    def losing(sql, values):
        if sql.startswith("INSERT") and next(lost, False):
            run(sql, values)
            raise OutcomeUnknown("gone")
        return run(sql, values)

    monkeypatch.setattr(claims, "_run", losing)
    assert isinstance(claim(f"unknown {next(_numbers)}"), Claim)


@pytest.mark.every_database
def test_an_unknown_outcome_is_learned_by_the_next_try(client, key, monkeypatch):
    opened = database.obj
    commit = opened.commit
    for committed in (True, False):
        body = {"text": new_text()}

        def lost(committed=committed):
            monkeypatch.undo()
            commit() if committed else opened.rollback()
            raise OutcomeUnknown("gone")

        own = f'{key[:-1]}-{committed}"'
        monkeypatch.setattr(opened, "commit", lost)
        answer = send(client, "/letters", body, own)
        assert answer.status_code == 503
        assert "with the same Idempotency-Key" in answer.json["error"]["message"]
        assert answer.headers["retry-after"] == "1"
        again = send(client, "/letters", body, own)
        assert again.status_code == 200
        assert again.headers.get("idempotency-replayed", "false") == ("true" if committed else "false")
        assert texts(client).count(body["text"]) == 1


# The header ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "key"),
    [
        ('"8e03978e-40d5-43dd-bc93-6894a57f9324"', "8e03978e-40d5-43dd-bc93-6894a57f9324"),
        ("8e03978e-40d5-43dd-bc93-6894a57f9324", "8e03978e-40d5-43dd-bc93-6894a57f9324"),
        ('  "a"\t', "a"),
        (r'"a\"b\\c"', 'a"b\\c'),
        ("QUJD/+=:~!", "QUJD/+=:~!"),
        ('"' + "k" * 255 + '"', "k" * 255),
        ('"' + r"\"" * 255 + '"', '"' * 255),
    ],
)
def test_a_key_is_read(header, key):
    assert read_key(header) == key


WRONG = [
    "", " ", '""', '"', "a b", '"a b"', '"a', 'a"', 'a"b', '"a"b', '"a", "b"', "a,b", "a;b", '"a";p=1', "a\\b", r'"\a"',
    '"a\\"', "é", '"é"', "a\x00", '"\x7f"', "k" * 256, '"' + "k" * 256 + '"', '"a"\n',
]  # fmt: skip


@pytest.mark.parametrize("header", WRONG)
def test_what_is_no_key_is_refused(header):
    with pytest.raises(BadRequest) as refused:
        read_key(header)
    assert refused.value.errors[0][0] == "Idempotency-Key"


@given(st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=1, max_size=255))
def test_every_visible_text_in_quotes_is_a_key(key):
    escaped = re.sub(r'(["\\])', r"\\\1", key)
    assert read_key(f'"{escaped}"') == key


def test_what_is_refused_before_it_begins_claims_nothing(client, key):
    text = new_text()
    answer = send(client, "/letters", {"text": text}, '"two words"')
    assert (answer.status_code, answer.json["error"]["errors"][0]["field"]) == (400, "Idempotency-Key")
    assert text not in texts(client)
    assert send(client, "/letters/several", {"texts": 1}, key).status_code == 400
    assert send(client, "/letters/several", {"texts": []}, key).status_code == 200
