"""An answer: status, time, size, headers, its text; files shown or offered; the format that was asked for; where the page stands."""

import base64
import io
import re
from html import escape
from urllib.parse import urlencode

import pytest
from PIL import Image
from reportlab.pdfgen.canvas import Canvas

from tests.browser.pages import call, call_as_code, expect, field, filter_builder, go, save, shown, title
from tests.serving.running import wait_until


def test_status_time_size_and_headers_are_told(visit):
    page = visit("#/thirdparties/get-thirdparties-id?id=1")
    answer = call(page)
    expect(answer.get_by_role("status").first).to_have_text(re.compile(r"200.*\d+ ms.*\d+(\.\d+)? (bytes|kB)"))
    expect(answer).to_contain_text("GET /thirdparties/1")
    answer.get_by_text(re.compile(r"^\d+ headers$")).click()
    expect(answer).to_contain_text("content-type")
    expect(answer).to_contain_text("application/json")
    expect(answer).to_contain_text("etag")


def test_a_refusal_is_told_in_words(visit, faults):
    faults.expect_status(404)
    page = visit("#/thirdparties/get-thirdparties-id?id=4711")
    answer = call(page, "404")
    expect(answer).to_contain_text("Thirdparty 4711 not found")


def test_the_text_is_what_was_answered(visit):
    page = visit("#/show/get-show-old")
    answer = call(page)
    answer.get_by_role("button", name="Text", exact=True).click()
    assert shown(answer).inner_text() == '"old"'
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    answer.get_by_role("button", name="Copy").click()
    expect(answer.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == '"old"'
    assert save(page, answer.get_by_role("link", name="Download", exact=True))[1] == b'"old"'


def test_a_pdf_is_shown_in_place(visit):
    page = visit("#/show/get-show-letter")
    answer = call(page)
    frame = answer.locator("iframe")
    expect(frame).to_have_attribute("title", "letter.pdf")
    expect(frame).to_have_attribute("src", re.compile("^blob:"))
    name, content = save(page, answer.get_by_role("link", name="Download letter.pdf"))
    assert name == "letter.pdf" and content.startswith(b"%PDF-1.4")


def test_bytes_are_offered(visit):
    page = visit("#/show/get-show-bytes")
    answer = call(page)
    expect(answer.locator("iframe")).to_have_count(0)
    assert save(page, answer.get_by_role("link", name="Download noise.bin")) == ("noise.bin", b"\x00\xff" * 1000)


def test_a_redirect_is_followed_on_this_server_only(visit, faults):
    page = visit("#/show/get-show-go")
    expect(page.get_by_role("main")).to_contain_text("303")
    assert shown(call(page)).inner_text() == '"old"'
    assert faults.called == ["GET /show/go", "GET /show/old"]
    # The key of the explorer doesn't leave the server
    faults.expect("pay.example")
    failed = []
    page.on("requestfailed", lambda request: failed.append((request.url, request.failure)))
    go(page, "#/show/get-show-away")
    page.get_by_role("form", name="Call").get_by_role("button", name="Send", exact=True).click()
    expect(page.locator(".answer")).to_contain_text("Request failed")
    assert failed == [("https://pay.example/", "csp")]


def red(page):
    """Return the share of a page that is red."""
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    return sum(count for count, (r, g, b) in picture.getcolors(2**24) if r > 200 and max(g, b) < 60) / (
        picture.width * picture.height
    )


def red_file(kind):
    made = io.BytesIO()
    if kind == "application/pdf":
        canvas = Canvas(made, pagesize=(400, 400))
        canvas.setFillColorRGB(1, 0, 0)
        canvas.rect(0, 0, 400, 400, fill=1)
        canvas.save()
    else:
        Image.new("RGB", (400, 400), (255, 0, 0)).save(made, kind.rpartition("/")[2])
    return made.getvalue()


@pytest.mark.parametrize("kind", ["application/pdf", "image/png", "image/jpeg", "image/gif", "image/webp"])
@pytest.mark.parametrize("framed", [False, True])
def test_an_inline_file_is_shown_under_its_policy(tabs, site, kind, framed):
    query = urlencode({"kind": kind, "content": base64.b64encode(red_file(kind)).decode()})
    address = f"http://127.0.0.1:{site.port}/show/seen?{query}"
    page = tabs.new_page()
    try:
        if framed:
            page.set_content(f'<iframe width=500 height=500 src="{escape(address)}"></iframe>')
        else:
            page.goto(address)
        # The viewer of PDFs draws later
        wait_until(lambda: red(page) > 0.05)
    finally:
        page.close()


def test_fifty_megabytes_are_offered_and_the_page_goes_on(visit):
    page = visit("#/show/get-show-large")
    page.evaluate(
        """() => {
          window.longest = 0;
          let before = performance.now();
          const beat = () => {
            const now = performance.now();
            window.longest = Math.max(window.longest, now - before);
            before = now;
            setTimeout(beat, 20);
          };
          beat();
        }"""
    )
    answer = call(page)
    expect(answer).to_contain_text("50.0 MB")
    expect(answer.get_by_role("group", name="Response body")).to_have_count(0)
    name, content = save(page, answer.get_by_role("link", name="Download large.json"))
    assert (name, len(content)) == ("large.json", 50_000_001)
    # A page that reads 50 MB as text and parses them stands still for seconds
    assert page.evaluate("window.longest") < 1_500
    page.get_by_role("searchbox").fill("show typed")
    expect(page.get_by_role("list", name="Found").get_by_role("link")).to_have_count(1)


def test_a_list_is_answered_as_csv(visit):
    page = visit("#/thirdparties/get-thirdparties?limit=1")
    choice = page.get_by_label("Response format")
    expect(choice.get_by_role("option")).to_have_text(["JSON", "CSV", "JSON lines", "XLSX"])
    code = call_as_code(page)
    expect(code).not_to_contain_text("Accept")
    choice.select_option(label="CSV")
    expect(code).to_contain_text("Accept: text/csv")
    answer = call(page)
    expect(answer).to_contain_text("Atelier Vasseur")
    expect(answer).to_contain_text("This file has one page of the list. With all=1 it has all records.")
    name, content = save(page, answer.get_by_role("link", name="Download", exact=True))
    assert name == "thirdparties.csv"
    assert content.startswith(b"id,")
    go(page, "#/thirdparties/get-thirdparties-id")
    expect(title(page)).to_have_text("GET /thirdparties/{id}")
    expect(choice).to_have_count(0)


def test_a_response_of_an_earlier_form_is_marked(visit):
    page = visit("#/thirdparties/get-thirdparties?q=atelier")
    answer, earlier = call(page), page.locator(".earlier")
    expect(earlier).to_be_empty()
    field(page, "q").fill("brasserie")
    expect(earlier).to_have_text("This response belongs to an earlier form. Send the request again to update it.")
    expect(answer).to_have_class("answer outdated")
    # Changed back, it is what would be sent
    field(page, "q").fill("atelier")
    expect(earlier).to_be_empty()
    expect(answer).to_have_class("answer")
    builder = filter_builder(page)
    builder.get_by_label("Column").select_option("t.town")
    builder.get_by_label("Operator").select_option("=")
    builder.get_by_label("Value").fill("Lyon")
    expect(earlier).not_to_be_empty()
    builder.get_by_role("button", name="Remove this condition").click()
    expect(earlier).to_be_empty()
    # Enter in the value of a filter sends it
    field(page, "q").fill("")
    builder.get_by_role("button", name="Add a condition").click()
    builder.get_by_label("Column").select_option("t.town")
    builder.get_by_label("Operator").select_option("=")
    builder.get_by_label("Value").fill("Lyon")
    builder.get_by_label("Value").press("Enter")
    expect(answer.locator(".sent")).to_have_text("GET /thirdparties?sqlfilters=(t.town:%3D:'Lyon')")
    expect(earlier).to_be_empty()
    # A sorted or narrowed list fills in the form and sends it
    answer.get_by_role("button", name="Remove: town is Lyon").click()
    expect(answer.locator(".sent")).to_have_text("GET /thirdparties")
    expect(earlier).to_be_empty()
    page.get_by_label("Response format").select_option("CSV")
    expect(earlier).not_to_be_empty()
