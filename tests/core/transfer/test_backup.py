"""A backup is in step, while others write, and is restored into any database; what is not whole is refused."""

import json
import os
import sqlite3
import subprocess
import threading
from dataclasses import replace

import fsspec
import pytest

import core.transfer.restore as restoring
from core.storage.database import DatabaseUrlError, ensure_connected
from core.transfer.backup import back_up
from core.transfer.endpoint import TransferError, open_endpoint
from core.transfer.files import FileTree
from core.transfer.restore import restore
from core.wsgi import build
from tests.core.transfer.zoo import ANIMALS, add_paper, contents, empty, fill, model, settings_of

pytestmark = pytest.mark.usefixtures("without_natives")


@pytest.fixture
def settings(tmp_path):
    """A filled SQLite database with two files, and one that no row names."""
    made = settings_of(tmp_path, f"sqlite:///{tmp_path}/source.db")
    fill(made)
    add_paper(made, "animal/7/old name 😀.txt", "seven")
    add_paper(made, "animal/9/x.txt", "nine")
    (tmp_path / "documents/logo.png").write_bytes(b"logo")
    (tmp_path / "documents/.parts").mkdir()
    (tmp_path / "documents/.parts/half").write_bytes(b"ha")
    return made


def papers_of(backup):
    """path → size, as the rows of a backup say."""
    with sqlite3.connect(backup / "database.db") as copy:
        rows = copy.execute("SELECT folder || '/' || name, size FROM zoo_paper").fetchall()
    copy.close()
    return dict(rows)


def files_of(folder):
    """path → content."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


ALL = {"animal/7/old name 😀.txt": b"seven", "animal/9/x.txt": b"nine", "logo.png": b"logo"}


@pytest.mark.parametrize(("source", "target"), [
    ("sqlite", "sqlite"), ("sqlite", "postgresql"), ("postgresql", "mysql"), ("mysql", "sqlite"),
])  # fmt: skip
def test_a_backup_of_any_database_is_restored_into_any(source, target, tmp_path):
    with empty(source, tmp_path) as url, empty(target, tmp_path) as other:
        settings = settings_of(tmp_path, url)
        fill(settings)
        for path, content in list(ALL.items())[:2]:
            add_paper(settings, path, content.decode())
        (tmp_path / "documents/logo.png").write_bytes(b"logo")
        manifest, warnings = back_up(tmp_path / "backup", settings)
        assert (manifest.files, manifest.bytes, manifest.missing, warnings) == (3, 13, [], [])
        assert files_of(tmp_path / "backup/files") == ALL
        assert sorted(each.name for each in (tmp_path / "backup").iterdir()) == [
            "SHA256SUMS", "database.db", "files", "manifest.json",
        ]  # fmt: skip
        subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=tmp_path / "backup", check=True)
        restored = replace(settings, database=other, documents=str(tmp_path / "restored"))
        restore(tmp_path / "backup", restored)
        build(restored)
        ensure_connected()
        assert contents()[0] == ANIMALS
        assert files_of(tmp_path / "restored") == ALL


@pytest.mark.parametrize("kind", ["sqlite", "postgresql", "mysql"])
def test_an_id_that_was_given_is_not_given_again_after_a_restoration(kind, tmp_path):
    with empty(kind, tmp_path) as url, empty(kind, tmp_path) as other:
        settings = settings_of(tmp_path, url)
        build(settings)
        ensure_connected()
        animal = model("Animal")
        made = [animal.insert(name="x", weight=1).execute() for _ in range(3)]
        animal.delete().where(animal.id != made[0]).execute()
        back_up(tmp_path / "backup", settings)
        restored = replace(settings, database=other, documents=str(tmp_path / "restored"))
        restore(tmp_path / "backup", restored)
        build(restored)
        ensure_connected()
        assert model("Animal").insert(name="new", weight=1).execute() == made[-1] + 1


@pytest.fixture
def at_scan(monkeypatch, settings):
    """``at_scan(n, action)``: do something just before the files are looked at for the n-th time."""
    actions = {}
    number = 0
    scan = FileTree.scan

    def counted(tree):
        nonlocal number
        if tree._root == settings.documents:
            number += 1
            actions.get(number, lambda: None)()
        return scan(tree)

    monkeypatch.setattr(FileTree, "scan", counted)
    return actions.__setitem__


def elsewhere(settings, statement):
    """What another process writes."""
    with sqlite3.connect(settings.database.partition("///")[2], isolation_level=None) as other:
        other.execute(statement)
    other.close()


def test_what_is_removed_or_moved_after_the_instant_is_still_in_the_backup(settings, tmp_path, at_scan):
    def change():
        (tmp_path / "documents/animal/9/x.txt").unlink()
        elsewhere(settings, "DELETE FROM zoo_paper WHERE name = 'x.txt'")
        (tmp_path / "documents/animal/7/old name 😀.txt").rename(tmp_path / "documents/animal/7/new.txt")
        elsewhere(settings, "UPDATE zoo_paper SET name = 'new.txt' WHERE folder = 'animal/7'")

    at_scan(2, change)
    manifest, _ = back_up(tmp_path / "backup", settings)
    assert papers_of(tmp_path / "backup") == {"animal/7/old name 😀.txt": 5, "animal/9/x.txt": 4}
    assert files_of(tmp_path / "backup/files") == {**ALL, "animal/7/new.txt": b"seven"}
    assert manifest.missing == []


def test_what_is_replaced_after_the_instant_makes_another_instant(settings, tmp_path, at_scan):
    def change():
        (tmp_path / "documents/animal/9/x.txt").write_text("longer")
        elsewhere(settings, "UPDATE zoo_paper SET size = 6 WHERE name = 'x.txt'")

    at_scan(2, change)
    manifest, _ = back_up(tmp_path / "backup", settings)
    assert papers_of(tmp_path / "backup")["animal/9/x.txt"] == 6
    assert files_of(tmp_path / "backup/files")["animal/9/x.txt"] == b"longer"
    assert manifest.missing == []


def test_what_is_made_before_the_instant_is_in_the_backup_and_what_is_gone_by_then_is_not(settings, tmp_path, at_scan):
    def change():
        (tmp_path / "documents/animal/9/x.txt").unlink()
        elsewhere(settings, "DELETE FROM zoo_paper WHERE name = 'x.txt'")
        (tmp_path / "documents/animal/9/y.txt").write_text("why")
        elsewhere(settings, "INSERT INTO zoo_paper (folder, name, size) VALUES ('animal/9', 'y.txt', 3)")

    at_scan(1, lambda: None)
    bulk = FileTree.take
    done = []

    def once(tree, path, *more):
        made = bulk(tree, path, *more)
        if path.endswith("x.txt") and not done:
            done.append(1)
            change()
        return made

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FileTree, "take", once)
        back_up(tmp_path / "backup", settings)
    assert papers_of(tmp_path / "backup") == {"animal/7/old name 😀.txt": 5, "animal/9/y.txt": 3}
    assert "animal/9/x.txt" not in files_of(tmp_path / "backup/files")
    assert files_of(tmp_path / "backup/files")["animal/9/y.txt"] == b"why"


def test_a_file_that_was_missing_before_is_told_of(settings, tmp_path):
    (tmp_path / "documents/animal/9/x.txt").unlink()
    manifest, _ = back_up(tmp_path / "backup", settings)
    assert manifest.missing == ["animal/9/x.txt"]
    assert json.loads((tmp_path / "backup/manifest.json").read_text())["missing"] == ["animal/9/x.txt"]


def test_a_backup_while_others_write_is_in_step(settings, tmp_path):
    """A writer does what the store of documents does: the file first, then the commit; removed after the commit."""
    begun, stop = threading.Event(), threading.Event()
    root = tmp_path / "documents/busy"
    root.mkdir()

    def write():
        other = sqlite3.connect(settings.database.partition("///")[2], isolation_level=None, timeout=10)
        number = 0
        while not stop.is_set():
            number += 1
            content = "x" * (number % 50 + 1)
            other.execute("BEGIN IMMEDIATE")
            (root / "part").write_text(content)
            os.replace(root / "part", root / f"{number}.txt")
            row = ("busy", f"{number}.txt", len(content))
            other.execute("INSERT INTO zoo_paper (folder, name, size) VALUES (?, ?, ?)", row)
            other.execute("COMMIT")
            if number == 3:
                begun.set()
            if number > 20:
                other.execute("DELETE FROM zoo_paper WHERE name = ?", (f"{number - 20}.txt",))
                (root / f"{number - 20}.txt").unlink()
        other.close()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert begun.wait(30)
        for each in range(3):
            manifest, _ = back_up(tmp_path / f"backup{each}", settings)
            named, files = papers_of(tmp_path / f"backup{each}"), files_of(tmp_path / f"backup{each}/files")
            assert len(named) > 2
            assert manifest.missing == []
            assert {path: len(files.get(path, b"")) for path in named} == named
    finally:
        stop.set()
        writer.join()


def test_a_backup_goes_into_a_folder_of_its_own(settings, tmp_path):
    with pytest.raises(TransferError, match="not empty"):
        back_up(tmp_path, settings)


def test_the_folder_of_a_backup_may_have_any_name(settings, tmp_path):
    back_up(tmp_path / "of #1, 100 % ?", settings)
    assert {"manifest.json", "database.db"} <= {each.name for each in (tmp_path / "of #1, 100 % ?").iterdir()}


def test_what_is_not_whole_is_not_restored(settings, tmp_path):
    back_up(tmp_path / "backup", settings)
    target = replace(settings, database=f"sqlite:///{tmp_path}/new.db", documents=str(tmp_path / "new"))
    file = tmp_path / "backup/files/animal/9/x.txt"
    for spoil, message in (
        (lambda: file.write_text("nyne"), "checksum of files/animal/9/x.txt doesn't match"),
        (file.unlink, "x.txt is missing"),
        ((tmp_path / "backup/manifest.json").unlink, "manifest.json is missing"),
    ):
        spoil()
        with pytest.raises(TransferError, match=message):
            restore(tmp_path / "backup", target)
    assert not (tmp_path / "new").exists()
    assert not (tmp_path / "new.db").exists()


def test_nothing_is_restored_where_there_is_something(settings, tmp_path):
    back_up(tmp_path / "backup", settings)
    with pytest.raises(
        TransferError, match=r"COMPTOIR_DOCUMENTS already contains files, such as animal/7/old.*Use an empty folder"
    ):
        restore(tmp_path / "backup", replace(settings, database=f"sqlite:///{tmp_path}/new.db"))
    assert not (tmp_path / "new.db").exists()
    with pytest.raises(TransferError, match="already has tables"):
        restore(tmp_path / "backup", replace(settings, documents=str(tmp_path / "new")))
    assert not (tmp_path / "new").exists()


def test_a_restoration_that_was_broken_off_is_begun_again(settings, tmp_path, monkeypatch):
    back_up(tmp_path / "backup", settings)
    target = replace(settings, database=f"sqlite:///{tmp_path}/new.db", documents=str(tmp_path / "new"))
    take = FileTree.take

    def break_off(tree, path, *more):
        if path == "logo.png":
            raise KeyboardInterrupt
        return take(tree, path, *more)

    with monkeypatch.context() as broken:
        broken.setattr(restoring.FileTree, "take", break_off)
        with pytest.raises(KeyboardInterrupt):
            restore(tmp_path / "backup", target)
    with pytest.raises(DatabaseUrlError, match="--again"):
        build(target)
    # What was being copied when the power went
    (tmp_path / "new/logo.png.part").write_bytes(b"lo")
    with pytest.raises(TransferError, match=r"COMPTOIR_DOCUMENTS already contains files.*--again"):
        restore(tmp_path / "backup", target)
    restore(tmp_path / "backup", target, again=True)
    build(target)
    ensure_connected()
    assert contents()[0] == ANIMALS
    assert files_of(tmp_path / "new") == ALL


def test_an_empty_database_is_not_backed_up(settings, tmp_path):
    nothing = replace(settings, database=f"sqlite:///{tmp_path}/nothing.db", documents=str(tmp_path / "none"))
    with pytest.raises(TransferError, match="no tables; nothing was copied"):
        back_up(tmp_path / "backup", nothing)
    assert not (tmp_path / "backup/manifest.json").exists()


def test_an_older_backup_is_brought_up_to_date(settings, tmp_path):
    back_up(tmp_path / "backup", settings)
    file = tmp_path / "modules/zoo/models.py"
    file.write_text(
        file.read_text().replace("class Meta:", "age = peewee.IntegerField(default=5)\n\n    class Meta:", 1)
    )
    target = replace(settings, database=f"sqlite:///{tmp_path}/new.db", documents=str(tmp_path / "new"))
    restore(tmp_path / "backup", target)
    build(target)
    ensure_connected()
    assert [each["age"] for each in contents()[0]] == [5, 5]


def test_files_behind_a_url_are_backed_up_and_restored(settings, tmp_path):
    remote = fsspec.filesystem("memory")
    for path, content in {**ALL, ".parts/half": b"ha"}.items():
        remote.pipe_file(f"{tmp_path}/remote/{path}", content)
    manifest, _ = back_up(tmp_path / "backup", replace(settings, documents=f"memory://{tmp_path}/remote"))
    assert (manifest.files, manifest.missing) == (3, [])
    assert files_of(tmp_path / "backup/files") == ALL
    target = replace(settings, database=f"sqlite:///{tmp_path}/new.db", documents=f"memory://{tmp_path}/second")
    restore(tmp_path / "backup", target)
    assert {path: remote.cat_file(f"{tmp_path}/second/{path}") for path in ALL} == ALL
    with pytest.raises(TransferError, match="already contains files"):
        restore(tmp_path / "backup", replace(target, database=f"sqlite:///{tmp_path}/third.db"))


def test_a_connection_that_is_lost_while_it_is_read_is_noticed(settings):
    end = open_endpoint(settings.database)
    with end.reading():
        end.database.close()
        end.database.connect()
        with pytest.raises(TransferError, match="lost while reading"):
            end.rows("SELECT COUNT(*) FROM zoo_paper")
    end.close()
