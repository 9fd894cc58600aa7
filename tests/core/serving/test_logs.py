"""Everything that is logged ends in one format; nothing in it is a secret, and nothing leaves its line."""

import io
import json
import logging
import os
import sys
import warnings
from datetime import timedelta
from types import SimpleNamespace

import pytest
from gunicorn.config import Config

from core.access.callers import Caller
from core.common.masks import masked
from core.common.request_state import RequestState, begin
from core.common.settings import Settings
from core.serving import logs
from core.serving.logs import CannotLog, Log, set_up_logs
from core.web.request_states import STATE


@pytest.fixture
def set_up():
    """``set_up(log_format="json")``; undone afterwards."""
    root = logging.getLogger()
    level = root.level
    yield lambda **options: set_up_logs(Settings(**options))
    for logger, handler in logs._handlers:
        logger.removeHandler(handler)
        handler.close()
    logs._handlers.clear()
    root.setLevel(level)
    logging.captureWarnings(False)
    begin(None)


def lines(file):
    return [json.loads(line) for line in file.read_text().splitlines()]


@pytest.fixture
def gunicorns():
    def make(access=True):
        configuration = Config()
        configuration.set("accesslog", "-" if access else None)
        return Log(configuration)

    return make


def answered(status="200 OK", sent=17):
    return SimpleNamespace(status=status, sent=sent)


def of_a_request(**more):
    caller = Caller(3, "ada", key_label="her laptop")
    state = RequestState(caller, address=lambda: "198.51.100.7", request_id="mine-1")
    state.operation, state.database_time = "/thirdparties/{id}", 0.0123
    secret = {"QUERY_STRING": "DOLAPIKEY=geheim", "RAW_URI": "/thirdparties/7?DOLAPIKEY=geheim"}
    return {STATE: state, "REQUEST_METHOD": "GET", "REMOTE_ADDR": "127.0.0.1", **secret, **more}


def test_all_loggers_end_in_one_file_as_one_object_a_line(set_up, tmp_path, gunicorns):
    file = tmp_path / "log.json"
    set_up(log_format="json", log_file=str(file))
    logging.getLogger("comptoir.loyalty").warning("one %s", "thing")
    logging.getLogger("of.another").error("another\nthing")
    gunicorns().warning("Invalid request from ip=%s", "192.0.2.1")
    gunicorns().access(answered(), None, of_a_request(), timedelta(milliseconds=45.67))
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn("beware", UserWarning, stacklevel=1)
    try:
        raise ValueError("why")
    except ValueError:
        logging.getLogger("comptoir").exception("failed")
    told = lines(file)
    assert [each["logger"] for each in told] == [
        "comptoir.loyalty", "of.another", "gunicorn.error", "comptoir.requests", "py.warnings", "comptoir",
    ]  # fmt: skip
    assert [each["level"] for each in told] == ["warning", "error", "warning", "info", "warning", "error"]
    assert [each["message"] for each in told[:3]] == [
        "one thing",
        "another\nthing",
        "Invalid request from ip=192.0.2.1",
    ]
    assert "beware" in told[4]["message"]
    assert told[5]["trace"].endswith("ValueError: why")
    request = {name: value for name, value in told[3].items() if name not in ("time", "process", "logger", "level")}
    assert request == {
        "message": "GET /thirdparties/{id} 200",
        "address": "198.51.100.7",
        "request_id": "mine-1",
        "user": "ada",
        "key": "her laptop",
        "verb": "GET",
        "operation": "/thirdparties/{id}",
        "status": 200,
        "ms": 45.7,
        "database_ms": 12.3,
        "bytes": 17,
    }


def test_a_line_of_text_tells_the_same(set_up, tmp_path, gunicorns):
    file = tmp_path / "log.txt"
    set_up(log_file=str(file))
    gunicorns().access(answered("404 Not Found"), None, of_a_request(), timedelta(milliseconds=45.67))
    (line,) = file.read_text().splitlines()
    assert " INFO GET /thirdparties/{id} 404 address=198.51.100.7 request_id=mine-1 user=ada " in line
    assert 'key="her laptop" verb=GET' in line
    assert line.endswith("ms=45.7 database_ms=12.3 bytes=17")


def test_no_line_can_be_forged(set_up, tmp_path, gunicorns):
    file = tmp_path / "log.txt"
    set_up(log_file=str(file))
    logging.getLogger("comptoir").warning("a\nb\r\nc")
    forged = of_a_request()
    forged[STATE].caller.login = 'x" user=root\n2026-11-22 ERROR gone'
    gunicorns().access(answered(), None, forged, timedelta())
    assert len(file.read_text().splitlines()) == 2
    assert 'user="x\\" user=root\\n2026' in file.read_text()


@pytest.mark.parametrize("log_format", ["text", "json"])
def test_what_is_logged_within_a_request_names_it(set_up, tmp_path, log_format):
    file = tmp_path / "log"
    set_up(log_file=str(file), log_format=log_format)
    begin(RequestState(request_id="mine-2"))
    logging.getLogger("modules.tea").warning("hot")
    begin(None)
    logging.getLogger("modules.tea").warning("cold")
    hot, cold = file.read_text().splitlines()
    assert "mine-2" in hot
    assert "request_id" not in cold


@pytest.mark.parametrize(
    ("written", "secret"),
    [
        ("GET /who?DOLAPIKEY=geheim", "geheim"),
        ("Invalid Request Line 'GET /contacts?sqlfilters=(t.email:=:ada@x.org)'", "ada"),
        ("DOLAPIKEY: geheim", "geheim"),
        ('{"password":"x", password=geheim}', "geheim"),
        ("postgresql://comptoir:geheim@127.0.0.1/db", "geheim"),
        ("/x?a=geheim&b=geheim", "geheim"),
    ],
)
@pytest.mark.parametrize("log_format", ["text", "json"])
def test_secrets_are_left_out(set_up, tmp_path, log_format, written, secret):
    file = tmp_path / "log"
    set_up(log_file=str(file), log_format=log_format)
    try:
        raise ValueError(written)
    except ValueError:
        logging.getLogger("gunicorn.error").exception("Error handling request %s", written)
    assert "Error handling" in file.read_text()
    assert secret not in file.read_text()


@pytest.mark.parametrize(
    "plain", ["what? nothing", "a path /who and more", "http://127.0.0.1:8000/explorer", "12:30:45"]
)
def test_what_is_no_secret_stays(plain):
    assert masked(plain) == plain


def test_errors_go_to_one_stream_and_requests_to_the_other(set_up, gunicorns, monkeypatch):
    output, errors = io.StringIO(), io.StringIO()
    monkeypatch.setattr(sys, "stdout", output)
    monkeypatch.setattr(sys, "stderr", errors)
    set_up()
    gunicorns().access(answered(), None, of_a_request(), timedelta())
    gunicorns().error("ended")
    assert output.getvalue().count("\n") == errors.getvalue().count("\n") == 1
    assert "200" in output.getvalue()
    assert "ended" in errors.getvalue()


def test_requests_are_told_only_where_that_is_asked_for(set_up, tmp_path, gunicorns):
    file = tmp_path / "log"
    set_up(log_file=str(file))
    gunicorns(access=False).access(answered(), None, of_a_request(), timedelta())
    assert file.read_text() == ""


def test_a_file_that_was_moved_is_opened_anew(set_up, tmp_path, gunicorns):
    file = tmp_path / "log"
    set_up(log_file=str(file))
    log = gunicorns()
    log.error("first")
    file.rename(tmp_path / "log.1")
    log.reopen_files()
    assert file.read_text() == "", "the master makes it at once"
    log.error("second")
    file.rename(tmp_path / "log.2")
    # as in a worker, where the signal's handler does nothing
    log.error("third")
    said = [(tmp_path / name).read_text().split()[-1] for name in ("log.1", "log.2", "log")]
    assert said == ["first", "second", "third"]


def test_a_log_file_is_its_owners_alone_also_after_it_was_moved(set_up, tmp_path):
    file, umask = tmp_path / "log", os.umask(0o022)
    try:
        set_up(log_file=str(file))
        logging.getLogger("comptoir").error("first")
        file.rename(tmp_path / "log.1")
        logging.getLogger("comptoir").error("second")
    finally:
        os.umask(umask)
    assert {name: (tmp_path / name).stat().st_mode & 0o777 for name in ("log", "log.1")} == {
        "log": 0o600,
        "log.1": 0o600,
    }
    assert file.read_text().split()[-1] == "second"


def test_a_file_that_cannot_be_written_is_named(set_up, tmp_path):
    with pytest.raises(CannotLog, match=r"can't write to the log file .*none/log: No such file"):
        set_up(log_file=str(tmp_path / "none" / "log"))
