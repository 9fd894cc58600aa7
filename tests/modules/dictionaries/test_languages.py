"""Labels in eight languages: each one that is a word has all of them, and a label that was changed has none."""

import importlib
from pathlib import Path

import pytest

from core.loading.places import parse_texts
from core.storage.database import ensure_connected

FOLDER = Path(__file__).parents[3] / "modules/dictionaries/texts"
LANGUAGES = ("de", "en", "es", "fr", "it", "nl", "pl", "pt")
#: labels that are names: of firms, of forms of another country, and numbers
NAMES = {
    "company_types": {"TE_A_RI", "TE_B_RNI", "TE_C_FE"},
    "payment_types": {"KLA", "SOF", "BAN", "IDE", "GIR", "PPL"},
    "shipping_methods": {
        "COLSUI", "LETTREMAX", "UPS", "KIALA", "GLS", "CHRONO", "FEDEX", "TNT", "DHL", "DPD", "MAINFREIGHT",
    },
}  # fmt: skip


def path(name):
    return f"/setup/dictionary/{name}"


def test_the_languages_are_those_of_pdfs():
    assert tuple(sorted(file.stem for file in FOLDER.glob("*.po"))) == LANGUAGES


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.usefixtures("server")
def test_each_label_that_is_a_word_is_translated(language):
    ensure_connected()
    texts = parse_texts((FOLDER / f"{language}.po").read_text(), f"{language}.po")
    needed = set()
    seeds = importlib.import_module("modules.dictionaries.seeds")
    lists = importlib.import_module("modules.dictionaries.lists")
    for each in lists.DICTIONARIES.values():
        if each.names != each.name or each.name == "currencies":
            continue
        for entry in seeds.first_entries(each.model).values():
            proper = getattr(entry, "code", "") in NAMES.get(each.name, set())
            needed |= {(each.name, text) for field in each.translated[: 0 if proper else None]
                       if (text := getattr(entry, field))}  # fmt: skip
    assert needed - texts.keys() == set()
    assert {key for key in texts if key not in needed} <= {("shipping_methods", text) for _, text in texts}
    if language == "en":
        assert all(text == message for (_, text), message in texts.items())


def test_labels_in_a_language(admin):
    def label(name, lang, code, key="code"):
        (row,) = admin.get(path(name), lang=lang, sqlfilters=f"(t.{key}:=:'{code}')")
        return str(row["label"])

    assert label("payment_types", "", "LIQ") == label("payment_types", "en_GB", "LIQ") == "Cash"
    assert label("payment_types", "fr", "LIQ") == label("payment_types", "fr_CA", "LIQ") == "Espèces"
    assert label("civilities", "pl", "MR") == "Pan"
    assert label("units", "nl", "P") == "stuk"
    assert label("currencies", "de", "USD", "code_iso") == "US-Dollar"
    assert label("countries", "it", "DE") == "Germania"
    # a language that nobody has translated them into
    assert label("payment_types", "sv", "LIQ") == "Cash"
    # proper names
    assert label("socialnetworks", "pl", "linkedin") == "LinkedIn"
    assert admin.get(path("payment_terms/2"), lang="de")["descr"] == "Zahlbar innerhalb von 30 Tagen"
    assert admin.get(path("payment_types"), lang="fr", properties="label", limit=1) == [{"label": "Carte bancaire"}]


def test_a_label_that_was_changed_is_shown_so_in_every_language(server, admin):
    admin.ask("PUT", path("ordering_methods/1"), {"label": "By pigeon"})
    admin.ask("PUT", path("countries/240"), {"label": "Great Zimbabwe"})
    own = admin.ask("POST", path("ordering_methods"), {"code": "Own", "label": "By fax"})
    for lang in ("", *LANGUAGES):
        rows = {row["id"]: row["label"] for row in admin.get(path("ordering_methods"), lang=lang)}
        # an entry of their own is in their own words, whatever these are
        assert (rows[1], rows[own]) == ("By pigeon", "By fax")
        assert admin.get(path("countries/240"), lang=lang)["label"] == "Great Zimbabwe"
    assert [row["id"] for row in admin.get(path("countries"), filter="great z", lang="fr")] == [240]
    assert admin.get(path("countries"), filter="simbabwe", lang="de") == []
