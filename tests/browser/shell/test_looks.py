"""How the page is laid out and looks: columns, groups, paths on demand, themes, sizes for fingers, a small screen."""

from tests.browser.pages import call, call_as_code, expect, field, go, shown

#: controls that are too small to touch; what a label or a picker stands for is touched there
TOO_SMALL = """() => [...document.querySelectorAll("button, summary, select, input, textarea, #list a")]
  .filter((each) => each.checkVisibility() && !each.closest(".check") && !each.matches(".picked"))
  .filter((each) => { const { width, height } = each.getBoundingClientRect(); return width < 23.5 || height < 23.5; })
  .map((each) => each.outerHTML.slice(0, 120))"""


def box(page, part):
    found = page.locator(part).bounding_box()
    assert found is not None
    return {**found}


def test_code_and_answer_stand_beside_the_form_where_there_is_room(visit):
    page = visit("#/thirdparties/get-thirdparties", size=(1280, 720))
    expect(page.get_by_label("Request as code")).to_contain_text("curl")
    expect(page.locator(".no-answer")).to_be_visible()
    expect(page.get_by_role("heading", name="Responses")).to_be_in_viewport()
    left, right = box(page, ".asked"), box(page, ".told")
    assert left["x"] + left["width"] <= right["x"] and right["x"] + right["width"] <= 1280
    page.get_by_text("Filters by field, sorting and paging").click()
    answer = call(page)
    expect(page.locator(".no-answer")).to_be_hidden()
    # However far the form goes, code and answer stay where they are
    field(page, "after").scroll_into_view_if_needed()
    page.mouse.wheel(0, 5000)
    expect(answer.get_by_role("status").first).to_be_in_viewport()
    expect(call_as_code(page)).to_be_in_viewport()
    assert page.evaluate(TOO_SMALL) == []
    page.set_viewport_size({"width": 1190, "height": 720})
    left, right = box(page, ".asked"), box(page, ".told")
    assert right["y"] >= left["y"] + left["height"]


#: panes that scroll inside another one
NESTED = """() => [...document.querySelectorAll("main *, nav *, main, nav")]
  .filter((each) => each.scrollHeight > each.clientHeight && /auto|scroll/.test(getComputedStyle(each).overflowY))
  .filter((each) => each.parentElement.closest(".asked, .told, main:not(:has(> .call)), nav"))
  .map((each) => each.outerHTML.slice(0, 80))"""


def test_the_window_never_scrolls_and_no_pane_is_inside_another(visit):
    page = visit()
    for place in ("", "#//guide/errors", "#/thirdparties", "#/thirdparties/get-thirdparties?limit=2"):
        go(page, place)
        if "limit" in place:
            expect(shown(call(page))).to_be_visible()
        assert page.evaluate("document.documentElement.scrollHeight === innerHeight"), place
        assert page.evaluate(NESTED) == [], place


def test_a_small_screen_shows_the_user_and_begins_at_the_response(visit):
    page = visit("#/thirdparties/get-thirdparties", size=(390, 800))
    expect(page.locator("#login")).to_be_in_viewport()
    answer = call(page)
    table = shown(answer).get_by_role("grid")
    expect(table).to_be_visible()
    page.wait_for_function("scrollY > 0")
    assert answer.get_by_role("status").first.bounding_box()["y"] >= 0
    assert table.bounding_box()["y"] < 500


def test_sending_is_always_in_sight(visit):
    page = visit("#/contacts/get-contacts", size=(1280, 600))
    page.get_by_text("Filters by field, sorting and paging").click()
    button = page.get_by_role("button", name="Send", exact=True)
    for scroll in (0, 5000):
        page.locator(".asked").evaluate("(pane, top) => pane.scrollTo(0, top)", scroll)
        expect(button).to_be_in_viewport(ratio=1)
    field(page, "limit").focus()
    box_of_field, bar = field(page, "limit").bounding_box(), box(page, ".send")
    assert box_of_field is not None and box_of_field["y"] + box_of_field["height"] <= bar["y"]


def test_the_theme_is_chosen_and_there_before_anything_is_drawn(visit, faults):
    faults.expect("ERR_FAILED")
    page = visit()
    page.emulate_media(color_scheme="light")
    paper = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(paper)
    switch = page.get_by_role("button", name="Theme")
    try:
        for name, is_light in (("light", True), ("dark", False)):
            switch.click()
            expect(switch).to_have_text(f"Theme: {name}")
            assert (page.evaluate(paper) == light) is is_light
        page.route("**/explorer.js", lambda route: route.abort())
        page.goto(page.url.split("#")[0])
        assert page.evaluate(paper) != light
        page.unroute_all()
        page.goto(page.url)
    finally:
        page.evaluate("localStorage.clear()")
    page.reload()
    expect(switch).to_have_text("Theme: system")
    assert page.evaluate(paper) == light
