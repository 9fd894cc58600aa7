"""`comptoir new`: a module that works, and never over anything."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click.testing
import pytest

from core.__main__ import main
from core.commands.new import names_of
from core.loading.folders import look

ROOT = Path(__file__).parents[3]

Run = Callable[..., click.testing.Result]


@pytest.fixture
def new(folder):
    def run(*arguments, code=0, modules=None):
        environment = dict.fromkeys(name for name in os.environ if name.startswith("COMPTOIR_"))
        environment["COMPTOIR_MODULES"] = str(folder) if modules is None else modules
        result = click.testing.CliRunner().invoke(main, ["new", *arguments], env=environment, catch_exceptions=False)
        assert result.exit_code == code, result.output
        return result

    return run


def files(folder):
    return {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}


def python(*arguments, **variables):
    return subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=ROOT,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


# Each starts four programs
@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "plural", "service"),
    [
        pytest.param("depot", "supply_boxes", "depotsupplyboxes", marks=pytest.mark.lasting),
        ("subscriptions", "subscriptions", "subscriptions"),
        pytest.param("loyalty", "cards", "loyaltycards", marks=pytest.mark.lasting),
        pytest.param("news", "entries", "newsentries", marks=pytest.mark.lasting),
        pytest.param("farm", "sheep", "farmsheep", marks=pytest.mark.lasting),
        pytest.param("sheep", "sheep", "sheep", marks=pytest.mark.lasting),
    ],
)
def test_a_new_module_passes_its_test_the_check_and_the_linter(new, folder, module, plural, service):
    output = new(module, plural).output
    assert files(folder) == {
        f"{module}/DRAFT",
        f"{module}/models.py",
        f"{module}/class/api_{service}.py",
        f"{module}/tests/test_{service}.py",
    }
    assert f"python -m pytest {folder}/{module}/tests" in output
    assert f"/{service}" in output
    tested = python("pytest", "-q", "-p", "no:cacheprovider", str(folder / module / "tests"))
    assert tested.returncode == 0, tested.stdout
    assert "2 passed" in tested.stdout
    checked = python("core", "check", str(folder / module), COMPTOIR_MODULES="")
    assert checked.returncode == 0, checked.stdout
    assert f"/{service}/{{id}}" in checked.stdout
    for command in (["check"], ["format", "--check"]):
        linted = python("ruff", *command, "--no-cache", "--config", "pyproject.toml", str(folder))
        assert linted.returncode == 0, linted.stdout


def test_nothing_is_written_over(new, folder):
    mine = folder / "loyalty" / "models.py"
    mine.parent.mkdir()
    mine.write_text("mine")
    output = new("loyalty", "cards", code=1).output
    assert str(mine) in output
    assert "nothing was written" in output
    assert files(folder) == {"loyalty/models.py"}
    assert mine.read_text() == "mine"


def test_nothing_stays_when_not_all_can_be_written(new, folder):
    (folder / "loyalty").mkdir()
    (folder / "loyalty" / "class").write_text("a file where a folder belongs")
    assert "loyalty/class" in new("loyalty", "cards", code=1).output
    assert files(folder) == {"loyalty/class"}


@pytest.mark.parametrize(
    ("module", "plural"),
    [
        ("../x", "cards"),
        ("Loyalty", "cards"),
        ("1st", "cards"),
        ("class", "cards"),
        ("loyalty", "import"),
        ("loyalty", "ca-rds"),
        ("", "cards"),
        ("loyalty", "models"),
        ("loyalty", "any"),
        ("ap", "i"),
        ("explo", "rer"),
        ("a" * 40, "cards"),
    ],
)
def test_a_name_that_cannot_be_is_refused(new, folder, module, plural):
    output = new("--", module, plural, code=2).output
    assert "Error: " in output
    assert files(folder) == set()


@pytest.mark.parametrize(
    ("plural", "record", "records"),
    [
        ("cards", "Card", "Cards"),
        ("supply_boxes", "SupplyBox", "SupplyBoxes"),
        ("entries", "Entry", "Entries"),
        ("glass", "Glass", "GlassList"),
        ("sheep", "Sheep", "SheepList"),
    ],
)
def test_classes_are_named_after_the_objects(plural, record, records):
    names = names_of("loyalty", plural)
    assert (names["record"], names["records"]) == (record, records)


def test_the_first_folder_that_may_be_written_is_taken(new, folder, tmp_path):
    new("loyalty", "cards", modules=f"{tmp_path}/not_there:{folder}")
    assert "loyalty/models.py" in files(folder)


def test_another_folder_can_be_named(new, folder, tmp_path):
    output = new("loyalty", "cards", "--folder", str(tmp_path / "elsewhere")).output
    assert files(folder) == set()
    assert "loyalty/models.py" in files(tmp_path / "elsewhere")
    assert f"COMPTOIR_MODULES={tmp_path / 'elsewhere'}" in output


def test_a_draft_is_not_served_until_somebody_says_so(new, folder):
    assert f"rm {folder}/loyalty/DRAFT" in new("loyalty", "cards").output
    assert look([folder]) == (
        [],
        [(folder / "loyalty", "a draft; to serve it, remove its file DRAFT")],
    )
    assert "Published " in new("loyalty", "cards", "--now").output
    assert [module.name for module in look([folder])[0]] == ["loyalty"]
    assert "nothing was written" in new("loyalty", "cards", "--now", code=1).output
    assert "DRAFT" not in new("stock", "boxes", "--now").output
    assert [module.name for module in look([folder])[0]] == ["loyalty", "stock"]


def test_a_folder_that_exists_becomes_a_draft(new, folder):
    """A server must not make its table before the author has looked at the model."""
    (folder / "loyalty" / "texts").mkdir(parents=True)
    output = new("loyalty", "cards").output
    assert (folder / "loyalty" / "DRAFT").is_file()
    assert f"rm {folder}/loyalty/DRAFT" in output


def test_without_a_folder_of_ones_own_it_goes_below_the_current_one(new, tmp_path, monkeypatch):
    """As `data/` does: where Comptoir was installed into is nobody's to write."""
    monkeypatch.chdir(tmp_path)
    output = new("loyalty", "cards", modules="").output
    assert files(tmp_path / "modules") == {
        "loyalty/DRAFT",
        "loyalty/models.py",
        "loyalty/class/api_loyaltycards.py",
        "loyalty/tests/test_loyaltycards.py",
    }
    assert f"export COMPTOIR_MODULES={tmp_path / 'modules'}" in output
