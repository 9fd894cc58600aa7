"""What is done beside requests: what passes by itself is no error of the log."""

import sqlite3
from contextlib import closing

import pytest

from core.for_natives import Key
from core.loading import reload
from core.loading.loader import Loader
from core.storage.database import ensure_connected, lock_timeout, transaction
from core.testing import serving


@pytest.fixture
def served(tmp_path):
    with serving(tmp_path) as made:
        yield made


def test_a_long_write_of_somebody_else_is_no_error(served, caplog):
    written = []

    def write():
        ensure_connected()
        with lock_timeout(0.01), transaction():
            Key.update(last_use=None).execute()
        written.append(1)

    with closing(sqlite3.connect(served.settings.database.partition("sqlite:///")[2])) as other:
        other.execute("BEGIN IMMEDIATE")
        reload.run_tasks(write)
        assert (written, caplog.messages) == ([], [])
    reload.run_tasks(write)
    assert written


def test_what_does_not_pass_is_told(served, caplog):
    def write():
        ensure_connected()
        reload.database.execute_sql("SELECT id FROM nowhere")

    reload.run_tasks(write)
    assert "the background task write failed and will be tried again" in caplog.messages


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / "tea/jobs.py").write_text("b"),
        lambda folder: (folder / "tea/jobs.py").chmod(0o600),
        lambda folder: (folder / "tea/jobs.py").rename(folder / "tea/old.txt"),
        lambda folder: (folder / "tea/jobs.py").unlink(),
        lambda folder: (folder / "tea/class/deep/new.py").write_text(""),
        lambda folder: (folder / "draft/DRAFT").unlink(),
        lambda folder: (folder / "more").mkdir(),
        lambda folder: folder.rename(folder.with_name("away")),
    ],
)
def test_a_quick_check_finds_each_change(tmp_path, change):
    folder = tmp_path / "modules"
    (folder / "tea/class/deep").mkdir(parents=True)
    (folder / "tea/jobs.py").write_text("")
    (folder / "draft").mkdir()
    (folder / "draft/DRAFT").write_text("")
    reloader = reload.Reloader(Loader([folder]))
    reloader._look()
    assert not reloader._has_changed(reloader._folder_times | reloader._file_times)
    change(folder)
    assert reloader._has_changed(reloader._folder_times | reloader._file_times)
