"""Lists as sheets, over HTTP."""

import csv
import io
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.common.csv_rows import read_csv
from core.web.sheets import CSV, SHEETS

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


@pytest.fixture(scope="module")
def cards(sample_server):
    """Return a client, and the list of the cards that it has created: other tests of the server create some too."""
    client = sample_server.client()
    numbers = ("1", "=1+1", "+4912", "@x", 'a,"b"', "-5")
    made = [client.ask("POST", "/loyaltycards", {"number": number}) for number in numbers]
    return client, f"/loyaltycards?sqlfilters=(t.id:in:{','.join(map(str, made))})"


def test_csv_quotes_what_a_spreadsheet_would_reckon(cards):
    client, path = cards
    answer = client.simulate_get(path, headers={"Accept": "text/csv"})
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
    (_, cell) = csv.reader(io.StringIO(SHEETS[CSV]([{"name": text}], "").decode(), newline=""))
    assert cell == [f"'{text}"]


@given(st.text("='+-@1x,;\"\t\n \uff1d", min_size=1).filter(str.strip))
def test_csv_that_is_read_again_has_the_same_texts(text):
    assert read_csv(SHEETS[CSV]([{"name": text, "more": "x"}], "")) == [{"name": text, "more": "x"}]


def test_a_list_without_records_has_the_columns_that_were_asked_for(cards):
    client, _ = cards
    for path in ("/loyaltycards?sqlfilters=(t.id:<:0)", "/loyaltycards?all=1&sqlfilters=(t.id:<:0)"):
        found = [
            client.simulate_get(f"{path}{more}", headers={"Accept": "text/csv"}).text
            for more in ("&properties=id,%20number", "")
        ]
        assert found == ["id,number\r\n", ""]


def test_xlsx_tells_which_texts_are_cut():
    fits, long = "x" * 32_767, "y" * 40_000
    with zipfile.ZipFile(io.BytesIO(SHEETS[XLSX]([{"note": fits}, {"note": long}], ""))) as book:
        texts = book.read("xl/sharedStrings.xml").decode()
    assert f">{fits}<" in texts
    assert "yy [cut: 40000 characters; CSV has all of them]<" in texts


def test_xlsx_holds_text_and_numbers_and_no_formula(cards):
    client, path = cards
    answer = client.simulate_get(path, headers={"Accept": XLSX})
    assert answer.headers["Content-Type"] == XLSX
    with zipfile.ZipFile(io.BytesIO(answer.content)) as book:
        sheet = book.read("xl/worksheets/sheet1.xml").decode()
        texts = book.read("xl/sharedStrings.xml").decode()
    assert "<f>" not in sheet
    assert all(text in texts for text in ("=1+1", "@x", "number"))


def test_only_lists_are_sheets(cards):
    client, path = cards
    for wanted in ("text/csv", XLSX):
        assert client.simulate_get("/loyaltycards/1", headers={"Accept": wanted}).status_code == 406
    assert (
        client.simulate_get(path, headers={"Accept": "text/csv, */*"})
        .headers["Content-Type"]
        .startswith("application/json")
    )


@pytest.fixture(scope="module")
def many(sample_server, cards):
    """A service with 1,234 records: more than a batch of a stream."""
    client = sample_server.client()
    have = len(client.get("/loyaltycards", limit=100))
    entries = [{"method": "POST", "body": {"number": f"n{number}"}} for number in range(1234 - have)]
    for first in range(0, len(entries), 500):
        client.ask("POST", "/loyaltycards/batch", {"entries": entries[first : first + 500]})
    return client


def rows_of(answer, kind):
    """The number of records of an export."""
    if kind == XLSX:
        with zipfile.ZipFile(io.BytesIO(answer.content)) as book:
            return book.read("xl/worksheets/sheet1.xml").decode().count("<row ") - 1
    lines = answer.content.decode().splitlines()
    return len(lines) - (kind == CSV)


@pytest.mark.parametrize("media_type", SHEETS)
def test_an_export_of_all_records_is_whole(many, media_type):
    answer = many.simulate_get("/loyaltycards?all=1", headers={"Accept": media_type})
    assert (answer.status_code, answer.headers["Content-Type"].split(";")[0]) == (200, media_type)
    assert rows_of(answer, media_type) == 1234
    # A page is a part
    assert rows_of(many.simulate_get("/loyaltycards?limit=7", headers={"Accept": media_type}), media_type) == 7


def test_more_records_than_a_workbook_has_room_for(many, monkeypatch):
    monkeypatch.setattr("core.web.sheets.MOST_ROWS", 1233)
    answer = many.simulate_get("/loyaltycards?all=1", headers={"Accept": XLSX})
    assert answer.status_code == 400
    assert "expected at most 1233 records for XLSX, got 1234; use CSV" in answer.json["error"]["message"]
    assert many.simulate_get("/loyaltycards?all=1", headers={"Accept": CSV}).status_code == 200
