"""What is said about services and operations, in the author's words and nothing but text."""

import re

from tests.browser.pages import call, call_as_code, expect, field, go, title
from tests.browser.samples import HOSTILE

#: what stands around each text that turns letters around, up to where its effect ends
AROUND = """() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    if (!/[\\u202a-\\u202e\\u2066-\\u2069]/.test(walker.currentNode.data)) continue;
    let element = walker.currentNode.parentElement;
    while (!/isolate/.test(getComputedStyle(element).unicodeBidi)) element = element.parentElement;
    found.push(element.textContent);
  }
  return found;
}"""


NOTED = '''
from core import Api


class Noted(Api):
    """Has notes and tables.

    :access: public
    """

    def get(self, id: int) -> int:
        """Answer the number.

        .. warning:: It is *hot*.
           Do not touch.

        ====== =======
        Number Meaning
        ====== =======
        0      draft
        1      sent, or
               answered
        ====== =======

        === ===
        never closed
        """
        return id
'''


def test_an_operation_tells_all_that_is_known_of_it(visit):
    page = visit("#/show/get-show-typed-size")
    main = page.get_by_role("main")
    expect(main).to_contain_text("Answer what came")
    expect(main.get_by_role("list").first.get_by_role("listitem")).to_have_text(["the first", "the second, with code"])
    expect(main.locator("em")).to_have_text("list")
    expect(main.get_by_role("listitem").locator("code")).to_have_text("code")
    expect(main).to_contain_text("No key required")
    for words in ("1 to 9", "how large", "one of oak, ash", "up to 3 characters", "three capitals"):
        expect(main.get_by_role("form")).to_contain_text(words)


def test_a_service_tells_its_states_and_rights(visit):
    page = visit("#/proposals")
    main = page.get_by_role("main")
    states = main.get_by_role("table", name="Operations that change the state")
    expect(
        states.get_by_role("row").filter(has_text=re.compile(r"draft \(0\).*validate.*validated \(1\)"))
    ).to_have_count(1)
    expect(states.get_by_role("row").filter(has_text="refused (3)")).not_to_have_count(0)
    for right in ("read", "write", "delete", "validate", "close"):
        expect(main.get_by_text(f"proposals.{right}", exact=True).first).to_be_visible()
    states.get_by_role("link", name="validate").first.click()
    expect(title(page)).to_have_text("POST /proposals/{id}/validate")


def test_hostile_words_are_text_and_nothing_runs(visit, faults):
    page = visit("#/hostile")
    main = page.get_by_role("main")
    expect(main).to_contain_text("""<script>document.title = "owned"</script> "quoted" 'twice' &""")
    expect(main).to_contain_text("<img src=x onerror=")
    page.get_by_role("searchbox").fill("hostile")
    page.get_by_role("searchbox").press("Enter")
    expect(title(page)).to_have_text("GET /hostile/{id}")
    expect(main).to_contain_text('</script><script>document.title = "owned"</script>')
    expect(main).to_contain_text("<b onclick=\"document.title='owned'\">row</b>")
    expect(main).to_contain_text("{{ 7 * 7 }} <i>none</i>")
    field(page, "id").fill("1")
    answer = call(page)
    expect(answer).to_contain_text("<script>document.title='owned'</script>")
    answer.get_by_role("button", name="Text", exact=True).click()
    expect(answer).to_contain_text("<img src=x onerror=")
    call_as_code(page)
    go(page, "#/history")
    expect(title(page)).to_have_text("Your calls")
    assert page.title() != "owned"
    for made in ("script", "img", "i", "b", "svg"):
        assert page.locator(f"main {made}, nav {made}").count() == 0
    assert page.locator("[href^='javascript:' i], [onclick], [onerror]").count() == 0
    assert not [each for each in faults.asked if each.endswith("/x")]


def test_letters_that_turn_the_words_around_stay_among_their_own(visit):
    page = visit("#/")
    for place in ("#/", "#/hostile", "#/hostile/get-hostile-id?id=1"):
        go(page, place)
        expect(title(page)).to_be_visible()
        if "?" in place:
            expect(title(page)).to_have_text("GET /hostile/{id}")
            call(page)
        around = page.evaluate(AROUND)
        assert around, place
        # What the author wrote, and nothing of the page's own
        assert [each for each in around if each.strip() not in HOSTILE] == [], place


def test_notes_and_tables_of_a_docstring(visit, drop):
    page = visit()
    drop("noted", NOTED)
    go(page, "#/noted/get-noted-id")
    expect(title(page)).to_have_text("GET /noted/{id}")
    main = page.get_by_role("main")
    expect(main.locator(".aside")).to_have_text(re.compile(r"^Warning\. It is hot\.\s+Do not touch\.$"))
    rows = main.locator(".prose").get_by_role("row")
    expect(rows).to_have_text(["NumberMeaning", "0draft", "1sent, or answered"])
    expect(main.locator(".prose pre")).to_contain_text("never closed")
