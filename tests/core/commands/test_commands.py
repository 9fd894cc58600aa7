"""The command line: users, keys, rights, routes, demonstration data, and what it says when something is wrong."""

import json
import os
import re
import stat
import subprocess
import sys
from datetime import datetime, timedelta
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import click.testing
import peewee
import pytest

from core import ApiError
from core.access.accounts import Account, Grant, Group
from core.access.keys import Key, find_caller
from core.access.passwords import find_account, verify_password
from core.commands.first_administrator import key_file
from core.common.clock import now
from core.common.settings import Settings
from core.storage.database import close, ensure_connected, open_database
from modules.users.passwords import hashed
from tests.core.storage.filters import MARIADB, POSTGRESQL, SQLITE


@pytest.fixture
def tables(variables):
    """Open the database that the commands write to."""

    def look():
        open_database(variables["COMPTOIR_DATABASE"])
        ensure_connected()

    yield look
    close()


def caller_of(key):
    caller = find_caller(key)
    assert caller is not None
    return caller


# Users ---------------------------------------------------------------------------------------------------------------


def test_users_are_added_listed_disabled_and_enabled(run):
    assert "key add ada" in run("user", "add", "ada", "--lastname", "Lovelace").output
    run("user", "add", "root", "--admin")
    listed = json.loads(run("user", "list", "--json").output)
    assert [(each["login"], each["lastname"], each["admin"], each["active"]) for each in listed] == [
        ("ada", "Lovelace", False, True),
        ("root", "root", True, True),
    ]
    run("user", "disable", "ada")
    assert "disabled" in run("user", "list").output
    run("user", "enable", "ada")
    assert "disabled" not in run("user", "list").output


def test_a_user_is_added_once(run):
    run("user", "add", "ada")
    assert "already" in run("user", "add", "ada", code=1).output


@pytest.mark.parametrize("login", ["", " ada", "a" * 51])
def test_a_login_that_cannot_be_is_refused(run, login):
    assert "LOGIN: expected 1 to 50 characters" in run("user", "add", login, code=2).output


def test_a_password_is_read_and_kept_as_a_hash(run, tables):
    run("user", "add", "ada", "--password-from-stdin", input="correct horse\n")
    tables()
    assert verify_password(find_account("ada"), "correct horse")
    assert not verify_password(find_account("ada"), "wrong horse")
    assert "12 to 1024 characters" in run("user", "add", "bob", "--password-from-stdin", input="short\n", code=1).output
    tables()
    assert Account.get_or_none(Account.login == "bob") is None


@pytest.mark.parametrize("wrong", ["", "eleven char", "x" * 1025, " twelve characters", "twelve characters "])
def test_a_password_that_the_api_rejects_is_not_set(run, tables, wrong):
    with pytest.raises(ApiError):
        hashed(wrong)
    run("user", "add", "ada", "--password-from-stdin", input="correct horse\n")
    assert "nothing was changed" in run("user", "password", "ada", input=f"{wrong}\n", code=1).output
    tables()
    assert verify_password(find_account("ada"), "correct horse")


def test_a_password_is_asked_for_twice_on_a_terminal(run, tables, monkeypatch):
    run("user", "add", "ada")
    said = iter(("correct horse", "correct house", "correct horse", "correct horse"))
    monkeypatch.setattr(click.testing._NamedTextIOWrapper, "isatty", lambda self: True, raising=False)
    monkeypatch.setattr("click.prompt", lambda *arguments, **more: next(said))
    assert "differ; nothing was changed" in run("user", "password", "ada", code=1).output
    assert "Set the password of ada" in run("user", "password", "ada").output
    tables()
    assert verify_password(find_account("ada"), "correct horse")


def test_an_external_user_belongs_to_a_third_party_that_exists(run):
    assert "no third party 7" in run("user", "add", "ext", "--thirdparty", "7", code=1).output
    assert "can't be an administrator" in run("user", "add", "ext", "--admin", "--thirdparty", "7", code=2).output


def test_the_only_administrator_cannot_be_disabled(run):
    run("user", "add", "root", "--admin")
    assert "only active administrator" in run("user", "disable", "root", code=1).output
    run("user", "add", "other", "--admin")
    run("user", "disable", "root")


def test_an_unknown_user_is_said_with_the_way_to_the_others(run):
    run("user", "add", "ada")
    for command in (["user", "disable"], ["key", "add"], ["key", "list"]):
        output = run(*command, "nobody", code=1).output
        assert "nobody" in output
        assert "user list" in output


# Keys ----------------------------------------------------------------------------------------------------------------


def test_a_key_is_printed_once_and_works(run, tables):
    run("user", "add", "ada")
    key = run("key", "add", "ada", "--label", "laptop").stdout.strip()
    tables()
    assert caller_of(key).login == "ada"
    assert key not in run("key", "list", "ada").output
    assert "laptop" in run("key", "list", "ada").output


@pytest.mark.usefixtures("without_natives")
def test_a_key_ends_and_is_restricted(run, tables):
    run("user", "add", "root", "--admin")
    right = ("--right", "loyaltycards.read", "--right", "loyaltycards.spend")
    made = json.loads(run("key", "add", "root", "--days", "3", *right, "--json").output)
    tables()
    caller = caller_of(made["key"])
    assert caller.holds("loyaltycards.spend")
    assert not caller.holds("loyaltycards.write")
    expires = Key.get().expires
    assert expires is not None
    assert timedelta(days=2) < expires - now() <= timedelta(days=3)


@pytest.mark.usefixtures("without_natives")
def test_a_key_is_not_restricted_to_a_right_that_is_none(run):
    run("user", "add", "ada")
    output = run("key", "add", "ada", "--right", "loyaltycards.fly", code=1).output
    assert "loyaltycards.fly" in output
    assert "loyaltycards.read" in output


def test_a_key_is_restricted_to_addresses_and_a_rate(run):
    run("user", "add", "ada")
    asked = ("--address", "10.0.0.0/25", "--address", "10.0.0.128/25", "--address", "192.0.2.7", "--rate", "60")
    made = json.loads(run("key", "add", "ada", *asked, "--json").output)
    assert (made["addresses"], made["rate"]) == (["10.0.0.0/24", "192.0.2.7"], 60)
    assert "10.0.0.0/24 192.0.2.7" in run("key", "list").output
    refused = run("key", "add", "ada", "--address", "office", "--address", "10.0.0.5/24", code=2).output
    assert "'office'" in refused
    assert "did you mean 10.0.0.0/24?" in refused
    assert len(json.loads(run("key", "list", "--json").output)) == 1


def test_keys_of_all_are_listed_and_those_that_nobody_uses(run, tables):
    for login in ("ada", "bob"):
        run("user", "add", login)
        for label in ("used", "old", "new"):
            run("key", "add", login, "--label", label)
    tables()
    for label, days in (("used", 1), ("old", 31)):
        Key.update(last_use=now() - timedelta(days=days)).where(Key.label == label).execute()
    Key.update(created=now() - timedelta(days=40)).execute()
    # A key that nobody has used yet isn't forgotten
    Key.update(created=now() - timedelta(days=20)).where(Key.label == "new", Key.user == 1).execute()
    close()

    def listed(*arguments):
        found = json.loads(run("key", "list", *arguments, "--json").output)
        assert set(found[0]) == {
            "id", "login", "label", "created", "last_use", "rights", "addresses", "expires", "rate",
        }  # fmt: skip
        return [(each["login"], each["label"]) for each in found]

    assert listed() == [(login, label) for login in ("ada", "bob") for label in ("used", "old", "new")]
    assert listed("bob") == [("bob", "used"), ("bob", "old"), ("bob", "new")]
    assert listed("--unused", "30") == [("ada", "old"), ("bob", "old"), ("bob", "new")]
    assert listed("ada", "--unused", "19") == [("ada", "old"), ("ada", "new")]
    assert listed("bob", "--unused", "32") == [("bob", "new")]
    heads, *rows = run("key", "list", "--unused", "30").output.splitlines()
    assert heads.split()[:3] == ["ID", "USER", "LABEL"]
    assert len(rows) == 3


def test_a_key_is_revoked(run, tables):
    run("user", "add", "ada")
    key = run("key", "add", "ada").stdout.strip()
    number = json.loads(run("key", "list", "ada", "--json").output)[0]["id"]
    run("key", "revoke", str(number))
    tables()
    assert find_caller(key) is None
    assert "no key" in run("key", "revoke", str(number), code=1).output


# Rights --------------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("without_natives")
def test_rights_are_granted_listed_and_removed(run):
    run("user", "add", "ada")
    run("grant", "ada", "loyaltycards.read", "loyaltycards.write")
    run("grant", "ada", "loyaltycards.read")
    assert run("grant", "ada", "--list").output.split() == ["loyaltycards.read", "loyaltycards.write"]
    run("grant", "ada", "--remove", "loyaltycards.write")
    assert json.loads(run("grant", "ada", "--list", "--json").output) == ["loyaltycards.read"]
    granted = run("grant", "ada", "loyaltycards.delete", "--json").output
    assert json.loads(granted) == ["loyaltycards.delete", "loyaltycards.read"]


@pytest.mark.usefixtures("without_natives")
def test_a_group_is_granted_rights(run, tables):
    run("user", "add", "ada")
    assert "create it with POST /users/groups" in run("grant", "--group", "sales", "loyaltycards.read", code=1).output
    tables()
    Group.create(name="sales")
    run("grant", "--group", "sales", "loyaltycards.read")
    assert run("grant", "--group", "sales", "--list").output.split() == ["loyaltycards.read"]
    tables()
    assert "sales" in run("grant", "--group", "buyers", "loyaltycards.read", code=1).output


@pytest.mark.usefixtures("without_natives")
def test_an_unknown_right_is_refused_with_those_there_are(run):
    run("user", "add", "ada")
    output = run("grant", "ada", "loyaltycards.spent", code=1).output
    assert "loyaltycards.spend" in output
    assert "grant --list" in output
    listed = run("grant", "--list").output.split()
    # Declared ones, and those that an operation needs
    assert {"loyaltycards.spend", "loyaltycards.read"} <= {*listed} and "loyaltycards.pay" not in listed


@pytest.mark.usefixtures("without_natives")
def test_a_right_that_no_longer_exists_can_be_taken_away(run, tables):
    run("user", "add", "ada")
    tables()
    Grant.create(user=Account.get().id, name="gone.read")
    run("grant", "ada", "--remove", "gone.read")
    assert run("grant", "ada", "--list").output == ""


@pytest.mark.usefixtures("without_natives")
def test_grant_says_what_it_misses(run):
    assert "LOGIN" in run("grant", code=2).output
    assert "RIGHT" in run("grant", "ada", code=2).output


# Routes --------------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("without_natives")
def test_routes_lists_every_route_and_every_failure(run, folder):
    broken = folder / "broken/class/api_broken.py"
    broken.parent.mkdir(parents=True)
    broken.write_text("import there_is_no_such_module")
    output = run("routes").output
    assert ["POST", "/loyaltycards/{id}/spend", "loyaltycards.spend"] in [
        line.split()[:3] for line in output.splitlines()
    ]
    assert "there_is_no_such_module" in output
    told = json.loads(run("routes", "--json").output)
    spend = next(each for each in told["routes"] if each["path"] == "/loyaltycards/{id}/spend")
    assert spend == {
        "verb": "POST",
        "path": "/loyaltycards/{id}/spend",
        "permission": "loyaltycards.spend",
        "summary": "Spend points from a card.",
    }
    assert [Path(each["file"]) for each in told["failures"]] == [broken]


# Demonstration data --------------------------------------------------------------------------------------------------

DEMO = """
from modules.loyalty.models import cards

{after}

def make(random, today):
    cards.create({{"number": f"{name} {{random.randint(1, 1000)}} {{today}}"}})
    {end}
"""


@pytest.fixture
def demo(folder):
    def write(name, after="", end=""):
        (folder / name).mkdir(exist_ok=True)
        (folder / name / "demo.py").write_text(DEMO.format(name=name, after=after, end=end))

    return write


def numbers(tables):
    from core.storage.database import query

    tables()
    return [number for (number,) in query("SELECT number FROM loyalty_card ORDER BY id")]


def test_demonstration_data_is_made_in_order_and_alike_each_time(
    run, demo, tables, without_natives, tmp_path, monkeypatch
):
    demo("alpha", after='AFTER = ("gamma", "not_there")')
    demo("beta")
    demo("gamma")
    clock = SimpleNamespace(now=lambda zone: datetime(2028, 2, 29, 23, 59, 59, tzinfo=zone))
    monkeypatch.setattr(import_module("core.commands.demo"), "datetime", clock)
    output = run("demo").output
    file = tmp_path / "first-key.txt"
    assert f"is in {file}" in output and "key revoke ID" in output
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    key = file.read_text().strip()
    assert key not in output
    tables()
    assert caller_of(key).login == "admin"
    first = numbers(tables)
    assert [each.split()[::2] for each in first] == [[name, "2028-02-29"] for name in ("gamma", "alpha", "beta")]
    other = {"COMPTOIR_DATABASE": f"sqlite:///{tmp_path}/other.db"}
    run("demo", **other)
    open_database(other["COMPTOIR_DATABASE"])
    ensure_connected()
    assert numbers(lambda: None) == first


def test_a_module_whose_data_fails_costs_itself_and_those_behind_it(run, demo, tables, without_natives):
    demo("alpha", end="raise ValueError('no')")
    demo("beta", after='AFTER = ("alpha",)')
    demo("gamma")
    output = run("demo", code=1).output
    assert "ValueError: no" in output
    assert "alpha, beta" in output
    assert [each.split()[0] for each in numbers(tables)] == ["gamma"]


def test_demonstration_data_does_not_go_where_somebody_works(run, demo, without_natives):
    demo("alpha")
    run("user", "add", "root", "--admin")
    run("demo")
    run("user", "add", "ada")
    assert "--again" in run("demo", code=1).output


# `make run` makes it in CI, too
@pytest.mark.slow
@pytest.mark.lasting
def test_the_demonstration_data_of_the_natives_is_made(run):
    run("demo", COMPTOIR_MODULES="")
    assert "COMPTOIR_DATABASE" in run("demo", code=1, COMPTOIR_MODULES="").output


# What is wrong -------------------------------------------------------------------------------------------------------


#: what cannot be anywhere → what is said of it
IMPOSSIBLE = [
    ("DATABSE", "sqlite:///x.db", "did you mean COMPTOIR_DATABASE?"),
    ("FLUX_CAPACITOR", "1", "run `comptoir settings`"),
    ("DATABASE", "sqlite:///", "three slashes"),
    ("DATABASE", "sqlite://data/x.db", "three slashes"),
    ("DATABASE", "sqlite:///:memory:", "three slashes"),
    ("DATABASE", "postgresql://host:port/x", "the port"),
    ("DATABASE", "postgresql://host:99999/x", "the port"),
    ("DATABASE", "mysql://host/", "a database name"),
    ("DATABASE", "mysql://[::1/x", "expected a URL"),
    ("DOCUMENTS", "", "expected a folder"),
    ("DOCUMENTS", "s4://bucket", "s4://"),
    ("BIND", "127.0.0.1", "with a port"),
    ("BIND", "127.0.0.1:65536", "with a port"),
    ("WORKERS", "0", "from 1 to 512"),
    ("WORKERS", "100000", "from 1 to 512"),
    ("TIMEOUT", "-1", "from 1"),
    ("MAX_PAGE", "99999999999", "from 1"),
    ("ADMIN_KEY", "a-short-secret", "20 to 512"),
    ("ADMIN_KEY", "a key with some spaces in it", "got a key that contains spaces"),
    ("ORIGINS", "https://a.example/path", "expected https://a.example, because"),
    ("ORIGINS", "shop.example", "origins such as https://shop.example"),
    ("PROXIES", "my-proxy", "10.0.0.0/24"),
    ("PROFILE", "x", "'x'"),
    ("TIMEZONE", "Mars/Olympus", "'Mars/Olympus'"),
    ("LOG", "loud", "'loud'"),
]


@pytest.mark.parametrize(("name", "value", "said"), IMPOSSIBLE)
def test_what_no_setting_can_be_is_refused_by_every_command(run, name, value, said):
    output = run("key", "list", "ada", code=2, **{f"COMPTOIR_{name}": value}).output
    assert f"COMPTOIR_{name}: " in output
    assert said in output
    assert name != "ADMIN_KEY" or value not in output, "it is a secret"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("BIND", "127.0.0.1:8000,[::1]:8000,unix:/run/x.sock"),
        ("PROXIES", "127.0.0.1, 10.0.0.0/24,::1"),
        ("PROXIES", ""),
        ("ORIGINS", "https://shop.example http://localhost:3000 https://[::1]:8443"),
        ("ADMIN_KEY", "0123456789abcdef0123"),
        ("TEST_MYSQL", "mysql://root@127.0.0.1/test"),
        # What Kubernetes sets for a service that is called comptoir
        ("SERVICE_HOST", "10.0.0.1"),
        ("PORT_8000_TCP_ADDR", "10.0.0.1"),
        ("PORT", "tcp://10.0.0.1:8000"),
    ],
)
def test_what_a_setting_can_be_is_taken(run, name, value):
    run("user", "add", "ada", **{f"COMPTOIR_{name}": value})


def test_a_server_says_at_once_all_that_this_machine_lacks(run, tmp_path):
    (tmp_path / "file").write_text("no database")
    (tmp_path / "more").mkdir()
    wrong = {
        "COMPTOIR_DATABASE": f"sqlite:///{tmp_path}/file",
        "COMPTOIR_DOCUMENTS": f"{tmp_path}/file/documents",
        "COMPTOIR_MODULES": f"{tmp_path}/more:{tmp_path}/gone",
        "COMPTOIR_LOG": "loud",
    }
    lines = run("serve", code=2, **wrong).output.splitlines()
    assert lines[0] == "Error: 4 settings are invalid:"
    said = {line.split(": ")[0].strip(): line for line in lines[1:]}
    assert set(said) == set(wrong)
    assert f"{tmp_path}/gone" in said["COMPTOIR_MODULES"]
    assert f"{tmp_path}/file is a file" in said["COMPTOIR_DOCUMENTS"]
    memory = {"COMPTOIR_DOCUMENTS": "memory://x", "COMPTOIR_WORKERS": "2"}
    assert "COMPTOIR_WORKERS=1" in run("serve", code=2, **memory).output


def test_an_option_of_a_url_that_no_driver_knows_is_said_plainly(run, tmp_path):
    output = run("user", "add", "ada", code=2, COMPTOIR_DATABASE=f"sqlite:///{tmp_path}/x.db?flux=1").output
    assert "COMPTOIR_DATABASE" in output
    assert "flux" in output


def _error_of_sqlite(file):
    """What peewee makes of a file that cannot be opened."""
    with pytest.raises(peewee.OperationalError) as raised:
        peewee.SqliteDatabase(file).connect()
    return raised.value


@pytest.mark.parametrize(
    ("backend", "error", "helps"),
    [
        (MARIADB, peewee.OperationalError(2003, "Can't connect to MySQL server on '127.0.0.1'"), True),
        (MARIADB, peewee.OperationalError(1045, "Access denied for user"), False),
        (MARIADB, peewee.OperationalError(1049, "Unknown database 'x'"), False),
        (POSTGRESQL, peewee.OperationalError("connection refused"), True),
        (POSTGRESQL, peewee.OperationalError("FATAL:  the database system is starting up"), True),
        (POSTGRESQL, peewee.OperationalError("FATAL:  sorry, too many clients already"), True),
        (POSTGRESQL, peewee.OperationalError('FATAL:  password authentication failed for user "x"'), False),
        (POSTGRESQL, peewee.OperationalError('FATAL:  database "x" does not exist'), False),
        (SQLITE, _error_of_sqlite("/no such folder/x.db"), False),
        (SQLITE, _error_of_sqlite("/"), False),
    ],
)
def test_a_server_waits_only_where_waiting_may_help(backend, error, helps):
    assert backend.is_worth_waiting(error) is helps


@pytest.mark.parametrize("url", ["oracle://x", "nothing", ""])
def test_a_database_url_that_is_none_is_said_plainly(run, url):
    assert "COMPTOIR_DATABASE" in run("user", "list", code=2, COMPTOIR_DATABASE=url).output


# peewee hands the password to PyMySQL under its old name
@pytest.mark.filterwarnings("ignore:'passwd' is deprecated")
@pytest.mark.parametrize("kind", ["postgresql", "mysql"])
def test_a_database_that_is_away_is_said_without_its_password(run, kind):
    output = run("user", "list", code=1, COMPTOIR_DATABASE=f"{kind}://me:pass%40word@127.0.0.1:1/x").output
    assert "COMPTOIR_DATABASE" in output
    assert "127.0.0.1:1" in output
    assert "pass" not in output


@pytest.mark.parametrize(
    ("url", "advice"),
    [
        ("postgresql://me:secret@word@host/x", "write @ in the password as %40"),
        ("postgresql://me:secret%word@host/x", "write special characters as %XX"),
        ("postgresql://me:secret@a,b:0/x?target_session_attrs=read-write", "the port"),
        ("postgresql://me:secret@host/x?colour=blue", "only options that libpq knows"),
        ("postgresql://me:secret@host/", "got no name"),
        ("mysql://me:secret@a:3306,b:3306/x", "expected one host, got several; put HAProxy in front"),
    ],
)
def test_a_url_that_the_driver_could_not_use_is_rejected_without_its_password(run, url, advice):
    output = run("user", "list", code=2, COMPTOIR_DATABASE=url).output
    assert advice in output
    assert "secret" not in output and "word" not in output.replace("password", "")


@pytest.mark.skipif(os.getuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_said_plainly(run, tmp_path):
    tmp_path.chmod(0o500)
    assert str(tmp_path) in run("user", "list", code=1, COMPTOIR_DATABASE=f"sqlite:///{tmp_path}/new/x.db").output


@pytest.mark.parametrize(("bind", "code"), [("127.0.0.1:99999", 2), ("127.0.0.1:http", 2), ("192.0.2.1:80", 1)])
def test_an_address_that_cannot_be_is_said_plainly(run, bind, code):
    output = run("serve", code=code, COMPTOIR_BIND=bind).output
    assert "COMPTOIR_BIND" in output
    assert bind in output


def test_the_module_runs_as_a_program():
    import subprocess

    told = subprocess.run([sys.executable, "-m", "core", "--help"], capture_output=True, text=True, check=True)
    assert told.stdout.startswith("Usage: comptoir [OPTIONS]")
    for name in ("serve", "demo", "settings", "user", "key", "grant", "check", "routes", "new"):
        assert f"  {name} " in told.stdout


def test_settings_are_listed_with_value_default_and_meaning_and_without_secrets(run):
    given = {
        "COMPTOIR_THREADS": "12",
        "COMPTOIR_ADMIN_KEY": "0123456789abcdef0123",
        "COMPTOIR_DATABASE": "postgresql://ada:secret@a:5432,b:5432/name?password=secret&target_session_attrs=read-write",
    }
    output = run("settings", **given).output
    assert "\nServer\n" in output
    assert "  COMPTOIR_THREADS = 12  (default: 8)\n      Requests that each worker" in output
    assert "  COMPTOIR_TIMEOUT = 30\n" in output
    assert "  COMPTOIR_ORIGINS = (empty)\n" in output
    assert "secret" not in output and given["COMPTOIR_ADMIN_KEY"] not in output
    assert "://ada:…@a:5432,b:5432/name?…" in output
    told = json.loads(run("settings", "--json", **given).stdout)
    assert told["problems"] == []
    listed = {each["name"]: each for each in told["settings"]}
    threads = listed["COMPTOIR_THREADS"]
    assert (threads["value"], threads["default"], threads["is_set"], threads["problem"]) == ("12", "8", True, "")
    assert listed["COMPTOIR_ADMIN_KEY"]["value"] == "(hidden)"


def test_settings_are_listed_although_some_are_wrong(run):
    wrong = {"COMPTOIR_THREADS": "many", "COMPTOIR_THREDS": "2"}
    result = run("settings", code=2, **wrong)
    assert "COMPTOIR_THREADS = many  (default: 8)" in result.stdout
    assert result.stderr.splitlines() == [
        "Error: 2 settings are invalid:",
        "  COMPTOIR_THREDS: unknown setting; did you mean COMPTOIR_THREADS?",
        "  COMPTOIR_THREADS: expected a whole number, got 'many'",
    ]
    told = json.loads(run("settings", "--json", code=2, **wrong).stdout)
    assert len(told["problems"]) == 2
    assert [each["name"] for each in told["settings"] if each["problem"]] == ["COMPTOIR_THREADS"]


# Version, first key --------------------------------------------------------------------------------------------------


def test_the_version_comes_with_the_commit_of_the_checkout(run):
    here = Path(__file__).parents[3]
    asked = subprocess.run(["git", "-C", here, "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
    printed = run("--version").output
    assert re.match(r"comptoir \d+\.\d+", printed)
    if (here / ".git").exists() and asked.returncode == 0:
        assert asked.stdout.startswith(printed.partition("(")[2].rstrip(")\n"))


@pytest.mark.parametrize(
    ("database", "documents", "expected"),
    [
        ("sqlite:////srv/data/comptoir.db", "/srv/data/documents", "/srv/data/first-key.txt"),
        ("sqlite:////srv/files/comptoir.db", "/srv/files", "/srv/first-key.txt"),
        ("postgresql://localhost/comptoir", "/srv/files", "/srv/first-key.txt"),
        ("sqlite:////srv/data/comptoir.db", "s3://bucket/files", "/srv/data/first-key.txt"),
    ],
)
def test_the_first_key_is_kept_outside_of_the_documents(database, documents, expected):
    assert str(key_file(Settings(database=database, documents=documents))) == expected


def test_a_file_that_exists_is_not_overwritten_by_the_first_key(run, without_natives, tmp_path):
    (tmp_path / "first-key.txt").write_text("mine")
    output = run("demo").output
    assert "can't write the key" in output and "key add admin" in output
    assert (tmp_path / "first-key.txt").read_text() == "mine"
