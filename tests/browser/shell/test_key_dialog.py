"""The key comes first: asked once, checked, kept in the tab alone, forgotten when one says so."""

from tests.browser.pages import call, expect, field, go, listed, operation_in, title


def kept(page):
    """Everything that the browser keeps for the page, by where."""
    return page.evaluate(
        """() => ({
          tab: JSON.stringify({ ...sessionStorage }), browser: JSON.stringify({ ...localStorage }),
          cookies: document.cookie, address: location.href, history: JSON.stringify(history.state),
        })"""
    )


def enter(page, key):
    page.get_by_label("Key", exact=True).fill(key)
    page.keyboard.press("Enter")


def test_nothing_is_shown_before_a_key(visit, faults):
    page = visit(key=None)
    expect(page.get_by_role("dialog", name="Comptoir explorer")).to_be_visible()
    expect(page.get_by_label("Key", exact=True)).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_visible()
    expect(listed(page)).to_be_hidden()
    assert not [each for each in faults.asked if ".json" in each], "no data without a key"


def test_a_wrong_key_is_refused_and_a_right_one_opens(visit, site, faults):
    faults.expect_status(401)
    page = visit(key=None)
    for wrong in ("not-a-key-0123456789", "clé €"):
        enter(page, wrong)
        expect(page.get_by_role("alert").filter(has_text="key")).to_be_visible()
        expect(page.get_by_label("Key", exact=True)).to_be_focused()
        assert kept(page)["tab"] == "{}"
    enter(page, site.key)
    expect(page.get_by_role("searchbox")).to_be_focused()
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.get_by_role("banner")).to_contain_text("admin (administrator)")


def test_it_is_kept_in_the_tab_alone(visit, site, faults):
    page = visit("#/thirdparties/get-thirdparties-id")
    where = kept(page)
    assert site.key in where.pop("tab")
    assert where == {
        "browser": "{}",
        "cookies": "",
        "address": f"http://127.0.0.1:{site.port}/explorer/#/thirdparties/get-thirdparties-id",
        "history": "null",
    }
    assert not [each for each in faults.asked if site.key in each]
    assert page.context.cookies() == []
    page.reload()
    expect(title(page)).to_have_text("GET /thirdparties/{id}")
    expect(page.get_by_role("dialog")).to_be_hidden()
    other = page.context.new_page()
    other.goto(f"http://127.0.0.1:{site.port}/explorer/")
    expect(other.get_by_role("dialog", name="Comptoir explorer")).to_be_visible()


def test_it_is_forgotten_when_one_says_so(visit, site):
    page = visit()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("dialog", name="Comptoir explorer")).to_be_visible()
    expect(listed(page)).to_be_hidden()
    assert kept(page)["tab"] == "{}"
    expect(page.get_by_label("Key", exact=True)).to_have_value("")


def test_login_and_password_do_as_well(visit, site, faults, user):
    faults.expect_status(403)
    user("thirdparties.read", login="ines", password="a-long-password-of-hers")
    page = visit(key=None)
    page.get_by_text("Sign in with a password instead").click()
    page.get_by_label("Login").fill("ines")
    page.get_by_label("Password").fill("another")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert").filter(has_text="Access denied")).to_be_visible()
    page.get_by_label("Password").fill("a-long-password-of-hers")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("banner")).to_contain_text("ines")
    expect(page.get_by_role("banner")).not_to_contain_text("administrator")
    everything = str(kept(page)) + str(faults.asked) + page.content()
    assert "a-long-password-of-hers" not in everything
    assert page.get_by_label("Password").input_value() == ""


def test_what_the_key_may_not_do_is_dimmed_and_says_what_is_missing(visit, user):
    page = visit(key=user("thirdparties.read"))
    listed(page).get_by_role("button", name="Third parties").click()
    operations = page.get_by_role("list", name="Operations of Third parties")
    may = operation_in(operations, "/thirdparties/{id}", "GET")
    may_not = operation_in(operations, "/thirdparties/{id}", "DELETE")
    expect(may).not_to_contain_text("needs")
    expect(may_not).to_contain_text("needs thirdparties.delete")
    colours = [each.locator(".label").evaluate("e => getComputedStyle(e).color") for each in (may, may_not)]
    assert colours[0] != colours[1]
    may_not.click()
    expect(page.get_by_role("main")).to_contain_text("Your key doesn't have the permission thirdparties.delete")
    go(page, "#/")
    expect(page.get_by_role("main")).to_contain_text("need permissions that your key doesn't have")


def test_an_administrator_lacks_nothing(visit):
    page = visit()
    page.get_by_role("searchbox").fill("thirdparties")
    expect(page.get_by_role("list", name="Found").get_by_role("link").first).to_be_visible()
    expect(page.get_by_role("list", name="Found")).not_to_contain_text("needs")
    expect(page.get_by_role("main")).not_to_contain_text("your key doesn't have")


def test_a_key_that_expires_is_asked_for_again_and_the_form_stays(visit, site, faults, user):
    faults.expect_status(401)
    key = user("thirdparties.read", "thirdparties.all", login="paul")
    page = visit("#/thirdparties/get-thirdparties-id", key=key)
    identifier = field(page, "id")
    identifier.fill("1")
    number = site.ask("/users/login/paul", key=site.key).json["id"]
    for each in site.ask(f"/users/{number}/keys", key=site.key).json:
        assert site.ask(f"/users/{number}/keys/{each['id']}", "DELETE", key=site.key).status == 200
    expect(page.get_by_role("dialog", name="Comptoir explorer")).to_be_visible()
    expect(page.get_by_role("alert").filter(has_text="no longer valid")).to_be_visible()
    enter(page, user("thirdparties.read", "thirdparties.all"))
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(identifier).to_have_value("1")
    expect(title(page)).to_have_text("GET /thirdparties/{id}")
    expect(call(page)).to_contain_text("Atelier Vasseur")
