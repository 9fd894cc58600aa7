"""`backup`, `restore` and `copy` as one types them, and the commands that modules bring."""

import json
from pathlib import Path

import pytest

from core.commands.terminal import progress_bar

pytestmark = pytest.mark.usefixtures("without_natives")


@pytest.fixture
def other(tmp_path):
    """Variables of a second place."""
    return {"COMPTOIR_DATABASE": f"sqlite:///{tmp_path}/second.db", "COMPTOIR_DOCUMENTS": str(tmp_path / "elsewhere")}


def logins(run, **more):
    """The users of a database."""
    return [each["login"] for each in json.loads(run("user", "list", "--json", **more).stdout)]


def test_a_backup_is_made_and_restored(run, other, tmp_path):
    run("user", "add", "ada")
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents/x.txt").write_text("12345")
    told = json.loads(run("backup", str(tmp_path / "backup"), "--json").stdout)
    assert (told["files"], told["bytes"], told["missing"], told["tables"]["llx_user"]["rows"]) == (1, 5, [], 1)
    assert "1 file (5 bytes)" in run("restore", str(tmp_path / "backup"), **other).stdout
    assert logins(run, **other) == ["ada"]
    assert (tmp_path / "elsewhere/x.txt").read_text() == "12345"
    assert (
        "Use an empty database"
        in run(
            "restore", str(tmp_path / "backup"), code=1, **other | {"COMPTOIR_DOCUMENTS": str(tmp_path / "third")}
        ).output
    )
    assert "not empty" in run("backup", str(tmp_path / "backup"), code=1).output


def test_a_database_is_copied(run, other):
    run("user", "add", "ada")
    told = json.loads(run("copy", "--to", other["COMPTOIR_DATABASE"], "--json").stdout)
    assert told["tables"]["llx_user"]["rows"] == 1
    assert logins(run, **other) == ["ada"]
    assert "Use an empty database" in run("copy", "--to", other["COMPTOIR_DATABASE"], code=1).output
    own = f"sqlite:///{Path(other['COMPTOIR_DATABASE'][10:]).parent}/commands.db"
    assert "expected another database" in run("copy", "--to", own, code=2).output


@pytest.mark.parametrize(
    ("url", "reason"), [("oracle://x", "expected a URL"), ("postgresql://me:pass@127.0.0.1:1/x", "refused")]
)
def test_a_target_that_cannot_be_opened_is_said_plainly(run, url, reason):
    run("user", "add", "ada")
    output = run("copy", "--to", url, code=1).output
    assert "can't open the target database" in output and reason in output
    assert "pass" not in output


def test_a_bar_shows_how_much_is_done(monkeypatch, capsys):
    show = progress_bar("Copying")
    show(1, 2)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    show(1, 2)
    half = capsys.readouterr().err
    assert "50%" in half and half.count("#") == 15
    show(2, 2)
    assert "100%" in capsys.readouterr().err


COMMAND = '''"""Count the cards."""

import click

from ..models import Card


@click.command()
@click.option("--twice", is_flag=True)
def {name}(twice: bool) -> None:
    """Count the cards, twice if wanted."""
    click.echo(Card.select().count() * (2 if twice else 1))
'''


def test_a_module_brings_commands(run, loyalty):
    file = loyalty / "loyalty/commands/cards.py"
    file.parent.mkdir()
    file.write_text(COMMAND.format(name="cards"))
    listed = run("--help").stdout
    assert listed.index("  serve ") < listed.index("  cards ")
    assert "Count the cards." in listed
    assert "twice if wanted" in run("cards", "--help").stdout
    run("user", "add", "ada")
    assert run("cards", "--twice").stdout == "0\n"
    assert "No such option" in run("cards", "--thrice", code=2).output


@pytest.mark.parametrize(("text", "reason"), [
    ("import nothing_of_this_name", "nothing_of_this_name"), ("this is no Python", "SyntaxError"),
    (COMMAND.format(name="others"), "expected a click command named cards"),
])  # fmt: skip
def test_a_command_that_cannot_be_loaded_costs_itself(run, loyalty, text, reason):
    file = loyalty / "loyalty/commands/cards.py"
    file.parent.mkdir()
    file.write_text(text)
    assert "  cards" in run("--help").stdout
    run("user", "add", "ada")
    output = run("cards", code=1).output
    assert str(file) in output and reason in output
    run("user", "list")


def test_a_module_takes_no_command_of_the_core(run, loyalty):
    file = loyalty / "loyalty/commands/user.py"
    file.parent.mkdir()
    file.write_text(COMMAND.format(name="user"))
    run("user", "add", "ada")
    assert logins(run) == ["ada"]
