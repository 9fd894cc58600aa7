"""The scheme of a URL selects the backend, which checks the rest of the URL."""

import subprocess
import sys

import pytest

from core.common.settings import SettingError, Settings
from core.storage.database import DatabaseUrlError, backend_of, backends, is_missing
from core.storage.postgresql import Postgresql


def test_each_scheme_has_its_kind():
    assert {scheme: kind.name for scheme, kind in backends().items()} == {
        "sqlite": "sqlite", "postgresql": "postgresql", "postgres": "postgresql", "mysql": "mysql", "mariadb": "mysql",
    }  # fmt: skip
    assert backend_of("MariaDB://host/name").name == "mysql"


def test_no_driver_is_imported_for_another_database():
    """Only SQLite's is part of Python."""
    missing = "import sys; sys.modules |= dict.fromkeys(['pymysql', 'MySQLdb', 'psycopg'])"
    run = f"{missing}; from core.storage.database import backend_of; print(backend_of('sqlite:///x.db').name)"
    ran = subprocess.run([sys.executable, "-c", run], capture_output=True, text=True, check=False)
    assert (ran.stdout, ran.stderr) == ("sqlite\n", "")


def test_another_scheme_is_rejected_with_those_that_exist():
    with pytest.raises(
        DatabaseUrlError, match="expected a URL that starts with mysql://, postgresql:// or sqlite://, "
    ):
        backend_of("oracle://me:secret@host/name")


def test_a_wrong_url_is_reported_with_the_other_wrong_settings():
    with pytest.raises(SettingError) as error:
        Settings.from_environment({"COMPTOIR_DATABASE": "oracle://x", "COMPTOIR_THREADS": "0"})
    assert [each.partition(":")[0] for each in error.value.wrong] == ["COMPTOIR_DATABASE", "COMPTOIR_THREADS"]


def test_a_missing_driver_is_reported_with_what_to_install(monkeypatch):
    monkeypatch.setattr(Postgresql, "drivers", ("no_such_driver",))
    url = "postgresql://me:secret@host/name"
    with pytest.raises(
        SettingError, match=r"the postgresql driver is missing; install it: .* install 'psycopg\[binary"
    ):
        Settings.from_environment({"COMPTOIR_DATABASE": url})


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("mysql://ada:p%40ss@host:3307/name", {"database": "name", "user": "ada", "host": "host", "port": 3307}),
        ("mariadb://ada@host/name?connect_timeout=9", {"database": "name", "connect_timeout": 9, "charset": "utf8mb4"}),
        ("postgres://ada:p%40ss@a,b/name", {"database": "name", "password": "p@ss", "host": "a,b"}),
        ("sqlite:////srv/x.db", {"database": "/srv/x.db", "lock_type": "IMMEDIATE"}),
    ],
)
def test_a_database_is_opened_with_the_options_of_its_url(url, expected):
    options = backend_of(url).options_of(url)
    assert {name: options[name] for name in expected} == expected


def test_only_a_file_can_be_missing(tmp_path):
    file = tmp_path / "x.db"
    assert backend_of("sqlite:").file_of(f"sqlite:///{file}") == file
    assert backend_of("postgresql:").file_of("postgresql://host/name") is None
    assert is_missing(f"sqlite:///{file}") and not is_missing("mysql://host/name")
    file.touch()
    assert is_missing(f"sqlite:///{file}")
    file.write_bytes(b"SQLite format 3\x00")
    assert not is_missing(f"sqlite:///{file}")
