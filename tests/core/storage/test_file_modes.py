"""The files of SQLite are readable by their owner only, whatever the umask."""

import os
import stat
from dataclasses import replace

import pytest

from core.access.accounts import Group
from core.common.settings import Settings
from core.storage.database import close, ensure_connected
from core.transfer.backup import back_up
from core.transfer.restore import restore
from core.wsgi import build

pytestmark = pytest.mark.usefixtures("without_natives")


@pytest.fixture(autouse=True)
def umask():
    """The umask of a shell, which lets everybody read."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def modes(folder):
    """The modes of a folder and of the files in it, in octal digits."""
    return {each.name: oct(stat.S_IMODE(each.stat().st_mode))[2:] for each in (folder, *folder.iterdir())}


def test_a_new_database_is_its_owners_alone(tmp_path):
    folder = tmp_path / "data"
    settings = Settings(database=f"sqlite:///{folder}/x.db", documents=str(tmp_path / "documents"))
    build(settings)
    ensure_connected()
    assert modes(folder) == {
        name: "700" if name == "data" else "600" for name in ("data", "x.db", "x.db-lock", "x.db-wal", "x.db-shm")
    }
    close()


@pytest.mark.parametrize("is_there", [True, False])
def test_a_backup_is_its_owners_alone_whoever_made_the_folder(tmp_path, is_there):
    settings = Settings(database=f"sqlite:///{tmp_path}/x.db", documents=str(tmp_path / "documents"))
    build(settings)
    ensure_connected()
    Group.create(name="a row")
    file = tmp_path / "documents/facture/FA1/FA1.pdf"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"%PDF-1.7")
    backup = tmp_path / "above/backup"
    if is_there:
        backup.mkdir(parents=True, mode=0o755)
    back_up(backup, settings)
    found = {str(each.relative_to(backup)): each for each in backup.rglob("*")}
    assert found.keys() == {
        "SHA256SUMS", "manifest.json", "database.db", "files", "files/facture", "files/facture/FA1",
        "files/facture/FA1/FA1.pdf",
    }  # fmt: skip
    for each in found.values():
        assert stat.S_IMODE(each.stat().st_mode) == (0o700 if each.is_dir() else 0o600), each
    # The folder of somebody else stays as it is
    assert stat.S_IMODE(backup.stat().st_mode) == (0o755 if is_there else 0o700)
    target = replace(settings, database=f"sqlite:///{tmp_path}/new/y.db", documents=str(tmp_path / "restored"))
    restore(backup, target)
    assert modes(tmp_path / "new")["y.db"] == "600"
    assert modes(tmp_path / "restored/facture/FA1") == {"FA1": "750", "FA1.pdf": "640"}
    assert modes(tmp_path / "restored")["facture"] == "750"
    assert os.umask(0o022) == 0o022
    close()


def test_a_database_that_is_there_keeps_its_mode(tmp_path):
    file = tmp_path / "x.db"
    file.touch()
    file.chmod(0o640)
    build(Settings(database=f"sqlite:///{file}", documents=str(tmp_path / "documents")))
    ensure_connected()
    assert modes(tmp_path)["x.db"] == "640"
    close()
