"""The watch of folders: what it reports, and how soon."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from core.loading.folder_watch import FolderWatch

ENDINGS = (".py", ".po")


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / "tea/api.py").write_text("b"),
        lambda folder: (folder / "tea/api.py").chmod(0o600),
        lambda folder: (folder / "tea/api.py").rename(folder / "tea/old.txt"),
        lambda folder: (folder / "tea/api.py").unlink(),
        lambda folder: (folder / "tea/class/deep/new.py").write_text(""),
        lambda folder: (folder / "more").mkdir(),
        lambda folder: folder.rename(folder.with_name("away")),
    ],
)
def test_a_change_is_reported(tmp_path: Path, change: Callable[[Path], object]) -> None:
    folder = tmp_path / "modules"
    (folder / "tea/class/deep").mkdir(parents=True)
    (folder / "tea/api.py").write_text("a")
    with closing(FolderWatch([folder], ENDINGS)) as watch:
        threading.Timer(0.1, change, [folder]).start()
        assert watch.wait(20)
        assert not watch.wait(0.1)


def test_other_files_are_ignored(tmp_path: Path) -> None:
    (tmp_path / "__pycache__").mkdir()
    with closing(FolderWatch([tmp_path], ENDINGS)) as watch:
        (tmp_path / "notes.txt").write_text("a")
        (tmp_path / "__pycache__/api.py").write_text("a")
        assert not watch.wait(0.1)


def test_another_thread_ends_the_wait(tmp_path: Path) -> None:
    with closing(FolderWatch([tmp_path], ENDINGS)) as watch:
        threading.Timer(0.1, watch.wake).start()
        began = time.monotonic()
        assert not watch.wait(60)
        assert time.monotonic() - began < 50


def test_a_link_back_and_a_missing_folder_do_no_harm(tmp_path: Path) -> None:
    (tmp_path / "back").symlink_to(tmp_path)
    with closing(FolderWatch([tmp_path, tmp_path / "missing"], ENDINGS)) as watch:
        (tmp_path / "api.py").write_text("")
        assert watch.wait(20)
