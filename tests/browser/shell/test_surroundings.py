"""The page under other circumstances: a prefix, a proxy, no network, no JavaScript, a narrow screen, a server that goes."""

import json
from urllib.parse import urlsplit

import pytest

from tests.browser.pages import call, call_as_code, expect, field, go, title, tree_of
from tests.browser.proxy import proxy
from tests.serving.running import Running


def try_it(page):
    """Search, open, call: everything that asks the server."""
    page.get_by_role("searchbox").fill("get-thirdparties-id read one")
    page.keyboard.press("Enter")
    expect(title(page)).to_have_text("GET /thirdparties/{id}")
    field(page, "id").fill("1")
    expect(call(page)).to_contain_text("Atelier Vasseur")


@pytest.mark.parametrize("path", ["/api/index.php/explorer/", "/explorer", "/"])
def test_it_works_under_every_address_of_the_server(visit, site, faults, path):
    page = visit(base=f"http://127.0.0.1:{site.port}{path}")
    try_it(page)
    prefix = "/api/index.php" if path.startswith("/api") else ""
    assert f"GET {prefix}/thirdparties/1" in faults.asked
    assert f"GET {prefix}/explorer/openapi/thirdparties.json?names=paths" in faults.asked


def test_it_works_behind_a_proxy_that_takes_a_prefix_off(visit, site, faults):
    with proxy(site.port, "/office/api") as address:
        page = visit(base=f"{address}/explorer/")
        try_it(page)
        asked = [each.split()[1] for each in faults.asked]
        assert all(each.startswith("/office/api/") for each in asked)
        expect(call_as_code(page)).to_contain_text(f"{address}/thirdparties/1")
        page.close()


def test_it_needs_nothing_from_elsewhere(visit, site, faults):
    page = visit("#/proposals/get-proposals-id?id=1")
    call(page)
    # `faults` sees to it that no other origin was asked; nor does anything wait to be
    hosts = page.evaluate(
        "[...document.querySelectorAll('[src], [href]')].map((each) => each.src || each.href).filter(Boolean)"
    )
    assert {urlsplit(each).netloc for each in hosts} <= {"", f"127.0.0.1:{site.port}"}
    assert len(faults.asked) > 3


def test_what_its_policy_forbids_is_forbidden(visit, faults):
    faults.expect("Content Security Policy", "Content-Security-Policy")
    page = visit()
    ran = page.evaluate(
        """async () => {
          const script = document.createElement("script");
          script.textContent = "window.owned = true";
          document.body.append(script);
          const div = document.createElement("div");
          div.setAttribute("onclick", "window.owned = true");
          div.click();
          const asked = await fetch("http://127.0.0.1:9/").then(() => true, () => false);
          return Boolean(window.owned) || asked;
        }"""
    )
    assert ran is False
    assert any("Content Security Policy" in each for each in faults.seen)


def test_without_javascript_a_word_is_shown(browser, site):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{site.port}/explorer/")
    expect(page.locator("noscript p")).to_be_visible()
    expect(page.get_by_role("dialog")).to_be_hidden()
    context.close()


#: what a person could use and does not see, because it lies beyond the right edge
OUTSIDE = """() => [...document.querySelectorAll("button, input, select, textarea, a, summary")]
  .filter((each) => each.checkVisibility() && !each.closest("pre, [role=group], .skip") && !each.matches(".picked"))
  .filter((each) => each.getBoundingClientRect().right > innerWidth + 1)
  .map((each) => each.outerHTML.slice(0, 120))"""


def test_a_narrow_screen_is_enough(visit):
    page = visit(size=(360, 740))
    for place, heading in [
        ("#/", "Start here"),
        ("#/proposals", "Proposals"),
        ("#/thirdparties/post-thirdparties", "POST /thirdparties"),
        ("#/proposals/get-proposals?limit=2", "GET /proposals"),
        ("#/history", "Your calls"),
    ]:
        go(page, place)
        expect(title(page)).to_have_text(heading)
        if "limit" in place:
            tree_of(call(page))
            page.get_by_role("button", name="Expand all").click()
            call_as_code(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, place
        assert page.evaluate(OUTSIDE) == [], place
    page.get_by_role("searchbox").fill("proposals validate")
    expect(page.get_by_role("list", name="Found").get_by_role("link").first).to_be_visible()


# A server of its own -------------------------------------------------------------------------------------------------


@pytest.fixture
def careful(browser, tmp_path):
    """Start a server that has a call asked about; 0: at a free port."""
    started = []

    def start(port=0):
        bind = {"bind": f"127.0.0.1:{port}"} if port else {}
        server = Running(tmp_path, workers=2, confirm=1, admin_key="a-key-that-stays-0123456789", **bind)
        server.port = port or server.port
        started.append(server)
        return server.started()

    yield start
    for server in started:
        server.stop()


def test_a_server_that_goes_is_missed_and_found_again(visit, careful, faults):
    faults.expect("ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE", "ERR_SOCKET_NOT_CONNECTED")
    server = careful()
    key = "a-key-that-stays-0123456789"
    page = visit("#/who/get-who", key=key, base=f"http://127.0.0.1:{server.port}/explorer/")
    expect(page.get_by_label("Confirm changes")).to_be_checked()
    page.get_by_role("searchbox").fill("typed before")
    away = page.get_by_role("alert").filter(has_text="doesn't respond")
    expect(away).to_be_hidden()
    server.stop()
    expect(away).to_be_visible()
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.locator(".answer")).to_contain_text("Request failed")
    go(page, "#/contacts/get-contacts-id")
    server = careful(server.port)
    expect(away).to_be_hidden()
    expect(title(page)).to_have_text("GET /contacts/{id}")
    expect(page.get_by_role("searchbox")).to_have_value("typed before")
    expect(page.get_by_role("dialog")).to_be_hidden()
    go(page, "#/who/get-who")
    answer = call(page)
    assert json.loads(answer.get_by_role("group", name="Response body").inner_text()) in server.workers
