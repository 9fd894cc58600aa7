"""The figures for Prometheus: by operation, never by path; over all processes, also those that have ended."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from falcon.testing import create_environ
from prometheus_client.parser import text_string_to_metric_families

from core.common.request_state import current_state
from core.jobs.table import Job
from core.testing import ADMIN_KEY, Served
from core.web.cells import PIECE
from core.web.figures import CONTENT_TYPE, Figures, figures

Key = tuple[str, frozenset[tuple[str, str]]]


def read(text: bytes) -> dict[Key, float]:
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text.decode())
        for sample in family.samples
    }


def key(name: str, **labels: object) -> Key:
    return name, frozenset((label, str(value)) for label, value in labels.items())


@pytest.fixture
def figure(sample_server: Served) -> Callable[..., float]:
    """A figure of now: ``figure("comptoir_requests_total", operation="/status", …)``."""
    return lambda name, **labels: read(figures().text()).get(key(name, **labels), 0.0)


def test_rejected_writes_are_those_of_all_workers(tmp_path: Path) -> None:
    one, other = Figures(tmp_path), Figures(tmp_path)
    one.take_place(1)
    other.take_place(2)
    one.refuse_write()
    other.refuse_write()
    other.refuse_write()
    assert one.refused_writes() == other.refused_writes() == 3
    one.leave_place(2)
    assert one.refused_writes() == 1


def test_requests_are_counted_by_operation_verb_and_status(sample_server: Served, figure: Callable[..., float]) -> None:
    client, stranger = sample_server.client(), sample_server.client(None)
    made = client.ask("POST", "/thirdparties", {"name": "Counted Ltd"})
    asked = [
        (lambda: client.get(f"/thirdparties/{made}"), "/thirdparties/{id}", "GET", 200, 3),
        (lambda: client.get("/api/index.php/THIRDPARTIES/999999", status=404), "/thirdparties/{id}", "GET", 404, 2),
        (lambda: stranger.get("/thirdparties", status=401), "/thirdparties", "GET", 401, 1),
        (lambda: client.get("/geheim/nothing", status=404), "", "GET", 404, 2),
        (lambda: client.simulate_get("/explorer/openapi/status.json"), "/explorer/openapi/*", "GET", 200, 1),
    ]
    for ask, operation, verb, status, times in asked:
        labels = {"operation": operation, "verb": verb}
        before = figure("comptoir_requests_total", **labels, status=status)
        timed = figure("comptoir_request_seconds_count", **labels)
        for _ in range(times):
            ask()
        assert figure("comptoir_requests_total", **labels, status=status) == before + times
        assert figure("comptoir_request_seconds_count", **labels) == timed + times
        assert figure("comptoir_request_seconds_bucket", **labels, le="+Inf") == timed + times
    seconds = {name: figure(name, operation="/thirdparties", verb="POST") for name in (
        "comptoir_request_seconds_sum", "comptoir_database_seconds_total")}  # fmt: skip
    assert 0 < seconds["comptoir_database_seconds_total"] < seconds["comptoir_request_seconds_sum"]
    assert b"geheim" not in figures().text()
    assert b"/999999" not in figures().text()


@pytest.mark.filterwarnings("ignore:Unknown REQUEST_METHOD")
def test_whatever_a_client_calls_a_verb_is_one_figure(sample_server: Served, figure: Callable[..., float]) -> None:
    before = figure("comptoir_requests_total", operation="", verb="other", status=405)
    for verb in ("BREW", "BREW2"):
        sample_server.client().simulate_request(verb, "/status")
    text = figures().text()
    assert b"BREW" not in text
    assert figure("comptoir_requests_total", operation="", verb="other", status=405) == before + 2


def test_none_is_in_progress_but_the_one_that_asks(sample_server: Served) -> None:
    told = read(sample_server.client().simulate_get("/metrics").content)
    assert told[key("comptoir_requests_in_progress")] == 1
    assert read(figures().text())[key("comptoir_requests_in_progress")] == 0
    assert told[key("comptoir_workers")] == 1


def test_a_request_that_is_begun_anew_counts_once(sample_server: Served, figure: Callable[..., float]) -> None:
    class NotYet(BaseException):
        """What the worker says of a body that has not come."""

    class Late:
        def read(self, *_: int) -> bytes:
            raise NotYet

    counted = figure("comptoir_request_seconds_count", operation="/thirdparties", verb="POST")
    length = {"CONTENT_LENGTH": "5", "CONTENT_TYPE": "application/json", "HTTP_DOLAPIKEY": ADMIN_KEY}
    environ = create_environ("/thirdparties", method="POST") | length | {"wsgi.input": Late()}
    with pytest.raises(NotYet):
        sample_server.app(environ, lambda *_: None)
    assert figure("comptoir_requests_in_progress") == 0
    assert current_state() is None
    sample_server.client().ask("POST", "/thirdparties", {"name": "Late Ltd"})
    assert figure("comptoir_requests_in_progress") == 0
    assert figure("comptoir_request_seconds_count", operation="/thirdparties", verb="POST") == counted + 1


def test_jobs_are_counted(sample_server: Served) -> None:
    Job.delete().execute()
    for status in (0, 0, 2, 3):
        Job.insert(module="post", name="send", arguments="{}", due=0, created=0, status=status).execute()
    told = read(sample_server.client().simulate_get("/metrics").content)
    states = {state: told[key("comptoir_jobs", state=state)] for state in ("waiting", "running", "given_up")}
    assert states == {"waiting": 2, "running": 0, "given_up": 1}
    Job.delete().execute()


def test_modules_are_counted(serve: Callable[..., Served], folder: Path, write: Callable[[str, str], Path]) -> None:
    client = serve(modules=str(folder)).client()
    before = read(client.simulate_get("/metrics").content)
    write("broken/class/api_broken.py", "import nothing_of_this_name\n")
    client.get("/broken", status=501)
    after = read(client.simulate_get("/metrics").content)
    assert [told[key("comptoir_modules", state="failed")] for told in (before, after)] == [0, 1]
    loaded = [told[key("comptoir_modules", state="loaded")] for told in (before, after)]
    assert (
        loaded[0]
        == loaded[1]
        == len([each for each in os.listdir("modules") if os.path.isdir(f"modules/{each}/class")])
    )


def test_they_need_their_right(sample_server: Served) -> None:
    sample_server.client(None).get("/metrics", status=401)
    sample_server.user("thirdparties.read").get("/metrics", status=401)
    answer = sample_server.user("metrics.read").simulate_get("/api/index.php/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == CONTENT_TYPE
    assert b"# TYPE comptoir_request_seconds histogram" in answer.content


def test_the_right_can_be_granted() -> None:
    from core.loading.assembly import assemble

    assert "metrics.read" in assemble(1, [], []).rights


# Several processes ---------------------------------------------------------------------------------------------------


@pytest.fixture
def shared(tmp_path: Path) -> Figures:
    return Figures(tmp_path)


def in_worker(made: Figures, place: int, work: Callable[[], object], *, killed: bool = False) -> None:
    """Do something in a process that then ends, as the master sees it."""
    worker = os.fork()
    if not worker:
        made.take_place(place)
        work()
        os._exit(0) if not killed else os.kill(os.getpid(), 9)
    os.waitpid(worker, 0)


def test_workers_are_summed_also_after_they_have_ended(shared: Figures) -> None:
    def work() -> None:
        for _ in range(5):
            shared.begin()
            shared.end("/status", "GET", 200, 0.002, 0.001)
        # it ends in the midst of another
        shared.begin()

    labels = {"operation": "/status", "verb": "GET"}
    for number, (place, killed) in enumerate([(1, False), (2, True), (1, True)], 1):
        in_worker(shared, place, work, killed=killed)
        told = read(shared.text())
        assert told[key("comptoir_workers")] == len({1, 2} if number == 2 else {1})
        assert told[key("comptoir_requests_in_progress")] == told[key("comptoir_workers")]
        assert told[key("comptoir_requests_total", **labels, status=200)] == 5 * number
        assert told[key("comptoir_request_seconds_count", **labels)] == 5 * number
        assert told[key("comptoir_request_seconds_bucket", **labels, le="0.001")] == 0
        assert told[key("comptoir_request_seconds_bucket", **labels, le="0.0025")] == 5 * number
        assert told[key("comptoir_database_seconds_total", **labels)] == pytest.approx(0.005 * number)
        if number > 1:
            shared.leave_place(1)
            shared.leave_place(2)
            gone = read(shared.text())
            assert gone.get(key("comptoir_workers"), 0) == gone.get(key("comptoir_requests_in_progress"), 0) == 0
            assert gone[key("comptoir_requests_total", **labels, status=200)] == 5 * number


def test_who_takes_a_place_needs_no_further_file(shared: Figures, tmp_path: Path) -> None:
    for _ in range(3):
        in_worker(shared, 1, lambda: shared.refuse(400))
        shared.leave_place(1)
    assert [file.name for file in tmp_path.iterdir()] == ["worker-1"]
    assert read(shared.text())[key("comptoir_requests_total", operation="", verb="", status=400)] == 3


def test_any_number_of_operations_is_counted(shared: Figures, tmp_path: Path) -> None:
    """More than a piece of the file holds; who takes the place finds them all."""

    def work() -> None:
        for number in range(2000):
            shared.begin()
            shared.end(f"/many/{{id}}/number{number}/é", "GET", 200, 0.002, 0.001)

    in_worker(shared, 1, work)
    in_worker(shared, 1, work)
    assert (tmp_path / "worker-1").stat().st_size > PIECE
    told = read(shared.text())
    counted = [value for (name, _), value in told.items() if name == "comptoir_requests_total"]
    assert counted == [2.0] * 2000
    assert told[key("comptoir_requests_total", operation="/many/{id}/number1999/é", verb="GET", status=200)] == 2


def test_threads_count_together(shared: Figures) -> None:
    shared.take_place(1)

    def work(_: int) -> None:
        for _ in range(2000):
            shared.begin()
            shared.end("/status", "GET", 200, 0.5, 0.25)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    told = read(shared.text())
    labels = {"operation": "/status", "verb": "GET"}
    assert told[key("comptoir_requests_total", **labels, status=200)] == 8000
    assert told[key("comptoir_request_seconds_sum", **labels)] == 4000
    assert told[key("comptoir_database_seconds_total", **labels)] == 2000
    # "le" is less or equal
    assert told[key("comptoir_request_seconds_bucket", **labels, le="0.25")] == 0
    assert told[key("comptoir_request_seconds_bucket", **labels, le="0.5")] == 8000
    assert told[key("comptoir_requests_in_progress")] == 0


def test_a_worker_without_room_answers_and_counts_nothing(
    shared: Figures, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    shared.take_place(1)
    shared.begin()
    shared.end("/status", "GET", 200, 0.1, 0.1)
    shared.refuse(400)
    assert "No space left" in caplog.text
    assert b"/status" not in shared.text()


def test_an_operation_without_room_is_not_counted_and_others_are(
    shared: Figures, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    shared.take_place(1)
    monkeypatch.setattr(os, "posix_fallocate", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left")))
    for number in range(2000):
        shared.begin()
        shared.end(f"/many/number{number}", "GET", 200, 0.002, 0.001)
    assert "/many/number1999: [Errno 28] No space left" in caplog.text
    told = read(shared.text())
    assert told[key("comptoir_requests_total", operation="/many/number0", verb="GET", status=200)] == 1
    assert told[key("comptoir_requests_in_progress")] == 0
