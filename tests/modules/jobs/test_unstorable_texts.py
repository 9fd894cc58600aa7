"""Names of files in Latin-1 reach Python as lone surrogates: what jobs and methods do with them stays readable."""

import logging
from io import StringIO

import pytest

from core.for_natives import Job
from core.jobs.table import DONE, GIVEN_UP
from core.serving.logs import FORMATS
from core.storage.database import ensure_connected
from core.testing import serving

JOBS = r"""
from core import job, progress

RUNS = []


@job(attempts=2)
def send(how: str, text: str = "") -> object:
    RUNS.append(how)
    match how:
        case "result":
            return "invoice\udce4.pdf"
        case "nested result":
            return {"files\udce4": ["a\x00b\udce4"]}
        case "argument":
            return len(text)
        case "raise":
            raise ValueError("no file invoice\udce4.pdf")
        case "raise NUL":
            raise ValueError("a\x00b")
        case "progress":
            progress(1, 2, "invoice\udce4.pdf")
        case "progress NUL":
            progress(1, 2, "a\x00b")
        case "large progress":
            progress(2**70, -(2**70), "x")
        case "no words":
            raise Silent()


class Silent(Exception):
    def __str__(self):
        raise ZeroDivisionError

"""

API = r'''
from core import Api, BadRequest, Conflict, NotFound, Refused, set_header, warn

from ..jobs import RUNS, send


class Letters(Api):
    """Letters.

    :access: protected
    """

    def get(self, how: str) -> object:
        """Fail, or respond with a name.

        :url: GET {how}
        """
        match how:
            case "refused":
                raise Refused("no file r\udce4.pdf")
            case "bad":
                raise BadRequest("no file r\udce4.pdf")
            case "missing":
                raise NotFound("no file r\udce4.pdf")
            case "conflict":
                raise Conflict("a", details={"file": ["r\udce4.pdf"]}, headers={"X-File": "r\udce4\r\n.pdf"})
            case "fields":
                raise BadRequest(errors=[("file\udce4", "expected a PDF, got 'r\udce4'")])
            case "warning":
                warn("r\udce4.pdf")
                return 1
            case "header":
                set_header("X-File", "r\udce4\x00€ö\r\nX-Evil: 1")
                return 1
            case "unexpected":
                raise OSError("no file r\udce4.pdf")
            case "result":
                return {"r\udce4.pdf": ["a", {"b": ("r\udce4.pdf", 2**70)}]}

    def post(self, how: str) -> int:
        """Send one."""
        return send.later(how, text="invoice\udce4.pdf")

    def index(self) -> list[str]:
        """Return the calls."""
        return RUNS
'''


@pytest.fixture(scope="module")
def served(kind, tmp_path_factory):
    folder = tmp_path_factory.mktemp("letters")
    for name, text in (("jobs.py", JOBS), ("class/api_letters.py", API)):
        file = folder / "modules/letters" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    with serving(folder, kind, modules=str(folder / "modules")) as made:
        yield made


@pytest.fixture(autouse=True)
def quiet(caplog):
    """The log has the texts of exceptions as they are, which xdist can't send to its main process."""
    caplog.set_level(logging.CRITICAL, "comptoir")


@pytest.fixture
def admin(served):
    ensure_connected()
    Job.delete().execute()
    return served.client()


RESULTS = {
    # how → state, result, error, done, total, text
    "result": ("done", "invoice?.pdf", None, None, None, ""),
    "nested result": ("done", {"files?": ["a\x00b?"]}, None, None, None, ""),
    "argument": ("done", 12, None, None, None, ""),
    "raise": ("given up", None, "ValueError: no file invoice?.pdf", None, None, ""),
    "raise NUL": ("given up", None, "ValueError: a?b", None, None, ""),
    "progress": ("done", None, None, 1, 2, "invoice?.pdf"),
    "progress NUL": ("done", None, None, 1, 2, "a?b"),
    "large progress": ("done", None, None, 2**63 - 1, 1 - 2**63, "x"),
    "no words": ("given up", None, "Silent", None, None, ""),
}


@pytest.mark.parametrize("how", RESULTS)
def test_a_job_is_settled_once_whatever_it_reports(served, admin, how):
    before = admin.get("/letters").count(how)
    job = admin.ask("POST", "/letters", {"how": how})
    for _ in range(3):
        ensure_connected()
        Job.update(due=0).execute()
        served.run_jobs(failing=True)
    state, *expected = RESULTS[how]
    # One attempt, or the two that a failure has
    assert admin.get("/letters").count(how) - before == (2 if state == "given up" else 1)
    (listed,) = admin.get("/jobs")
    assert listed == admin.get(f"/jobs/{job}")
    assert listed["state"] == state
    assert listed["arguments"] == {"how": how, "text": "invoice?.pdf"}
    assert [listed[name] for name in ("result", "error", "done", "total", "text")] == expected


def test_no_row_keeps_the_list_from_being_read(served, admin):
    rows = [
        {"status": DONE, "result": '"invoice\\udce4.pdf"', "arguments": '{"a":"\\udce4"}'},
        {"status": DONE, "result": "[1", "arguments": "{"},
        {"status": GIVEN_UP, "result": "1e999", "arguments": "", "error": "e"},
    ]
    for each in rows:
        Job.create(module="letters", name="send", due=1, created=1, started=1, **each)
    found = admin.get("/jobs", sortfield="t.rowid")
    assert [each["result"] for each in found[:2]] == ["invoice?.pdf", "[1"]
    assert [each["arguments"] for each in found] == [{"a": "?"}, "{", ""]
    for each in found:
        admin.get(f"/jobs/{each['id']}")
    text = admin.simulate_get("/jobs", headers={"Accept": "text/csv"}).text
    assert "invoice?.pdf" in text


ANSWERS = {
    "refused": (405, "no file r?.pdf"),
    "bad": (400, "no file r?.pdf"),
    "missing": (404, "no file r?.pdf"),
    "conflict": (409, '"file":["r?.pdf"]'),
    "fields": (400, "expected a PDF, got 'r?'"),
    "warning": (200, "1"),
    "header": (200, "1"),
    "unexpected": (500, "OSError: no file r?.pdf"),
    "result": (200, '{"r?.pdf":["a",{"b":["r?.pdf",1180591620717411303424]}]}'),
}


@pytest.mark.parametrize("how", ANSWERS)
def test_an_answer_has_its_status_and_a_readable_text(admin, how):
    answer = admin.simulate_get(f"/letters/{how}")
    status, text = ANSWERS[how]
    assert (answer.status_code, text in answer.text) == (status, True), answer.text
    if how == "warning":
        assert answer.headers["Warning"] == '299 comptoir "r?.pdf"'
    if how == "header":
        assert answer.headers["X-File"] == "r???ö??X-Evil: 1"
    if how == "conflict":
        assert answer.headers["X-File"] == "r???.pdf"


@pytest.mark.parametrize("form", FORMATS)
def test_a_name_of_a_file_breaks_no_line_of_the_log(form):
    record = logging.LogRecord("x", logging.ERROR, "x", 1, "no file %s", ("r\udce4\n.pdf",), None)
    line = FORMATS[form]().format(record)
    # As the streams and the file of the log write it
    assert line.encode("utf-8", "backslashreplace").count(b"\n") == 0
    assert StringIO(line).read() == line
