"""The files of SQLite are readable by their owner only, whatever the umask."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.common.settings import Settings
from core.storage.database import close, ensure_connected
from core.transfer.backup import back_up
from core.wsgi import build

pytestmark = pytest.mark.usefixtures("without_natives")


@pytest.fixture(autouse=True)
def umask() -> Iterator[None]:
    """The umask of a shell, which lets everybody read."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[str, str]:
    """The modes of a folder and of the files in it, in octal digits."""
    return {each.name: oct(stat.S_IMODE(each.stat().st_mode))[2:] for each in (folder, *folder.iterdir())}


def test_a_new_database_is_its_owners_alone(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    settings = Settings(database=f"sqlite:///{folder}/x.db", documents=str(tmp_path / "documents"))
    build(settings)
    ensure_connected()
    assert modes(folder) == {"data": "700", "x.db": "600", "x.db-wal": "600", "x.db-shm": "600"}
    (tmp_path / "backup").mkdir()
    back_up(tmp_path / "backup", settings)
    assert modes(tmp_path / "backup")["database.db"] == "600"
    close()


def test_a_database_that_is_there_keeps_its_mode(tmp_path: Path) -> None:
    file = tmp_path / "x.db"
    file.touch()
    file.chmod(0o640)
    build(Settings(database=f"sqlite:///{file}", documents=str(tmp_path / "documents")))
    ensure_connected()
    assert modes(tmp_path)["x.db"] == "640"
    close()
