"""A store that is full, read-only, gone or silent: what callers are told, what is left behind, and that it passes."""

import errno
import logging
import os
import shutil
import subprocess
import time

import fsspec
import pytest

from core.common import repeated_failures
from tests.modules.documents.calls import build, download, names, pdf_path, proposal, upload
from tests.small_disks import fill_up, small_disk

FULL = "Insufficient Storage: the document store is full"


@pytest.fixture(autouse=True)
def everything_is_news():
    repeated_failures._logged.clear()


def body_for(ref, content="x"):
    """An upload."""
    return {"filename": "x.txt", "modulepart": "propal", "ref": ref, "filecontent": content}


@pytest.mark.parametrize(("number", "status", "word"), [
    (errno.ENOSPC, 507, "full"), (errno.EDQUOT, 507, "full"), (errno.EFBIG, 507, "full"),
    (errno.EROFS, 503, "is not writable"), (errno.EACCES, 503, "is not writable"),
    (errno.EIO, 503, "has an input or output error"), (errno.ESTALE, 503, "not mounted"), (errno.EMFILE, 503, "did not respond"),
])  # fmt: skip
def test_what_the_system_says_is_told_and_nothing_is_left(
    start, tmp_path, monkeypatch, caplog,
    number, status, word
):  # fmt: skip
    client = start()
    ref = f"(PROV{proposal(client)})"

    def fail(handle):
        raise OSError(number, os.strerror(number), str(tmp_path))

    with monkeypatch.context() as failing, caplog.at_level(logging.ERROR):
        failing.setattr(os, "fsync", fail)
        message = client.refused("POST", "/documents/upload", body_for(ref), status=status)
    assert word in message and str(tmp_path) not in message
    assert word in caplog.text
    assert names(client, ref) == []
    assert [file for file in (tmp_path / "documents").rglob("*") if file.is_file()] == []
    upload(client, ref)
    assert names(client, ref) == ["note.txt"]


@pytest.fixture
def disk(tmp_path):
    """A disk of 256 kB."""
    try:
        with small_disk(tmp_path / "disk", 256 * 1024) as mounted:
            yield mounted
    except OSError as error:
        pytest.skip(f"no disk can be mounted here: {error}")


def parts(store):
    """What is not whole."""
    return list((store / ".parts").iterdir())


@pytest.mark.fault(
    "The disk of the file store is full",
    "writes fail with 507, partial uploads are removed, reads work; uploads work once there is space",
)
def test_a_full_disk_is_507_and_what_was_written_goes(start, disk, seen):
    client = start(documents=str(disk / "store"))
    ref = f"(PROV{proposal(client)})"
    upload(client, ref, "first.txt")
    assert client.refused("POST", "/documents/upload", body_for(ref, "x" * 300_000), status=507) == FULL
    assert parts(disk / "store") == []
    filler = fill_up(disk)
    assert client.refused("POST", "/documents/upload", body_for(ref), status=507) == FULL
    seen(f"507 {FULL!r}, {len(parts(disk / 'store'))} partial files left")
    assert download(client, f"{ref}/first.txt") == b"hello"
    assert names(client, ref) == ["first.txt"]
    filler.unlink()
    upload(client, ref)
    assert names(client, ref) == ["first.txt", "note.txt"]


@pytest.mark.fault(
    "A proposal is validated while the file store's disk is full", "200 with a warning; the PDF can be built later"
)
def test_a_validation_stands_without_its_pdf_and_says_so(start, disk, caplog, seen):
    client = start(documents=str(disk / "store"))
    identifier = proposal(client)
    upload(client, f"(PROV{identifier})")
    filler = fill_up(disk)
    with caplog.at_level(logging.ERROR):
        answer = client.simulate_post(f"/proposals/{identifier}/validate", json={})
    assert (answer.status_code, answer.json["statut"]) == (200, 1)
    assert "the document store is full" in answer.headers["warning"]
    seen(f"200, Warning: {answer.headers['warning']}")
    assert "the document store is full" in caplog.text
    ref = answer.json["ref"]
    assert parts(disk / "store") == []
    assert f"{ref}.pdf" not in names(client, ref)
    filler.unlink()
    build(client, ref)
    assert f"{ref}.pdf" in names(client, ref)
    assert download(client, pdf_path(ref)).startswith(b"%PDF")


def test_a_disk_that_can_only_be_read_is_a_line_of_the_log_a_minute(start, disk, caplog, monkeypatch):
    """Not a traceback for each request."""
    client = start(documents=str(disk / "store"))
    drafts = [proposal(client) for _ in range(4)]
    for each in drafts:
        upload(client, f"(PROV{each})")
    _remount(disk, "ro")
    try:
        caplog.clear()
        for each in drafts[:2]:
            answer = client.simulate_post(f"/proposals/{each}/validate", json={})
            assert answer.status_code == 200
            assert "the document store is not writable" in answer.headers["warning"]
        client.refused("POST", "/documents/upload", body_for(f"(PROV{drafts[2]})"), status=503)
        client.ask("DELETE", f"/proposals/{drafts[3]}")
        told = [each for each in caplog.records if each.levelno >= logging.WARNING]
        assert [each.getMessage()[:46] for each in told] == ["the document store is not writable: OSError(30"]
        assert "Read-only file system" in told[0].getMessage()
        assert told[0].exc_info is None
        monkeypatch.setattr(repeated_failures, "QUIET_SECONDS", 0.0)
        caplog.clear()
        client.refused("POST", "/documents/upload", body_for(f"(PROV{drafts[2]})"), status=503)
        # A minute later the next one is
        assert {each.levelno for each in caplog.records} >= {logging.ERROR}
    finally:
        _remount(disk, "rw")


@pytest.mark.fault("The disk of the file store is read-only", "writes fail with 503 and the reason; reads work")
def test_a_disk_that_can_only_be_read_is_503(start, disk, seen):
    client = start(documents=str(disk / "store"))
    ref = f"(PROV{proposal(client)})"
    upload(client, ref, "first.txt")
    _remount(disk, "ro")
    try:
        message = client.refused("POST", "/documents/upload", body_for(ref), status=503)
        seen(f"503 {message!r}")
        assert message == "Service Unavailable: the document store is not writable"
        assert download(client, f"{ref}/first.txt") == b"hello"
    finally:
        _remount(disk, "rw")
    upload(client, ref)


def _remount(disk, how):
    subprocess.run(["mount", "-o", f"remount,{how}", str(disk)], check=True)


@pytest.mark.fault("The file store is unmounted and mounted again", "503 with the reason; no empty store is created")
def test_a_store_that_is_gone_is_503_and_not_begun_anew(start, tmp_path, seen):
    client = start()
    store = tmp_path / "documents"
    ref = f"(PROV{proposal(client)})"
    upload(client, ref)
    store.rename(tmp_path / "away")
    gone = "Service Unavailable: the document store does not exist or is not mounted"
    asked = {"modulepart": "propal", "original_file": f"{ref}/note.txt"}
    assert client.refused("POST", "/documents/upload", body_for(ref), status=503) == gone
    assert client.refused("GET", "/documents/download", params=asked, status=503) == gone
    assert not store.exists()
    (tmp_path / "away").rename(store)
    assert download(client, f"{ref}/note.txt") == b"hello"
    seen(f"503 {gone!r} for writes and reads, then the file is readable again")


@pytest.mark.parametrize(
    ("failure", "status"),
    [(OSError(errno.ENOSPC, "no room"), 507), (ConnectionResetError(104, "reset"), 503), (TimeoutError(), 503)],
)
def test_a_remote_store_that_fails_is_told_likewise(start, tmp_path, monkeypatch, failure, status):
    client = start(documents=f"memory://{tmp_path}/remote")
    ref = f"(PROV{proposal(client)})"

    def fail(self, path, value, **more):
        raise RuntimeError("wrapped by a library") from failure

    with monkeypatch.context() as failing:
        failing.setattr(type(fsspec.filesystem("memory")), "pipe_file", fail)
        client.refused("POST", "/documents/upload", body_for(ref), status=status)
    assert names(client, ref) == []
    upload(client, ref)


def test_what_interrupted_uploads_left_is_swept_after_an_hour(start, tmp_path):
    left = tmp_path / "documents/.parts"
    left.mkdir(parents=True)
    for name, age in (("old", 3700), ("young", 3000)):
        (left / name).write_text("half")
        os.utime(left / name, (time.time() - age,) * 2)
    client = start()
    upload(client, f"(PROV{proposal(client)})")
    assert [file.name for file in left.iterdir()] == ["young"]
    shutil.rmtree(left)
