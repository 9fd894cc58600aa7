"""The pages of documents: what is printed, where pages break, scripts, hostile texts, and what a page costs."""

from __future__ import annotations

import builtins
import datetime
import importlib
import random
import re
import socket
import tracemalloc
import unicodedata
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from babel.dates import format_date
from babel.numbers import format_decimal
from PIL import Image
from pypdf import PdfReader

from core import BadRequest
from core.testing import Client, Served, make_settings
from modules.documents.layout import fonts
from modules.documents.layout.images import picture_of
from modules.documents.layout.pdf import render
from modules.documents.layout.style import Style
from modules.documents.papers.paper import Paper, PaperLine, Party
from modules.documents.template import Template
from tests.bench.pages import measure, sample

KINDS = {
    "azur": "proposals", "cyan": "proposals", "einstein": "orders", "eratosthene": "orders", "crabe": "invoices",
    "sponge": "invoices",
}  # fmt: skip
LANGUAGES = ("en_US", "fr_FR", "de_DE", "es_ES", "it_IT", "nl_NL", "pt_PT", "pl_PL")
STYLES = (
    Style(),
    Style(table="striped", head="band", columns=("number", "ref", "text", "qty", "price", "discount", "vat", "total")),
    Style(table="ruled", columns=("ref", "text", "vat", "price", "qty", "discount", "total"), size=9),
)

HOSTILE = (
    "<img src='http://127.0.0.1:9/'/>", "<img src='/etc/hostname'/>", "a <b>x", "&", "&amp;", "<para>", "</font>",
    "<font color=\"[[[getattr(pow,Word('__globals__'))['os'].system('touch /tmp/owned') for Word in [1]]]]\">x</font>",
    "{{7*7}} ${7*7} %(title)s {page}", "(un)balanced ( \\ \\) \\n \\101", "W" * 10_000, "q Q BT ET Tj <41> [(",
    "\x00\x07\x1b[31m", "\ufeff\u200b\u202e\u2066x", "\ud83d\ude00", "😀 👩‍👩‍👧 \ufe0f", "\U0010ffff\ue000", "é" * 500,
    "e\u0301" * 200, "\n" * 50, " " * 5000, "\u2028\u2029\r\n\t", "%PDF-1.4\nendstream endobj", "שלום <b> (שלום) 123", "ﷺ ﷽",
    "\u0627\u0644\u0644\u0647 " * 300, "漢字" * 500, "ไทย हिन्दी ქართული ՀԱՅ አማርኛ",
)  # fmt: skip


def text_of(pdf: bytes) -> str:
    """All text of a file, every space an ordinary one."""
    return _plain(" ".join(page.extract_text() for page in PdfReader(BytesIO(pdf)).pages))


def pages_of(pdf: bytes) -> list[str]:
    """The text of each page."""
    return [_plain(page.extract_text()) for page in PdfReader(BytesIO(pdf)).pages]


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def tight(text: str) -> str:
    """A text without spaces: what was wrapped is one again."""
    return re.sub(r"\s+", "", text)


def paper(*lines: PaperLine, **options: Any) -> Paper:
    """A small paper."""
    return Paper(
        **{
            "language": "en_US",
            "title": "Invoice",
            "ref": "FA2611-0001",
            "sender": Party(["Comptoir", "Lyon"]),
            "recipient": Party(["Customer", "Paris"]),
            "lines": list(lines),
            "totals": [("Total incl. VAT", "€999.99", True)],
            **options,
        }
    )


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A server over SQLite with a company and its bank."""
    served = Served(make_settings(tmp_path_factory.mktemp("pages")))
    client = served.client()
    company = {
        "name": "Comptoir des Exemples", "address": "12 rue de la Démonstration", "zip": "69002", "town": "Lyon",
        "country_id": 1, "country_code": "FR", "idprof1": "123456782", "tva_intra": "FR32123456782", "capital": "10000",
        "currency_code": "EUR",
    }  # fmt: skip
    client.ask("PUT", "/setup/company", company)
    for name, value in (("MAIN_BANK_IBAN", "FR7630006000011234567890189"), ("MAIN_BANK_BIC", "AGRIFRPP")):
        constant(name, value)
    yield client
    served.close()


def constant(name: str, value: str) -> None:
    """Set a constant of the server in force."""
    importlib.import_module("modules.setup.constants").set_constant(name, value)


def template(name: str) -> Any:
    """A native template."""
    module = importlib.import_module(f"modules.{KINDS[name]}.doctemplates.pdf_{name}")
    return getattr(module, name.title())()


def customer(shop: Client, **fields: Any) -> int:
    """A customer."""
    body = {"name": "Ateliers Réunis", "client": 1, "code_client": "auto", "address": "8 quai", "town": "Le Havre"}
    identifier: int = shop.ask("POST", "/thirdparties", body | fields)
    return identifier


def document(shop: Client, name: str, **fields: Any) -> dict[str, Any]:
    """The record of a new draft of a template's kind."""
    body = {"socid": fields.pop("socid", 0) or customer(shop), "date": "2026-11-21"} | fields
    identifier = shop.ask("POST", f"/{KINDS[name]}", body)
    record: dict[str, Any] = template(name).documents.read(identifier)
    return record


def chance_lines(chance: random.Random) -> list[dict[str, Any]]:
    """Some lines."""
    return [
        {
            "desc": chance.choice(("Fitting on site", "Livraison au quai n° 4", "Größe XL\nzweite Zeile", "x" * 200)),
            "qty": chance.choice((1, 2, "1.5", "0.125", 1200)),
            "subprice": f"{chance.randrange(0, 10 ** chance.randrange(2, 9)) / 10 ** chance.randrange(0, 5):.5f}",
            "tva_tx": chance.choice(("20", "10", "5.5", "0")),
            "remise_percent": chance.choice((0, 0, 0, 5, "12.5")),
        }
        for _ in range(chance.choice((1, 2, 5, 30)))
    ]


# What is printed -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_every_figure_of_a_record_is_printed(shop: Client, seed: int) -> None:
    chance = random.Random(seed)
    name = list(KINDS)[seed % len(KINDS)]
    language = chance.choice(LANGUAGES)
    record = document(shop, name, lines=chance_lines(chance), ref_client="PO/77-A", note_public="Ring twice.")
    text = text_of(template(name).render(template(name).paper(record, language)))

    def shown(value: Any, pattern: str = "#,##0.00######") -> str:
        return _plain(format_decimal(Decimal(str(value)), pattern, locale=language))

    for line in record["lines"]:
        assert shown(line["subprice"]) in text
        assert shown(line["total_ht"]) in text
        assert shown(line["qty"], "#,##0.########") in text
        if Decimal(str(line["remise_percent"])):
            assert shown(line["remise_percent"], "0.####") in text
        assert tight(line["desc"]) in tight(text)
    for field in ("total_ht", "total_tva", "total_ttc"):
        assert shown(record[field]) in text
    assert record["ref"] in text
    assert "PO/77-A" in text
    assert "Ring twice." in text
    assert format_date(datetime.date(2026, 11, 21), "medium", locale=language) in text
    rates = {line["tva_tx"] for line in record["lines"]}
    for rate in rates:
        base = sum(Decimal(line["total_ht"]) for line in record["lines"] if line["tva_tx"] == rate)
        assert shown(base) in text


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_template_speaks_every_language(shop: Client, name: str, language: str) -> None:
    record = document(shop, name, lines=[{"desc": "Thing", "qty": 2, "subprice": "1234.5", "tva_tx": 20}])
    drawn = template(name).paper(record, language)
    assert drawn.language == language
    text = text_of(template(name).render(drawn))
    assert drawn.title in text
    assert all(label in text and amount in text for label, amount, _ in map(_plain_row, drawn.totals))


def _plain_row(row: tuple[str, str, bool]) -> tuple[str, str, bool]:
    return _plain(row[0]), _plain(row[1]), row[2]


def test_a_proposal_says_who_what_until_when_and_how_to_pay(shop: Client) -> None:
    socid = customer(shop, tva_intra="FR40303265045", idprof1="303265045", country_id=1, zip="76600")
    record = document(
        shop, "azur", socid=socid, duree_validite=30, cond_reglement_id=2, mode_reglement_id=2,
        delivery_date="2026-12-04", lines=[{"desc": "Thing", "qty": 1, "subprice": 10, "tva_tx": 20}],
    )  # fmt: skip
    text = text_of(template("azur").render(template("azur").paper(record, "fr_FR")))
    for part in (
        "Proposition commerciale", "Comptoir des Exemples", "12 rue de la Démonstration", "69002 Lyon",
        "Ateliers Réunis", "76600 Le Havre", "Valable jusqu’au 21 déc. 2026", "Date de livraison 4 déc. 2026",
        "FR40303265045", "SIREN 303265045", "À 30 jours", "Virement bancaire", "FR76 3000 6000 0112 3456 7890 189",
        "AGRIFRPP", "Bon pour accord", "SIREN 123456782", "N° de TVA FR32123456782", "Page 1 sur 1", "BROUILLON",
        "Capital 10 000,00 €",
    ):  # fmt: skip
        assert part in text, part
    shop.ask("POST", f"/proposals/{record['id']}/validate", {})
    record = template("azur").documents.read(record["id"])
    assert "BROUILLON" not in text_of(template("azur").render(template("azur").paper(record, "fr_FR")))


def test_titles_head_their_lines_sum_them_and_options_count_nowhere(shop: Client) -> None:
    lines = [
        {"desc": "Chapter one", "product_type": 9},
        {"desc": "First", "qty": 2, "subprice": "10.50", "tva_tx": 20},
        {"desc": "Second", "qty": 1, "subprice": "100.25", "tva_tx": 20},
        {"desc": "Chapter two", "product_type": 9},
        {"desc": "Perhaps", "qty": 0, "subprice": "77.70", "tva_tx": "5.5"},
        {"desc": "Third", "qty": 1, "subprice": "9.00", "tva_tx": 10},
    ]
    record = document(shop, "azur", lines=lines)
    drawn = template("azur").paper(record, "en_US")
    # 2 × 10.50 + 100.25 = 121.25
    assert [(line.kind, line.total) for line in drawn.lines if line.kind == "subtotal"] == [
        ("subtotal", "121.25"), ("subtotal", "9.00"),
    ]  # fmt: skip
    assert [rate for rate, _, _ in drawn.taxes] == ["10%", "20%"]
    text = text_of(template("azur").render(drawn))
    assert text.index("Chapter one") < text.index("First") < text.index("121.25") < text.index("Chapter two")
    assert "Option" in text and "77.70" in text


def test_units_products_and_periods_are_printed(shop: Client) -> None:
    unit = next(row for row in shop.get("/setup/dictionary/units") if row["code"] == "P")
    product = shop.ask(
        "POST", "/products",
        {"ref": "KET-1", "label": "Kettle", "price": "12.34", "tva_tx": "20", "fk_unit": unit["rowid"] if "rowid" in unit else unit["id"]},
    )  # fmt: skip
    start, end = 1795219200, 1795305600  # 2026-11-21 and the day after
    lines = [{"fk_product": product, "qty": "1.5", "date_start": start, "date_end": end, "tva_tx": 20}]
    for name in KINDS:
        text = text_of(template(name).render(template(name).paper(document(shop, name, lines=lines), "de_DE")))
        for part in ("KET-1", "Kettle", "1,5 Stk.", "Vom 21.11.2026 bis 22.11.2026"):
            assert part in text, (name, part)


def test_an_invoice_says_what_is_paid_and_what_remains(shop: Client) -> None:
    record = document(shop, "crabe", lines=[{"desc": "Thing", "qty": 1, "subprice": 100, "tva_tx": 20}])
    shop.ask("POST", f"/invoices/{record['id']}/validate", {})
    record = template("crabe").documents.read(record["id"])
    assert "Remaining to pay" not in text_of(template("crabe").render(template("crabe").paper(record, "en_US")))
    record |= {"totalpaid": "20.00000000", "totaldeposits": "30.00000000", "remaintopay": "70.00000000"}
    for name in ("crabe", "sponge"):
        text = text_of(template(name).render(template(name).paper(record, "en_US")))
        for part in ("Already paid €20.00", "Deposits €30.00", "Remaining to pay €70.00", "Due date"):
            assert part in text, part


@pytest.mark.parametrize("kind, title", [(0, "Rechnung"), (3, "Anzahlungsrechnung"), (4, "Proformarechnung")])
def test_an_invoice_is_called_what_it_is(shop: Client, kind: int, title: str) -> None:
    record = document(shop, "crabe", type=kind, lines=[{"desc": "Thing", "qty": 1, "subprice": 100, "tva_tx": 20}])
    assert template("crabe").paper(record, "de_DE").title == title


def test_a_credit_note_names_the_invoice_it_corrects(shop: Client) -> None:
    lines = [{"desc": "Thing", "qty": 1, "subprice": 100, "tva_tx": 20}]
    first = document(shop, "crabe", lines=lines)
    shop.ask("POST", f"/invoices/{first['id']}/validate", {})
    ref = shop.get(f"/invoices/{first['id']}")["ref"]
    record = document(shop, "sponge", socid=first["socid"], type=2, fk_facture_source=first["id"], lines=lines)
    text = text_of(template("sponge").render(template("sponge").paper(record, "fr_FR")))
    assert "Avoir" in text
    assert f"Corrige {ref}" in text
    assert "-120,00 €" in text


def test_the_language_is_the_recipients_then_the_companys(shop: Client) -> None:
    lines = [{"desc": "Thing", "qty": 1, "subprice": 100, "tva_tx": 20}]
    polish = document(shop, "azur", socid=customer(shop, default_lang="pl_PL"), lines=lines)
    none = document(shop, "azur", lines=lines)
    odd = document(shop, "azur", socid=customer(shop, default_lang="ja_JP"), lines=lines)
    assert template("azur").paper(polish).language == "pl_PL"
    assert template("azur").paper(polish, "it_IT").language == "it_IT"
    assert template("azur").paper(none).language == "en_US"
    constant("MAIN_LANG_DEFAULT", "nl_BE")
    try:
        assert template("azur").paper(none).language == "nl_BE"
        assert template("azur").paper(odd).language == "nl_BE"
    finally:
        constant("MAIN_LANG_DEFAULT", "")
    with pytest.raises(BadRequest, match="langcode"):
        template("azur").paper(none, "ja_JP")


def test_the_contact_with_the_role_is_addressed(shop: Client) -> None:
    record = document(shop, "azur", lines=[{"desc": "Thing", "qty": 1, "subprice": 100, "tva_tx": 20}])
    contact = shop.ask("POST", "/contacts", {"lastname": "Nowak", "firstname": "Ada", "socid": record["socid"]})
    shop.ask("POST", f"/proposals/{record['id']}/contact/{contact}/CUSTOMER", {})
    drawn = template("azur").paper(template("azur").documents.read(record["id"]), "en_US")
    assert drawn.recipient.address[1] == "Attn. Ada Nowak"


def test_an_outsiders_template_is_a_few_lines(shop: Client) -> None:
    class Plain(Template):
        documents = template("einstein").documents
        title = "Waybill"

    record = document(shop, "einstein", lines=[{"desc": "Thing", "qty": 1, "subprice": 100, "tva_tx": 20}])
    text = text_of(Plain().render(Plain().paper(record, "fr_FR")))
    assert "Waybill" in text and "120,00 €" in text


def test_the_old_profile_prints_the_same(tmp_path: Path) -> None:
    served = Served(make_settings(tmp_path, profile_name="dolibarr16"))
    try:
        client = served.client()
        record = document(
            client, "azur", socid=customer(client), lines=[{"desc": "Thing", "qty": 2, "subprice": 100, "tva_tx": 20}]
        )
        text = text_of(template("azur").render(template("azur").paper(record, "en_US")))
        assert "€240.00" in text and "Nov 21, 2026" in text
    finally:
        served.close()


# The file ------------------------------------------------------------------------------------------------------------


def test_the_file_names_itself_and_has_bookmarks_and_only_embedded_fonts() -> None:
    lines = [PaperLine(kind="title", label="Chapter"), PaperLine(text="Γειά, привет", total="1.00")]
    reader = PdfReader(BytesIO(render(paper(*lines), Style())))
    assert reader.metadata is not None
    assert reader.metadata.title == "Invoice FA2611-0001"
    assert reader.metadata.author == "Comptoir"
    assert reader.metadata.subject == "Customer"
    assert [each.title for each in reader.outline if not isinstance(each, list)] == ["Invoice FA2611-0001", "Total"]
    assert any(isinstance(each, list) and each[0].title == "Chapter" for each in reader.outline)
    box = reader.pages[0].mediabox
    assert (round(box.width), round(box.height)) == (595, 842)
    for font in reader.pages[0]["/Resources"]["/Font"].values():
        assert "/FontFile2" in font.get_object()["/FontDescriptor"]


def test_the_logo_is_a_picture_of_bytes_and_nothing_else() -> None:
    files = {}
    for kind in ("PNG", "JPEG", "GIF", "BMP"):
        file = BytesIO()
        Image.new("RGB", (60, 30), "red").save(file, kind)
        files[kind] = file.getvalue()
    for kind in ("PNG", "JPEG"):
        reader = PdfReader(BytesIO(render(paper(logo=files[kind]), Style(head="band"))))
        assert len(reader.pages[0].images) == 1
    for other in (files["GIF"], files["BMP"], b"http://127.0.0.1/logo.png", b"/etc/passwd", b"", files["PNG"][:40]):
        assert picture_of(other) is None
        reader = PdfReader(BytesIO(render(paper(logo=other), Style())))
        assert len(reader.pages[0].images) == 0
    large = BytesIO()
    Image.new("1", (20_000, 20_000)).save(large, "PNG")
    assert picture_of(large.getvalue()) is None


def test_the_address_stands_where_the_window_is() -> None:
    for side, left in (("left", 19.9), ("right", 110)):
        found: list[tuple[float, float]] = []

        def note(text: str, _: Any, matrix: Any, *__: Any, found: list[tuple[float, float]] = found) -> None:
            if "WindowStreet" in text:
                found.append((matrix[4] / 72 * 25.4, 297 - matrix[5] / 72 * 25.4))

        drawn = paper(recipient=Party(["Customer", "WindowStreet 7", "Paris"]), window=side)
        PdfReader(BytesIO(render(drawn, Style()))).pages[0].extract_text(visitor_text=note)
        x, y = found[-1] if side == "left" else found[0]
        assert left <= x <= 200 and 45 <= y <= 85


# Pages ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.table)
def test_the_totals_are_never_parted_from_the_last_line(style: Style) -> None:
    for count in range(1, 70):
        lines = [PaperLine(ref=f"R{n}", text=f"line number {n}.", total=f"{n}.00") for n in range(count)]
        pages = pages_of(render(paper(*lines, taxes=[("20%", "1.00", "0.20")] * 4), style))
        page = next(page for page in pages if "€999.99" in page)
        assert f"line number {count - 1}." in page
        assert page.index(f"line number {count - 1}.") < page.index("€999.99")
        joined = " ".join(pages)
        assert [joined.count(f"line number {n}.") for n in range(count)] == [1] * count
        for number, text in enumerate(pages, 1):
            assert f"Page {number} of {len(pages)}" in text
            assert "FA2611-0001" in text and "Comptoir" in text
            if "line number" in text:
                assert "Description" in text


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.table)
@pytest.mark.parametrize("place", (0, 3))
@pytest.mark.parametrize("words", (300, 2000, 6000))
def test_a_description_longer_than_a_page_goes_on(style: Style, place: int, words: int) -> None:
    lines = [PaperLine(text=f"short {n}.", total="1.00") for n in range(4)]
    lines[place].text = " ".join(f"w{n}." for n in range(words))
    pages = pages_of(render(paper(*lines), style))
    assert len(pages) >= words // 1000
    said = [word for page in pages for word in re.findall(r"\bw\d+\.", page)]
    assert said == [f"w{n}." for n in range(words)]
    last = next(page for page in pages if "€999.99" in page)
    assert (f"w{words - 1}." if place == 3 else "short 3.") in last


def test_a_title_stays_with_its_first_line() -> None:
    for count in range(20, 50):
        lines = [PaperLine(text=f"line {n}.", total="1.00") for n in range(count)]
        lines += [PaperLine(kind="title", label="Heading"), PaperLine(text="first below."), PaperLine(text="last.")]
        page = next(page for page in pages_of(render(paper(*lines), Style())) if "Heading" in page)
        assert "first below." in page


def test_long_notes_many_rates_and_many_facts_find_their_place() -> None:
    drawn = paper(
        PaperLine(text="one"),
        taxes=[(f"{n}%", f"{n}.11", f"{n}.22") for n in range(200)],
        note="\n".join(f"note {n}." for n in range(300)),
        facts=[(f"Fact {n}", f"value {n} " * 20) for n in range(12)],
        terms=[("Payment terms", "soon " * 200)],
        legal=["small print " * 60],
        acceptance=True,
    )
    text = text_of(render(drawn, Style()))
    assert all(f"note {n}." in text for n in range(300))
    assert all(f"{n}.11" in text and f"{n}.22" in text for n in range(200))


def test_numbers_of_any_length_are_printed_whole() -> None:
    long = "9,999,999,999,999,999.12345678"
    line = PaperLine(
        text="x", vat="99.9999% (ABCDEFGHIJ)", price=long, qty=f"{long} pcs", discount="33.333%", total=long
    )
    for style in STYLES:
        text = tight(text_of(render(paper(line, totals=[("Total", f"€{long}", True)]), style)))
        assert text.count(long) == 4
        assert "99.9999%(ABCDEFGHIJ)" in text


def test_line_feeds_stay_and_nothing_is_needed() -> None:
    text = PdfReader(BytesIO(render(paper(PaperLine(text="a\nb"), note="c\nd"), Style()))).pages[0].extract_text()
    assert "a\nb" in text and "c\nd" in text
    assert len(PdfReader(BytesIO(render(Paper("en_US", "", ""), Style()))).pages) == 1


# Scripts and hostile texts -------------------------------------------------------------------------------------------


def test_letters_of_other_scripts_are_printed() -> None:
    words = ("Zażółć", "Straße", "Ελληνικά", "Русский", "漢字", "かな", "한국어", "ไทย", "Việt", "Türkçe", "Ő")
    text = text_of(render(paper(*(PaperLine(label=word, text=word) for word in words)), Style()))
    for word in words:
        assert word in text, word


@pytest.mark.parametrize("word", ("שלום", "العربية", "فارسی"))
def test_words_from_right_to_left_are_printed_in_the_order_of_the_page(word: str) -> None:
    text = unicodedata.normalize("NFKC", text_of(render(paper(PaperLine(text=word)), Style())))
    assert word in text or word[::-1] in text


def test_a_line_from_right_to_left_stands_at_the_right() -> None:
    places: dict[str, float] = {}

    def note(text: str, _: Any, matrix: Any, *__: Any) -> None:
        places.setdefault("right" if "א" in text else "left" if "abc" in text else "", matrix[4])

    page = PdfReader(BytesIO(render(paper(PaperLine(text="abc"), PaperLine(text="א")), Style()))).pages[0]
    page.extract_text(visitor_text=note)
    assert places["right"] > places["left"] + 100


def test_without_a_font_for_chinese_the_readers_one_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fonts, "CJK_FILES", ())
    fonts._third.cache_clear()
    for font in fonts.fonts():
        monkeypatch.setattr(font, "_writers", fonts._Known(font._writer))
    try:
        file = render(paper(PaperLine(text="漢字 and 😀", qty="漢")), Style())
    finally:
        fonts._third.cache_clear()
    page = PdfReader(BytesIO(file)).pages[0]
    assert "/STSong-Light" in str([font.get_object() for font in page["/Resources"]["/Font"].values()])
    assert "漢字" in page.extract_text()


def test_what_no_font_has_is_replaced_where_it_can_be_seen() -> None:
    text = text_of(render(paper(PaperLine(text="before 😀 after")), Style()))
    assert "before \ufffd after" in text


@pytest.mark.parametrize("hostile", HOSTILE, ids=lambda text: ascii(text)[:24])
def test_texts_are_printed_literally_and_touch_nothing(hostile: str, monkeypatch: pytest.MonkeyPatch) -> None:
    render(paper(PaperLine(text="漢 א"), logo=None), Style())

    def forbidden(*_: Any, **__: Any) -> None:
        raise AssertionError("a file or the network was touched")

    drawn = paper(
        PaperLine(kind="title", label=hostile),
        PaperLine(ref=hostile[:50], label=hostile, text=hostile, qty=hostile[:50]),
        ref=hostile[:30],
        title=hostile,
        note=hostile,
        draft=True,
        sender=Party([hostile, hostile], [hostile]),
        recipient=Party([hostile, hostile]),
        facts=[(hostile, hostile)],
        terms=[(hostile, hostile)],
        totals=[(hostile, "€999.99", True)],
        legal=[hostile],
        acceptance=True,
    )
    with monkeypatch.context() as patch:
        patch.setattr(socket.socket, "connect", forbidden)
        patch.setattr(builtins, "open", forbidden)
        files = [render(drawn, style) for style in STYLES]
    for file in files:
        text = tight(text_of(file))
        if hostile.isascii() and hostile.isprintable():
            assert tight(hostile) in text
        assert "€999.99" in text


def test_ten_thousand_letters_wrap_inside_their_column() -> None:
    reader = PdfReader(BytesIO(render(paper(PaperLine(text="m" * 10_000)), Style())))
    assert sum(page.extract_text().count("m") for page in reader.pages) >= 10_000
    assert max(len(line) for page in reader.pages for line in page.extract_text().splitlines()) < 120


def test_threads_do_not_disturb_each_other() -> None:
    def make(number: int) -> str:
        line = PaperLine(text=f"Ελληνικά 漢字 שלום {chr(0x4E00 + number)} {number}")
        return text_of(render(paper(*[line] * 20), Style()))

    with ThreadPoolExecutor(8) as threads:
        for number, text in enumerate(threads.map(make, range(80))):
            assert f"{chr(0x4E00 + number)} {number}" in text


# What it costs -------------------------------------------------------------------------------------------------------


def test_a_page_costs_at_most_three_times_the_smallest_program() -> None:
    found = measure(0.3)
    assert found["2 lines: time of the smallest program"] < 3
    assert found["200 lines: time of the smallest program"] < 3


def test_a_thousand_lines_need_little_memory() -> None:
    render(sample(2), Style())
    tracemalloc.start()
    try:
        render(sample(1000), Style())
        assert tracemalloc.get_traced_memory()[1] < 30_000_000
    finally:
        tracemalloc.stop()
