"""A browser, a server with two workers and some records, and pages of it, each watched (see `faults.py`)."""

import asyncio
import itertools

import pytest

from tests.browser import copied_code, samples
from tests.browser.chromium import chromium, why_not
from tests.browser.copied_code import Interpreter, Recorder
from tests.browser.faults import Faults
from tests.serving.running import Running

#: milliseconds after which what does not come is a failure
PATIENCE = 60_000


_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def browser_and_loop():
    """A browser for the whole session, and its event loop, which is hidden from the tests of other folders."""
    if reason := why_not():
        pytest.skip(reason)
    from playwright.sync_api import expect

    expect.set_options(timeout=PATIENCE)
    with chromium() as started:
        loop = asyncio.get_running_loop()
        asyncio._set_running_loop(None)
        yield started, loop
        asyncio._set_running_loop(loop)


@pytest.fixture(scope="module")
def browser(browser_and_loop):
    """The browser, whose event loop runs in this thread while the tests of one file do."""
    started, loop = browser_and_loop
    asyncio._set_running_loop(loop)
    yield started
    asyncio._set_running_loop(None)


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """A server with some records and the services of `samples`. Whoever adds a file removes it.

    All files share it, in any order: one whose tests make records has a `site` of its own, by `a_site`.
    """
    server = Running(tmp_path_factory.mktemp("site"), workers=2, redirect_hosts="pay.example")
    server.write("show/class/api_show.py", samples.SHOW)
    server.write("hostile/class/api_hostile.py", samples.HOSTILE)
    yield from a_site(server)


def a_site(server, *more):
    """A server with the records of `samples` and more, for a fixture."""
    if reason := why_not():
        pytest.skip(reason)
    with server:
        for verb, path, body in (*samples.RECORDS, *more):
            answer = server.ask(path, verb, body, key=server.key)
            assert answer.status == 200, answer.body
        yield server


@pytest.fixture
def user(site):
    """``user("thirdparties.read")``: the key of a new user with these rights."""

    def ask(verb, path, body):
        answer = site.ask(path, verb, body, site.key)
        assert answer.status == 200, answer.body
        return answer.json

    def make(*rights, login="", password=""):
        login = login or f"clerk{next(_numbers)}"
        body = {"login": login, "lastname": login} | ({"pass": password} if password else {})
        number = ask("POST", "/users", body)
        ask("PUT", f"/users/{number}/rights", list(rights))
        return ask("POST", f"/users/{number}/keys", {"label": "tests"})["key"]

    return make


@pytest.fixture
def faults():
    """What went wrong in the pages of this test."""
    gathered = Faults()
    yield gathered
    gathered.check()


@pytest.fixture(scope="module")
def tabs(browser, site):
    """Where tabs are opened: they share nothing that the explorer may use, so a context for each would be lost time."""
    context = browser.new_context()
    # A process that draws the site stays, and draws the next tab
    context.new_page().goto(f"http://127.0.0.1:{site.port}/explorer/explorer.css")
    yield context
    context.close()


@pytest.fixture
def visit(tabs, site, faults):
    """``visit("#/orders", key=…)``: the explorer in a new tab.

    :param place: what the address ends in
    :param key: the key to enter; None: the question stays
    :param base: the address of the page
    :param size: width and height
    """
    pages = []

    def open_page(place="", key=site.key, base="", size=(1280, 720)):
        address = base or f"http://127.0.0.1:{site.port}/explorer/"
        page = tabs.new_page()
        pages.append(page)
        page.set_default_timeout(PATIENCE)
        page.set_viewport_size({"width": size[0], "height": size[1]})
        faults.watch(page, "/".join(address.split("/")[:3]))
        page.goto(address + place)
        if key is not None:
            page.get_by_label("Key", exact=True).fill(key)
            page.keyboard.press("Enter")
            page.get_by_role("searchbox").wait_for()
            # What is addressed comes after the list of services
            page.locator("#shown:not([aria-busy=true])").wait_for()
        return page

    yield open_page
    for page in pages:
        page.close()


@pytest.fixture
def drop(site, faults):
    """``drop("words", text)``: a service's file for this test."""
    written = set()

    def write(name, text):
        # While one of the two workers knows the service and the other one doesn't, the page asks again
        faults.expect(f"404 (Not Found) http://127.0.0.1:{site.port}/explorer/openapi/{name}.json")
        file = site.write(f"{name}/class/api_{name}.py", text.replace("{title}", name.title()))
        written.add(file)
        return file

    yield write
    for file in written:
        file.unlink(missing_ok=True)


@pytest.fixture(params=copied_code.LOOPS)
def interpreter(request, tmp_path):
    """What runs code, once for each language in which the page shows it."""
    if reason := copied_code.why_not(request.param):
        pytest.skip(reason)
    with Interpreter(request.param, tmp_path) as started:
        yield started


@pytest.fixture(scope="module")
def recorder():
    """A server that records what copied code sends."""
    with Recorder() as started:
        yield started
