"""`files check` and `files repair`: what does not fit is listed and repaired; what others are doing is left alone."""

import json
import os
import time
from datetime import timedelta

import click.testing
import pytest

from core import now
from core.__main__ import main
from modules.proposals.models import Proposal
from tests.modules.documents.calls import build, download, names, proposal, thirdparty, upload, validated

#: together they take ten seconds of a processor and more
pytestmark = pytest.mark.slow


@pytest.fixture
def client(start):
    """An administrator's client of a server with a template of few bytes."""
    return start()


@pytest.fixture
def check(tmp_path, client):
    """Run `files check`, or another command of `files`; returns path → what was done, or the problem."""

    def run(command="check", *, code):
        from core.common.settings import settings

        variables = dict.fromkeys(name for name in os.environ if name.startswith("COMPTOIR_"))
        for name in ("database", "documents", "modules"):
            variables[f"COMPTOIR_{name.upper()}"] = getattr(settings(), name)
        result = click.testing.CliRunner().invoke(
            main, ["files", command, "--json"], env=variables, catch_exceptions=False
        )
        assert result.exit_code == code, result.output
        told = json.loads(result.stdout)
        return {each["path"]: each["done"] or each["problem"] for each in told["findings"]}

    return run


def age(file, seconds=120):
    """Make a file older than what may be going on."""
    os.utime(file, (time.time() - seconds,) * 2)


def test_nothing_is_found_where_all_fits(client, check):
    upload(client, validated(client)["ref"])
    assert check(code=0) == {}


def test_lost_pdfs_are_printed_again_and_lost_uploads_leave_the_index(client, check, tmp_path):
    ref = validated(client)["ref"]
    upload(client, ref)
    pdf, note = (tmp_path / f"documents/propale/{ref}/{name}" for name in (f"{ref}.pdf", "note.txt"))
    before = pdf.read_bytes()
    pdf.unlink()
    note.unlink()
    found = {f"propale/{ref}/{ref}.pdf": "the file is missing", f"propale/{ref}/note.txt": "the file is missing"}
    assert check(code=1) == found
    assert not pdf.exists()
    assert check("repair", code=0) == {
        f"propale/{ref}/{ref}.pdf": "generated again",
        f"propale/{ref}/note.txt": "removed from the index: the file is lost",
    }
    assert pdf.read_bytes() == before
    assert names(client, ref) == [f"{ref}.pdf"]
    assert check(code=0) == {}


def test_a_file_of_a_record_is_taken_in_and_another_goes_aside(client, check, tmp_path):
    ref, party = validated(client)["ref"], thirdparty(client)
    store = tmp_path / "documents"
    for path in (f"propale/{ref}/plan.txt", f"propale/{ref}/run.php", "propale/NOBODY/x.txt", f"societe/{party}/y.txt"):
        (store / path).parent.mkdir(parents=True, exist_ok=True)
        (store / path).write_text("text")
        age(store / path)
    assert len(check(code=1)) == 4
    assert check("repair", code=0) == {
        f"propale/{ref}/plan.txt": "added to the index",
        f"propale/{ref}/run.php": f"moved to .aside/propale/{ref}/run.php",
        "propale/NOBODY/x.txt": "moved to .aside/propale/NOBODY/x.txt",
        f"societe/{party}/y.txt": "added to the index",
    }
    assert download(client, f"{ref}/plan.txt") == b"text"
    assert download(client, f"{party}/y.txt", "societe") == b"text"
    assert (store / ".aside/propale/NOBODY/x.txt").read_text() == "text"
    assert check(code=0) == {}


def test_a_file_of_another_size_is_listed_and_repaired(client, check, tmp_path):
    ref = validated(client)["ref"]
    upload(client, ref)
    pdf, note = (tmp_path / f"documents/propale/{ref}/{name}" for name in (f"{ref}.pdf", "note.txt"))
    before = pdf.read_bytes()
    for file in (pdf, note):
        file.write_bytes(b"four")
        age(file)
    assert check(code=1)[f"propale/{ref}/note.txt"] == "the file has 4 bytes, but the index lists 5"
    assert set(check("repair", code=0).values()) == {"generated again", "set its size in the index to 4 bytes"}
    assert pdf.read_bytes() == before
    assert check(code=0) == {}


def test_what_may_be_going_on_is_no_finding(client, check, tmp_path):
    ref = validated(client)["ref"]
    (tmp_path / f"documents/propale/{ref}/coming.txt").write_text("its row is not committed yet")
    assert check(code=0) == {}


def test_files_of_a_service_that_is_not_there_are_left(client, check, tmp_path):
    file = tmp_path / "documents/gone/1/x.txt"
    file.parent.mkdir(parents=True)
    file.write_text("text")
    age(file)
    assert check("repair", code=1)["gone/1/x.txt"].startswith("left unchanged: no service")
    assert file.exists()


def test_drafts_pdfs_count_too(client, check, tmp_path):
    ref = f"(PROV{proposal(client)})"
    build(client, ref)
    (tmp_path / f"documents/propale/{ref}/{ref}.pdf").unlink()
    assert check("repair", code=0) == {f"propale/{ref}/{ref}.pdf": "generated again"}


def change_before(client, identifier, seconds):
    """Let the last change of a proposal be longer ago."""
    Proposal.update(date_modification=now() - timedelta(seconds=seconds)).where(Proposal.id == identifier).execute()


def test_validated_documents_without_their_pdf_are_listed_and_printed(client, check, tmp_path):
    one, other = validated(client), validated(client)
    draft = proposal(client)
    for each in (one["id"], other["id"], draft):
        change_before(client, each, 120)
    path = f"propale/{one['ref']}/{one['ref']}.pdf"
    pdf = tmp_path / "documents" / path
    before = pdf.read_bytes()
    client.ask("DELETE", "/documents", params={"modulepart": "proposal", "original_file": f"{one['ref']}/{pdf.name}"})
    assert not pdf.exists()
    assert check(code=1) == {path: "the PDF of a validated document is missing"}
    assert check("repair", code=0) == {path: "generated"}
    assert pdf.read_bytes() == before
    assert names(client, one["ref"]) == [pdf.name]
    assert check(code=0) == {}


def test_a_document_that_was_validated_just_now_may_be_waiting_for_its_pdf(client, check):
    one = validated(client)
    path = f"{one['ref']}/{one['ref']}.pdf"
    client.ask("DELETE", "/documents", params={"modulepart": "proposal", "original_file": path})
    change_before(client, one["id"], 30)
    assert check(code=0) == {}


def test_a_store_that_is_somewhere_else_is_not_repaired(client, check, tmp_path):
    upload(client, validated(client)["ref"])
    (tmp_path / "documents").rename(tmp_path / "away")
    with pytest.raises(AssertionError, match=r"the folder .*documents does not exist"):
        check("repair", code=0)
    assert not (tmp_path / "documents").exists()
    (tmp_path / "away").rename(tmp_path / "documents")
    assert check(code=0) == {}
