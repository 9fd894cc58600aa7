"""A call that a job does: its progress until it has ended, what came of it, and that nobody looks once it is left."""

import json
import re

import pytest

from tests.browser.pages import call, expect, title
from tests.browser.samples import EXPORTS

#: a module whose jobs a server runs
PAGES = """
from core import job, progress


@job
def print_all(pages: int) -> dict:
    for number in range(1, pages + 1):
        progress(number, pages, f"Page {number}")
    return {"pages": pages}
"""

PRINTS = '''
from core import Accepted, Api

from ..jobs import print_all


class Prints(Api):
    """Prints."""

    def post(self, pages: int = 3) -> Accepted:
        """Print all."""
        return Accepted(print_all.later(pages))
'''

RECORD = {"id": 7, "status": 1, "state": "running", "done": 40, "total": 100, "text": "Page 4", "attempts": 1}


class Job:
    """What the server tells of a job, and how often it was asked."""

    def __init__(self):
        self.told = dict(RECORD)
        self.status = 200
        self.asked = 0

    def answer(self, route):
        self.asked += 1
        body = json.dumps(self.told) if self.status == 200 else '{"error": {"code": 0, "message": ""}}'
        route.fulfill(status=self.status, content_type="application/json", body=body)


@pytest.fixture
def job():
    return Job()


@pytest.fixture
def page(visit, drop, job):
    """The page after a call that a job does."""
    drop("exports", EXPORTS)
    page = visit("#/exports/post-exports")
    expect(title(page)).to_contain_text("/exports")
    page.route("**/jobs/7", job.answer)
    call(page, "202")
    yield page
    # It asks on: without these answers the server would say that there is no such job
    page.goto("about:blank")
    page.unroute_all(behavior="ignoreErrors")


def test_what_a_server_has_done_beside_its_workers(visit, site, drop):
    jobs = site.write("prints/jobs.py", PAGES)
    try:
        drop("prints", PRINTS)
        page = visit("#/prints/post-prints")
        call(page, "202")
        shown = page.get_by_role("region", name=re.compile(r"^Job \d+$"))
        expect(shown.get_by_role("status")).to_have_text("done")
        expect(shown).to_contain_text("3 of 3")
        expect(shown.get_by_role("group", name="Result of the job")).to_contain_text("pages: 3")
        shown.get_by_role("link", name=re.compile(r"^Job \d+$")).click()
        expect(title(page)).to_contain_text("/jobs/{id}")
    finally:
        jobs.unlink()


def test_it_is_followed_until_it_is_done(page, job):
    shown = page.get_by_role("region", name="Job 7")
    bar, state = shown.get_by_role("progressbar", name="Progress of job 7"), shown.get_by_role("status")
    expect(state).to_have_text("running, Page 4")
    expect(shown).to_contain_text("40 of 100")
    expect(bar).to_have_attribute("value", "40")
    job.told |= {"done": 80, "text": "<b>Page 8</b>"}
    expect(state).to_have_text("running, <b>Page 8</b>")
    expect(bar).to_have_attribute("value", "80")
    page.clock.install()
    job.told |= {"state": "done", "status": 2, "done": 100, "result": {"pages": 10, "total": "12.50"}}
    expect(state).to_have_text("done")
    result = shown.get_by_role("group", name="Result of the job")
    expect(result).to_contain_text("pages: 10")
    expect(result).to_contain_text('total: "12.50"')
    asked = job.asked
    page.clock.run_for(60_000)
    # What it has asked for before this is answered before this
    page.evaluate("fetch('explorer.css').then((answer) => answer.text())")
    assert job.asked == asked


def test_one_that_is_given_up_tells_why(page, job):
    shown = page.get_by_role("region", name="Job 7")
    job.told |= {"state": "waiting", "attempts": 2, "text": ""}
    expect(shown.get_by_role("status")).to_have_text("waiting, tried 2 times, next attempt soon")
    job.told |= {"state": "given up", "status": 3, "error": "no paper left"}
    expect(shown.get_by_role("status")).to_have_text("given up")
    expect(shown).to_contain_text("no paper left")


def test_a_server_that_is_away_is_asked_again(page, job, faults):
    faults.expect_status(503, 404)
    state = page.get_by_role("region", name="Job 7").get_by_role("status")
    job.status = 503
    expect(state).to_have_text("The job's state isn't available now. Retrying …")
    job.status = 200
    expect(state).to_have_text("running, Page 4")
    job.status = 404
    expect(state).to_contain_text("The job can no longer be read: 404")
