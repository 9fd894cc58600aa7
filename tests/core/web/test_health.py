"""Whether the server lives and is ready, for who has no key."""

import logging
import shutil
from types import SimpleNamespace

import pytest

from core.contract.catalogue import catalogue
from core.storage import database
from core.testing import DATABASE_KINDS, statements, why_unavailable
from core.web import builtin_services as parts

ALL = {"database": "ok", "store": "ok", "modules": "ok"}


@pytest.fixture(autouse=True)
def look_each_time(monkeypatch):
    monkeypatch.setattr(parts, "KEPT", 0.0)


@pytest.fixture
def stranger(serve):
    return serve().client(None)


def not_ready(client, part):
    answer = client.simulate_get("/health/ready")
    assert answer.status_code == 503
    error = answer.json["error"]
    assert error["parts"] == ALL | {part: "failed"}
    assert error["message"] == f"Service Unavailable: not ready: {part}; see the log for the reason"
    assert set(error) == {"code", "message", "parts", "reason", "request_id"}
    assert client.get("/health/live") == {"live": True}


@pytest.mark.parametrize("prefix", ["", "/api/index.php"])
def test_a_server_is_ready(stranger, prefix):
    assert stranger.get(f"{prefix}/health/live") == {"live": True}
    assert stranger.get(f"{prefix}/health/ready") == {"ready": True, "parts": ALL, "degraded": []}
    assert stranger.simulate_head(f"{prefix}/health/live").status_code == 200
    stranger.ask("POST", f"{prefix}/health/live", status=405)
    stranger.get(f"{prefix}/health", status=404)


@pytest.mark.parametrize("key", ["wrong", "x" * 600])
def test_no_key_is_looked_at(serve, key):
    assert serve().client(key).get("/health/live") == {"live": True}


def test_to_live_touches_nothing(stranger, monkeypatch):
    def forbidden(*_, **__):
        raise AssertionError("the database was touched")

    database.close()
    monkeypatch.setattr(database.database.obj, "connect", forbidden)
    monkeypatch.setattr(database.database.obj, "execute_sql", forbidden)
    assert stranger.get("/health/live") == {"live": True}


def test_a_database_without_its_tables_is_not_ready(stranger):
    database.ensure_connected()
    database.database.execute_sql("ALTER TABLE comptoir_generation RENAME TO gone")
    not_ready(stranger, "database")
    database.ensure_connected()
    database.database.execute_sql("ALTER TABLE gone RENAME TO comptoir_generation")
    assert stranger.get("/health/ready")["ready"] is True


def test_a_store_that_is_gone_is_not_ready(serve, tmp_path):
    served = serve(documents=str(tmp_path / "kept"))
    stranger = served.client(None)
    assert stranger.get("/health/ready")["ready"] is True
    shutil.rmtree(tmp_path / "kept")
    not_ready(stranger, "store")
    (tmp_path / "kept").mkdir()
    assert stranger.get("/health/ready")["ready"] is True


def test_a_remote_store_is_asked(serve, monkeypatch):
    from fsspec.implementations.memory import MemoryFileSystem

    served = serve(documents="memory://health", workers=1)
    assert served.client(None).get("/health/ready")["ready"] is True

    def unreachable(*_, **__):
        raise ConnectionError("s3.internal.example:443")

    monkeypatch.setattr(MemoryFileSystem, "info", unreachable)
    not_ready(served.client(None), "store")


#: what makes a connection one that can only be read
_READ_ONLY = {
    "sqlite": "PRAGMA query_only = 1",
    "postgresql": "SET default_transaction_read_only = on",
    "mysql": "SET SESSION TRANSACTION READ ONLY",
}


@pytest.mark.parametrize("kind", DATABASE_KINDS)
def test_a_database_that_rejects_writes_is_not_ready_until_it_takes_one(serve, kind, monkeypatch):
    if reason := why_unavailable(kind):
        pytest.skip(reason)
    served = serve(kind)
    admin, stranger = served.client(), served.client(None)
    clock = [100.0]
    monkeypatch.setattr(parts, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    with statements() as asked:
        assert stranger.get("/health/ready")["parts"] == ALL
    assert not any(each.startswith(("UPDATE", "INSERT", "BEGIN")) for each in asked), "nothing is tried in vain"

    settle = type(database.database.obj)._configure

    def read_only(self, connection):
        settle(self, connection)
        cursor = connection.cursor()
        cursor.execute(_READ_ONLY[kind])
        cursor.close()

    with monkeypatch.context() as broken:
        broken.setattr(type(database.database.obj), "_configure", read_only)
        database.close()
        # Nobody has tried to write yet
        assert stranger.get("/health/ready")["ready"] is True
        admin.ask("POST", "/thirdparties", {"name": "Lost Ltd"}, status=503)
        not_ready(stranger, "database")
        admin.get("/thirdparties")
        clock[0] += parts.RETRY_SECONDS / 2
        with statements() as asked:
            not_ready(stranger, "database")
        assert not any(each.startswith("UPDATE") for each in asked), "not at every probe"
        clock[0] += parts.RETRY_SECONDS
        not_ready(stranger, "database")
    database.close()
    # Not tried again before its time
    not_ready(stranger, "database")
    clock[0] += parts.RETRY_SECONDS
    assert stranger.get("/health/ready")["parts"] == ALL
    admin.ask("POST", "/thirdparties", {"name": "Kept Ltd"})
    with statements() as asked:
        assert stranger.get("/health/ready")["parts"] == ALL
    assert not any(each.startswith("UPDATE") for each in asked)


def test_another_s_broken_file_costs_only_itself(serve, folder, write, monkeypatch):
    file = write("broken/class/api_broken.py", "import nothing_of_this_name\n")
    served = serve(modules=str(folder))
    stranger = served.client(None)
    stranger.get("/broken", status=501)
    ready = stranger.get("/health/ready")
    assert ready["parts"] == ALL | {"modules": "degraded"}
    assert ready["degraded"] == ["broken"]
    # the same file, were it one of the server's own
    monkeypatch.setattr(parts, "is_native", lambda file: True)
    write("broken/class/api_other.py", "import nothing_of_this_name\n")
    served.server.reloader.check()
    not_ready(stranger, "modules")
    assert file.exists()


def test_what_is_wrong_stands_in_the_log_once(serve, tmp_path, caplog):
    caplog.set_level(logging.WARNING, "comptoir.health")
    stranger = serve(documents=str(tmp_path / "kept")).client(None)
    for _ in range(3):
        stranger.get("/health/ready")
    shutil.rmtree(tmp_path / "kept")
    for _ in range(3):
        stranger.get("/health/ready", status=503)
    (tmp_path / "kept").mkdir()
    stranger.get("/health/ready")
    told = [record.getMessage() for record in caplog.records if record.name == "comptoir.health"]
    assert told == [
        "not ready: store: the documents folder does not exist or is not writable",
        "ready again: store",
    ]


def test_who_asks_often_costs_no_more(stranger, monkeypatch):
    looks = []
    monkeypatch.setattr(parts, "KEPT", 60.0)
    monkeypatch.setitem(parts.PARTS, "store", lambda: looks.append("store"))
    for _ in range(20):
        stranger.get("/health/ready")
    assert looks == ["store"]


@pytest.mark.parametrize("name", ["health", "metrics"])
def test_a_module_cannot_take_the_name(serve, folder, write, name):
    file = write(f"mine/class/api_{name}.py", f"class {name.title()}:\n    '''Mine.'''\n\n    def live(self): ...\n")
    stranger = serve(modules=str(folder)).client(None)
    (failure,) = [each for each in catalogue().failures if each.file == file]
    assert failure.reason == f"the name {name} is reserved for the server; choose another name"
    assert stranger.get("/health/live") == {"live": True}
    stranger.get("/metrics", status=401)


@pytest.mark.usefixtures("without_natives")
def test_a_part_of_a_module_can_be_degraded(serve, folder, write, caplog):
    text = "from core import on\n\n@on('health.degraded', when='before')\ndef tell(record):\n    {}\n"
    write("mill/events.py", text.format("record['parts']['mill'] = 'no wind'"))
    answer = serve(modules=str(folder)).client(None).get("/health/ready")
    assert answer == {"ready": True, "parts": ALL | {"mill": "degraded"}, "degraded": ["mill: no wind"]}
    write("mill/events.py", text.format("raise ValueError('no mill')"))
    assert serve(modules=str(folder)).client(None).get("/health/ready")["degraded"] == []
    assert "a handler of health.degraded failed" in caplog.text
