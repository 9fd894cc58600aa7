"""`Idempotency-Key` on a real server: many at once, workers that are killed, leases that pass; on each database."""

import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from core.web.idempotency import GRACE
from tests.letters import write_letters
from tests.serving.conftest import on_every_kind, running_over
from tests.serving.running import PATIENCE

KEY = "a-key-of-this-test-0123456789"
#: seconds a request may take here
TIMEOUT = 2

pytestmark = on_every_kind("sqlite", "mysql", name="kind", scope="session")


@pytest.fixture(scope="module")
def server(kind, tmp_path_factory):
    """Three workers over a database of their own."""
    folder = tmp_path_factory.mktemp(kind)
    write_letters(folder / "modules")
    with running_over(kind, folder, documents=str(orders(folder)), admin_key=KEY, timeout=TIMEOUT) as server:
        yield server


def orders(folder):
    """Where `stopped` of the module of letters looks for orders."""
    made = folder / "documents"
    made.mkdir(exist_ok=True)
    return made


def post(server, text, key):
    """One letter; None when the connection ended without an answer."""
    return server.try_to_ask("/letters", "POST", {"text": text}, KEY, headers={"Idempotency-Key": f'"{key}"'})


def insist(server, text, key):
    """Send it until it is answered otherwise than 409 or not at all; the answer, the statuses before, the seconds."""
    began, before = time.monotonic(), Counter[int]()
    while True:
        answer = post(server, text, key)
        took = time.monotonic() - began
        if answer is not None and answer.status not in (409, 503):
            return answer, before, took
        before[answer.status if answer else 0] += 1
        assert took < PATIENCE, f"{before}\n{server.output}"
        time.sleep(0.1)


def letters(server):
    answer = server.ask("/letters", key=KEY)
    assert answer.status == 200, answer
    return list(answer.json)


@pytest.mark.fault(
    "The same POST is sent twenty times at once with one Idempotency-Key",
    "one record; the other requests get 409 or the same response",
)
def test_many_at_once_make_one_record(server, seen):
    counted = Counter[str]()
    for attempt in range(5):
        text = f"at once {attempt}"
        with ThreadPoolExecutor(20) as pool:
            answers = list(pool.map(lambda _, text=text: post(server, text, text.replace(" ", "-")), range(20)))
        done = [each for each in answers if each is not None and each.status == 200]
        first = [each for each in done if "idempotency-replayed" not in each.headers]
        assert len(first) == 1
        assert {each.body for each in done} == {first[0].body}
        assert {each.status for each in answers if each is not None} <= {200, 409}
        assert None not in answers
        assert all(each.headers["retry-after"] == "1" for each in answers if each is not None and each.status == 409)
        assert letters(server).count(text) == 1
        counted += Counter({"done": 1, "replayed": len(done) - 1, "409": 20 - len(done)})
    seen(", ".join(f"{number} {name}" for name, number in counted.items()))


@pytest.mark.fault(
    "A worker is killed during a request with an Idempotency-Key",
    "nothing is written; 409 until the lease expires, then the request runs once",
)
def test_what_a_crash_left_is_taken_over(server, seen):
    (orders(server.folder) / "work").write_text("kill")
    assert post(server, "killed", "killed") is None
    with ThreadPoolExecutor(4) as pool:
        waiting = list(pool.map(lambda _: insist(server, "killed", "killed"), range(4)))
    assert any(before[409] for _, before, _ in waiting)
    assert {answer.status for answer, _, _ in waiting} == {200}
    assert len({answer.body for answer, _, _ in waiting}) == 1
    assert sorted(answer.headers.get("idempotency-replayed", "") for answer, _, _ in waiting) == ["", *["true"] * 3]
    assert letters(server).count("killed") == 1
    took = min(took for _, _, took in waiting)
    seen(f"taken over after {took:.1f} s (lease: {TIMEOUT + GRACE} s), one record")


@pytest.mark.fault(
    "A worker is killed after the commit of a request with an Idempotency-Key, before the response",
    "the next attempt gets the response immediately; one record",
)
def test_what_was_committed_before_a_crash_is_answered(server, seen):
    (orders(server.folder) / "late").write_text("kill")
    assert post(server, "committed", "committed") is None
    answer, before, took = insist(server, "committed", "committed")
    assert answer.status == 200
    assert answer.headers["idempotency-replayed"] == "true"
    assert before[409] == 0
    assert letters(server).count("committed") == 1
    seen(f"replayed after {took:.2f} s, one record")


@pytest.mark.fault(
    "A request with an Idempotency-Key takes longer than COMPTOIR_TIMEOUT, and its worker is replaced",
    "exactly one record",
)
def test_a_request_that_takes_too_long_is_done_once(server, seen):
    (orders(server.folder) / "work").write_text(str(TIMEOUT + 1.5))
    first = post(server, "late", "late")
    assert first is None or first.status == 503
    answer, before, took = insist(server, "late", "late")
    assert answer.status == 200
    assert letters(server).count("late") == 1
    seen(f"200 after {took:.1f} s and {sum(before.values())} rejections, one record")
