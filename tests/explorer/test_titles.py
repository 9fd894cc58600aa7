"""Titles: a few plain words of an operation, and the sentence that they were taken from in front of its description."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.common.settings import NATIVE_MODULES
from core.contract.annotations import Annotation
from core.contract.catalogue import Service, catalogue
from core.testing import Served, make_settings
from explorer.names import ordered
from explorer.titles import LONGEST, service_title, title_of, told_in_full

SAMPLES = Path(__file__).parent.parent / "samples" / "modules"


@pytest.mark.parametrize(
    ("sentence", "title"),
    [
        ("Create an order as a draft, with the `lines` that are sent.", "Create an order as a draft"),
        ("Delete a contact that nothing uses.", "Delete a contact"),
        ("List orders with their lines.", "List orders"),
        ("Create, change and delete all at once; answers it.", "Create, change and delete all at once"),
        ("Read `one` *card* of **the** [list](https://example.org/a).", "Read one card of the list"),
        ("Set `default_rib` and a_b of 2*3*4.", "Set default_rib and a_b of 2*3*4"),
        ("Pay 1.5 percent (of all).", "Pay 1.5 percent"),
        ("Sum.", "Sum"),
        ("", ""),
        ("Read " + "very " * 20 + "much", "Read " + "very " * 10 + "…"),
        ("x" * 100, "x" * 58 + " …"),
    ],
)  # fmt: skip
def test_a_title_is_the_main_part_in_plain_words(sentence: str, title: str) -> None:
    assert title_of(sentence) == title


def test_the_sentence_stands_before_the_description_unless_the_title_says_it_all() -> None:
    assert told_in_full("Create a card; answers it.", "More.") == "Create a card; answers it.\n\nMore."
    assert told_in_full("Create a card.", "More.") == "More."
    assert told_in_full("Create `a` card.", "") == "Create `a` card."


@pytest.mark.parametrize(
    ("class_name", "title"),
    [
        ("BankAccounts", "Bank accounts"), ("Loyalty_Cards_API", "Loyalty cards"), ("CardsApi", "Cards"),
        ("OpenRMAs", "Open RMAs"), ("_", "Crates"),
    ],
)  # fmt: skip
def test_a_service_is_titled_with_the_words_of_its_class_name(class_name: str, title: str) -> None:
    service = Service("crates", "crates", Path(), Annotation(), (), class_name=class_name)
    assert service_title(service) == title


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    served = Served(make_settings(tmp_path_factory.mktemp("titles"), modules=str(SAMPLES)))
    yield served
    served.close()


def test_every_operation_has_a_title_in_index_and_documents(served: Served) -> None:
    admin = served.client()
    listed = {each["id"]: each for one in admin.get("/explorer/index.json")["services"] for each in one["operations"]}
    for path in ("/explorer/openapi.json", "/explorer/swagger.json"):
        said: list[dict[str, Any]] = [each for verbs in admin.get(path)["paths"].values() for each in verbs.values()]
        assert {each["operationId"]: each["summary"] for each in said} == {
            key: each["title"] for key, each in listed.items()
        }
        for each in said:
            sentence = listed[each["operationId"]]["summary"]
            assert sentence.rstrip(".") == each["summary"] or each["description"].startswith(sentence)
    services = {each["name"]: each["title"] for each in admin.get("/explorer/index.json")["services"]}
    assert services["thirdparties"] == "Third parties" and services["stockmovements"] == "Stock movements"
    titles = {key: each["title"] for key, each in listed.items()}
    odd = re.compile(r"[`*.:;]|^(What|The|Change the fields)\b|…$|\s(of|in|a|the)$")
    assert {key: text for key, text in titles.items() if len(text) > LONGEST or odd.search(text)} == {}


def test_two_operations_of_a_service_have_different_titles_unless_one_method_serves_both(served: Served) -> None:
    native = [each for each in ordered(catalogue()) if str(each.file).startswith(str(NATIVE_MODULES))]
    assert served and native
    for service in native:
        methods: dict[str, set[str]] = {}
        for each in service.operations:
            methods.setdefault(title_of(each.annotation.summary), set()).add(each.name)
        assert {title: names for title, names in methods.items() if len(names) > 1} == {}, service.name
