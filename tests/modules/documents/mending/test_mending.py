"""`files check`: what does not fit is found, told and mended; what others are doing is left alone."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click.testing
import pytest

from core.__main__ import main
from core.testing import Client
from tests.modules.documents.calls import Start, build, download, names, proposal, thirdparty, upload, validated

#: together they take ten seconds of a processor and more
pytestmark = pytest.mark.slow

Check = Callable[..., dict[str, str]]


@pytest.fixture
def client(start: Start) -> Client:
    """An administrator's client of a server with a template of few bytes."""
    return start()


@pytest.fixture
def check(tmp_path: Path, client: Client) -> Check:
    """Run `files check`; answers path → what was done, or what is wrong where nothing was."""

    def run(*options: str, code: int) -> dict[str, str]:
        from core.common.settings import settings

        variables: dict[str, str | None] = dict.fromkeys(name for name in os.environ if name.startswith("COMPTOIR_"))
        for name in ("database", "documents", "modules"):
            variables[f"COMPTOIR_{name.upper()}"] = getattr(settings(), name)
        result = click.testing.CliRunner().invoke(
            main, ["files", "check", "--json", *options], env=variables, catch_exceptions=False
        )
        assert result.exit_code == code, result.output
        told: dict[str, Any] = json.loads(result.stdout)
        return {each["path"]: each["done"] or each["problem"] for each in told["findings"]}

    return run


def age(file: Path, seconds: float = 120) -> None:
    """Make a file older than what may be going on."""
    os.utime(file, (time.time() - seconds,) * 2)


def test_nothing_is_found_where_all_fits(client: Client, check: Check) -> None:
    upload(client, validated(client)["ref"])
    assert check(code=0) == {}


def test_lost_papers_are_printed_anew_and_lost_uploads_leave_the_index(
    client: Client, check: Check, tmp_path: Path
) -> None:
    ref = validated(client)["ref"]
    upload(client, ref)
    paper, note = (tmp_path / f"documents/propale/{ref}/{name}" for name in (f"{ref}.pdf", "note.txt"))
    before = paper.read_bytes()
    paper.unlink()
    note.unlink()
    found = {f"propale/{ref}/{ref}.pdf": "the file is missing", f"propale/{ref}/note.txt": "the file is missing"}
    assert check(code=1) == found
    assert not paper.exists()
    assert check("--mend", code=0) == {
        f"propale/{ref}/{ref}.pdf": "printed anew",
        f"propale/{ref}/note.txt": "taken out of the index: the file is lost",
    }
    assert paper.read_bytes() == before
    assert names(client, ref) == [f"{ref}.pdf"]
    assert check(code=0) == {}


def test_a_file_of_a_record_is_taken_in_and_another_goes_aside(client: Client, check: Check, tmp_path: Path) -> None:
    ref, party = validated(client)["ref"], thirdparty(client)
    store = tmp_path / "documents"
    for path in (f"propale/{ref}/plan.txt", f"propale/{ref}/run.php", "propale/NOBODY/x.txt", f"societe/{party}/y.txt"):
        (store / path).parent.mkdir(parents=True, exist_ok=True)
        (store / path).write_text("text")
        age(store / path)
    assert len(check(code=1)) == 4
    assert check("--mend", code=0) == {
        f"propale/{ref}/plan.txt": "taken into the index",
        f"propale/{ref}/run.php": f"moved to .aside/propale/{ref}/run.php",
        "propale/NOBODY/x.txt": "moved to .aside/propale/NOBODY/x.txt",
        f"societe/{party}/y.txt": "taken into the index",
    }
    assert download(client, f"{ref}/plan.txt") == b"text"
    assert download(client, f"{party}/y.txt", "societe") == b"text"
    assert (store / ".aside/propale/NOBODY/x.txt").read_text() == "text"
    assert check(code=0) == {}


def test_a_file_of_another_size_is_said_and_mended(client: Client, check: Check, tmp_path: Path) -> None:
    ref = validated(client)["ref"]
    upload(client, ref)
    paper, note = (tmp_path / f"documents/propale/{ref}/{name}" for name in (f"{ref}.pdf", "note.txt"))
    before = paper.read_bytes()
    for file in (paper, note):
        file.write_bytes(b"four")
        age(file)
    assert check(code=1)[f"propale/{ref}/note.txt"] == "4 bytes, the index says 5"
    assert set(check("--mend", code=0).values()) == {"printed anew", "the index says 4 bytes now"}
    assert paper.read_bytes() == before
    assert check(code=0) == {}


def test_what_may_be_going_on_is_no_finding(client: Client, check: Check, tmp_path: Path) -> None:
    ref = validated(client)["ref"]
    (tmp_path / f"documents/propale/{ref}/coming.txt").write_text("its row is not committed yet")
    assert check(code=0) == {}


def test_files_of_a_service_that_is_not_there_are_left(client: Client, check: Check, tmp_path: Path) -> None:
    file = tmp_path / "documents/gone/1/x.txt"
    file.parent.mkdir(parents=True)
    file.write_text("text")
    age(file)
    assert check("--mend", code=1)["gone/1/x.txt"].startswith("left: no service")
    assert file.exists()


def test_drafts_papers_count_too(client: Client, check: Check, tmp_path: Path) -> None:
    ref = f"(PROV{proposal(client)})"
    build(client, ref)
    (tmp_path / f"documents/propale/{ref}/{ref}.pdf").unlink()
    assert check("--mend", code=0) == {f"propale/{ref}/{ref}.pdf": "printed anew"}
