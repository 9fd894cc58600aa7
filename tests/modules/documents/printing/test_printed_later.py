"""A PDF that could not be printed when its document changed is printed by a job, on each kind of database."""

import errno
import json
import os
from contextlib import contextmanager

import pytest

from core.common.clock import as_if
from core.jobs.table import DONE, Job
from core.storage.database import ensure_connected
from tests.modules.documents.calls import download, names, pdf_path, proposal, upload
from tests.moments import LEAP_DAY_END

#: seconds after which each attempt of a job is due
LATER = 12 * 3600


@pytest.fixture
def read_only(monkeypatch):
    """``with read_only():``: nothing can be written to the store."""

    def fail(handle):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    @contextmanager
    def begin():
        with monkeypatch.context() as failing:
            failing.setattr(os, "fsync", fail)
            yield

    return begin


def validate(client, identifier, service):
    """Validate a document whose PDF cannot be written; returns its reference."""
    answer = client.simulate_post(f"/{service}/{identifier}/validate", json={})
    assert (answer.status_code, answer.json["statut"]) == (200, 1)
    assert "the document store is not writable" in answer.headers["warning"]
    return str(answer.json["ref"])


def jobs_of(service, identifier):
    """The jobs that print a document."""
    ensure_connected()
    found = ((json.loads(each.arguments), each) for each in Job.select().where(Job.name == "print_document"))
    return [each for given, each in found if (given["service"], given["id"]) == (service, identifier)]


@pytest.mark.parametrize(
    ("service", "modulepart"), [("proposals", "propal"), ("orders", "commande"), ("invoices", "facture")]
)
def test_a_job_prints_what_could_not_be_printed(server, client, read_only, service, modulepart):
    identifier = proposal(client, service=service)
    with read_only():
        with as_if(LEAP_DAY_END):
            ref = validate(client, identifier, service)
        assert names(client, ref, modulepart) == []
        # The job fails as well, and waits for its next attempt
        server.run_jobs(LEAP_DAY_END, failing=True)
        assert names(client, ref, modulepart) == []
    server.run_jobs(LEAP_DAY_END + LATER)
    issued = [f"{ref}-issued.pdf"] if service == "invoices" else []
    assert names(client, ref, modulepart) == [f"{ref}.pdf", *issued]
    assert download(client, pdf_path(ref), modulepart).startswith(b"%PDF")
    assert client.get(f"/{service}/{identifier}")["last_main_doc"].endswith(f"{ref}/{ref}.pdf")
    assert [each.status for each in jobs_of(service, identifier)] == [DONE]


def test_files_of_the_draft_move_along(server, client, read_only):
    identifier = proposal(client)
    upload(client, f"(PROV{identifier})")
    with read_only():
        ref = validate(client, identifier, "proposals")
    server.run_jobs()
    assert names(client, ref) == ["note.txt", f"{ref}.pdf"]
    assert download(client, f"{ref}/note.txt") == b"hello"


def test_a_pdf_shows_the_state_that_the_document_has_by_then(server, client, read_only):
    identifier = proposal(client)
    client.ask("POST", f"/proposals/{identifier}/validate", {})
    ref = str(client.get(f"/proposals/{identifier}")["ref"])
    assert b"state 1" in download(client, pdf_path(ref))
    with read_only():
        answer = client.simulate_post(f"/proposals/{identifier}/close", json={"status": 2})
        assert answer.status_code == 200 and "is not writable" in answer.headers["warning"]
    server.run_jobs()
    assert b"state 2" in download(client, pdf_path(ref))


def test_a_document_that_was_deleted_meanwhile_is_not_printed(server, client, read_only):
    identifier = proposal(client)
    with read_only():
        validate(client, identifier, "proposals")
    client.ask("DELETE", f"/proposals/{identifier}")
    server.run_jobs()
    assert [each.status for each in jobs_of("proposals", identifier)] == [DONE]
