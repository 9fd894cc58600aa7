"""Lists as sheets, over HTTP."""

import csv
import io
import zipfile

import pytest

from core.web.sheets import CSV, SHEETS

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


@pytest.fixture(scope="module")
def cards(sample_server):
    client = sample_server.client()
    for number in ("1", "=1+1", "+4912", "@x", 'a,"b"', "-5"):
        client.ask("POST", "/loyaltycards", {"number": number})
    return client


def test_csv_quotes_what_a_spreadsheet_would_reckon(cards):
    answer = cards.simulate_get("/loyaltycards", headers={"Accept": "text/csv"})
    assert answer.headers["Content-Type"].startswith("text/csv")
    lines = answer.text.splitlines()
    assert lines[0] == "id,number,points"
    assert [line.split(",", 1)[1] for line in lines[1:]] == [
        "1,0",
        "'=1+1,0",
        "+4912,0",
        "'@x,0",
        '"a,""b""",0',
        "-5,0",
    ]


@pytest.mark.parametrize("text", ["\n=1+1", "\r=1+1", "\t=1+1", "\uff1d1+1", "\uff0b1+x", "\uff0d1+x", "\uff20x"])
def test_csv_quotes_wide_signs_and_line_ends_as_well(text):
    (_, cell) = csv.reader(io.StringIO(SHEETS[CSV]([{"name": text}]).decode(), newline=""))
    assert cell == [f"'{text}"]


def test_xlsx_holds_text_and_numbers_and_no_formula(cards):
    answer = cards.simulate_get("/loyaltycards", headers={"Accept": XLSX})
    assert answer.headers["Content-Type"] == XLSX
    with zipfile.ZipFile(io.BytesIO(answer.content)) as book:
        sheet = book.read("xl/worksheets/sheet1.xml").decode()
        texts = book.read("xl/sharedStrings.xml").decode()
    assert "<f>" not in sheet
    assert all(text in texts for text in ("=1+1", "@x", "number"))


def test_only_lists_are_sheets(cards):
    for wanted in ("text/csv", XLSX):
        assert cards.simulate_get("/loyaltycards/1", headers={"Accept": wanted}).status_code == 406
    assert (
        cards.simulate_get("/loyaltycards", headers={"Accept": "text/csv, */*"})
        .headers["Content-Type"]
        .startswith("application/json")
    )
