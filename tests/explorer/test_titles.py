"""Titles: a few plain words of an operation, and the sentence that they were taken from in front of its description."""

import re
from collections import defaultdict
from pathlib import Path
from unittest.mock import Mock

import pytest

from core.common.settings import is_native
from core.contract.annotations import Annotation, read_annotation
from core.contract.catalogue import Operation, Service, catalogue
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
def test_a_title_is_the_main_part_in_plain_words(sentence, title):
    assert title_of(sentence) == title


def test_the_sentence_stands_before_the_description_unless_the_title_says_it_all():
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
def test_a_service_is_titled_with_the_words_of_its_class_name(class_name, title):
    service = Service("crates", "crates", Path(), Annotation(), (), class_name=class_name)
    assert service_title(service) == title


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    served = Served(make_settings(tmp_path_factory.mktemp("titles"), modules=str(SAMPLES)))
    yield served
    served.close()


def test_every_operation_has_a_title_in_index_and_documents(served):
    admin = served.client()
    listed = {each["id"]: each for one in admin.get("/explorer/index.json")["services"] for each in one["operations"]}
    for path in ("/explorer/openapi.json", "/explorer/swagger.json"):
        said = [each for verbs in admin.get(f"{path}?names=paths")["paths"].values() for each in verbs.values()]
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


#: first words of titles
VERBS = {
    "Accept", "Add", "Apply", "Cancel", "Change", "Check", "Close", "Convert", "Create", "Delete", "Download",
    "Generate", "List", "Log", "Make", "Mark", "Merge", "Pay", "Read", "Remove", "Reopen", "Repeat", "Replace", "Reverse",
    "Revoke", "Rotate", "Run", "Send", "Set", "Ship", "Sum", "Transfer", "Update", "Upload", "Validate",
}  # fmt: skip
#: sentences of a description
MOST_SENTENCES = 3
_MARKS = re.compile(r"`")
_CODE = re.compile(r"`[^`]*`|\{[^}]*\}")
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)")


def sentences(text):
    return len(_SENTENCE_END.findall(_CODE.sub("x", text)))


def texts_against_the_rules(operations):
    """The rules of `core/WRITING.md` for docstrings of operations."""
    wrong, addresses = [], defaultdict(list)
    for each in operations:
        said = each.annotation
        title = title_of(said.summary)
        addresses[each.service, title].append((each.origin, each.name, each.verb in ("PUT", "PATCH") and each.verb))
        if f"{title}." != _MARKS.sub("", said.summary):
            wrong.append(f"not all of the first line: {said.summary}")
        if len(title) > LONGEST or title.split()[0].rstrip(",") not in VERBS or len(title.split()) < 2:
            wrong.append(f"no verb, no object or too long: {title}")
        if sentences(said.description) > MOST_SENTENCES:
            wrong.append(f"too many sentences: {said.description}")
    # One method can serve several addresses, such as a path with and without its last part
    return wrong + [f"repeated: {service}: {title}" for (service, title), them in addresses.items() if len({*them}) > 1]


def native_services():
    return [each for each in ordered(catalogue()) if is_native(each.file)]


def test_every_native_operation_has_a_title_of_its_own_and_a_short_description(served):
    native = native_services()
    assert served and native
    assert texts_against_the_rules(each for service in native for each in service.operations) == []


def test_a_text_against_the_rules_is_found():
    def of(docstring, verb="GET", name="index"):
        return Operation(
            "crates", name, verb, "/crates", read_annotation(docstring), (), None, None, "protected", Mock(),
            origin="crates",
        )  # fmt: skip

    fine = of("List crates.\n\nOne. Two `a. b`. Three.")
    assert texts_against_the_rules([fine, fine, of("Read a crate.", name="get")]) == []
    for wrong in (
        [of("List crates.\n\nOne. Two. Three. Four.")],
        [of("The crates.")],
        [of("List.")],
        [of("List crates with all that is in them.")],
        [of("List " + "very " * 12 + "large crates.")],
        [fine, of("List crates.", name="other")],
        [of("Update a crate.", "PUT"), of("Update a crate.", "PATCH")],
    ):
        assert len(texts_against_the_rules(wrong)) == 1, wrong


def test_examples_are_useful(served):
    document = served.client().get("/explorer/openapi.json")
    examples, parameters = document["components"]["examples"], document["components"]["parameters"]
    contact, user = examples["Contact"]["value"], examples["User"]["value"]
    assert contact["lastname"] and contact["socname"] and contact["email"] and user["login"]
    assert parameters["sqlfilters-Contact"]["example"] == f"(t.lastname:like:'{contact['lastname'][:3]}%')"
    no_effect = []
    native = {each.name for each in native_services()}
    for path, verbs in document["paths"].items():
        for verb, each in verbs.items() if path.split("/")[1] in native else ():
            content = each.get("requestBody", {}).get("content", {}).get("application/json", {})
            properties, example = content.get("schema", {}).get("properties", {}), content.get("example")
            if isinstance(example, dict):
                unused = [name for name in example if properties.get(name, {}).get("description") == "no effect"]
                no_effect += [f"{verb} {path}: {name}" for name in unused]
    assert no_effect == []
    created = document["paths"]["/users/{id}/keys"]["post"]["requestBody"]["content"]["application/json"]["example"]
    # Restricted to permissions that a user may lack, the key would have no effect
    assert created["label"] and "rights" not in created
