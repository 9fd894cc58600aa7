"""The page shows changes of files, and does not interrupt typing."""

from collections.abc import Callable
from pathlib import Path

from tests.browser.pages import expect, field, listed, title
from tests.browser.samples import WORDS
from tests.serving.running import wait_until

Drop = Callable[[str, str], Path]


def words(summary="Say one.", more=""):
    return WORDS.replace("{summary}", summary).replace("{more}", more)


def typing(page):
    """What is being typed: the field that has the focus, its text and where the cursor is."""
    found = page.evaluate("(e => [e.name, e.value, e.selectionStart, e.selectionEnd])(document.activeElement)")
    return tuple(found)


def test_a_file_is_shown_as_it_comes_changes_breaks_is_mended_and_goes(visit, drop, faults):
    page = visit("#/show/get-show-typed-size")
    price = field(page, "price")
    price.click()
    page.keyboard.type("12.5")
    page.keyboard.press("ArrowLeft")
    before = typing(page)
    assert before[1:] == ("12.5", 3, 3)
    service = listed(page).get_by_role("button", name="words")
    expect(service).to_have_count(0)

    drop("words", words())
    expect(service).to_contain_text("1")
    again = words() + words().partition("class {title}(Api):")[2].replace("say", "shout")
    drop("words", again)
    expect(service).to_contain_text("2")
    drop("words", "def (")
    expect(service).to_contain_text("501")
    drop("words", words())
    expect(service).not_to_contain_text("501")
    file = drop("words", words())
    file.unlink()
    expect(service).to_have_count(0)

    assert typing(page) == before
    assert not [each for each in faults.asked if "openapi.json" in each], "never the whole"


def test_an_operation_that_is_edited_is_shown_anew_with_what_was_typed(visit, drop):
    drop("edited", words("Say one."))
    page = visit("#/edited/get-edited-say", size=(1280, 320))
    main = page.get_by_role("main")
    expect(main).to_contain_text("Say one")
    field(page, "first").click()
    page.keyboard.type("halfway")
    page.keyboard.press("ArrowLeft")
    pane = page.locator(".asked")
    pane.evaluate("pane => pane.scrollTo(0, 40)")
    scrolled = pane.evaluate("pane => pane.scrollTop")
    before = typing(page)

    more = ', third: str = "x"'
    drop("edited", words("Say two.", more))
    expect(main).to_contain_text("Say two")
    expect(field(page, "third")).to_be_visible()
    assert typing(page) == before
    assert scrolled > 0 and pane.evaluate("pane => pane.scrollTop") == scrolled
    page.keyboard.type("!")
    expect(field(page, "first")).to_have_value("halfwa!y")

    drop("edited", "def (")
    expect(main).to_contain_text("can't be loaded")
    drop("edited", words("Say three.", more))
    expect(main).to_contain_text("Say three")
    expect(field(page, "first")).to_have_value("halfwa!y")


def test_what_is_removed_says_so_and_comes_back(visit, drop):
    file = drop("fleeting", words())
    page = visit("#/fleeting/get-fleeting-say")
    field(page, "first").fill("kept")
    main = page.get_by_role("main")
    file.unlink()
    expect(main).to_contain_text("This service doesn't exist")
    drop("fleeting", words())
    expect(title(page)).to_have_text("GET /fleeting/say")
    expect(field(page, "first")).to_have_value("kept")


def test_it_asks_on_conditions_and_holds_no_connection(visit):
    page = visit()
    statuses = []
    sockets = []
    page.on("response", lambda answer: statuses.append(answer.status) if "index.json" in answer.url else None)
    page.on("websocket", lambda socket: sockets.append(socket))
    # A worker may still be taking away what the test before has dropped
    wait_until(lambda: page.wait_for_timeout(100) or statuses[-3:] == [304, 304, 304])
    assert sockets == []
