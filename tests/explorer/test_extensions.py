"""The extensions of the OpenAPI documents have correct values."""

from datetime import UTC, datetime
from typing import Any

import pytest

from core.storage.sqlfilters import LIST, NULL, ONE, OPERATORS, TWO
from core.testing import Served, make_settings

Schema = dict[str, Any]


@pytest.fixture(scope="module", params=["specification", "dolibarr16"])
def document(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("extensions")
    words = folder / "modules" / "words" / "class" / "api_words.py"
    words.parent.mkdir(parents=True)
    words.write_text(WORDS)
    served = Served(make_settings(folder, modules=str(folder / "modules"), profile_name=request.param))
    # The tag of a document stands in those of single services alone
    whole = served.client().get("/explorer/openapi.json")
    clerk = served.user("thirdparties.read").get("/explorer/openapi/words.json")
    yield {**whole, "x-of-a-service": clerk}
    served.close()


WORDS = '''
from core import Api


class Words(Api):
    """Words."""

    def say(self, size: int, since: int, kind: int = 0) -> int:
        """Say one.

        Loudly.

        :url: GET say
        :param size: how large {@values 1 small, 2: as large as possible} {@min 1} {@max 2}
        :param since: since when {@type timestamp}
        :param kind: {@values 0 all, 1 some}
        :permission: read
        :deprecated: use ``sing``
        """
        return 1

    def sing(self) -> int:
        """Sing one.

        :url: GET sing
        :raises Unauthorized: nobody sings after ten
        """
        return 1
'''


def schemas_in(said):
    """Every object of a document."""
    if isinstance(said, list):
        for each in said:
            yield from schemas_in(each)
    elif isinstance(said, dict):
        yield said
        for each in said.values():
            yield from schemas_in(each)


def fields_of(document):
    """Every field of every object: the object's fields, its name, its schema."""
    for each in schemas_in(document):
        properties = each.get("properties")
        if isinstance(properties, dict):
            for name, schema in properties.items():
                yield properties, name, schema


def test_a_second_name_is_one_of_a_field_beside_it(document):
    aliases = [(fields, each["x-alias-of"]) for fields, _, each in fields_of(document) if "x-alias-of" in each]
    assert len(aliases) > 10
    assert [name for fields, name in aliases if name not in fields] == []


def resolved(schema, document):
    """A component, where it is referred to."""
    return document["components"]["schemas"][schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema


def test_the_names_of_enums_are_those_of_their_values(document):
    enums = {name: each for name, each in document["components"]["schemas"].items() if "enum" in each}
    assert {"ProposalStatut", "OrderStatut", "Flag"} <= enums.keys()
    assert enums["ProposalStatut"]["x-enum-varnames"] == ["DRAFT", "VALIDATED", "SIGNED", "REFUSED", "BILLED"]
    assert enums["Flag"]["x-enum-varnames"] == ["NO", "YES"]
    for each in enums.values():
        names = each.get("x-enum-varnames", each["enum"])
        assert len(set(names)) == len(each["enum"]), each


def test_meanings_are_of_values_that_may_be(document):
    found = [each for each in schemas_in(document) if "x-values" in each]
    assert len(found) > 20
    for each in found:
        parts = [resolved(part, document) for part in (each, *each.get("anyOf", ()))]
        known = [value for part in parts for value in part.get("enum", ())]
        assert not known or set(each["x-values"]) <= {str(value) for value in known}, each
    state = resolved(document["components"]["schemas"]["Proposal"]["properties"]["statut"], document)
    assert (state["x-values"]["0"], state["x-values"]["2"]) == ("draft", "signed")


def test_a_docstring_says_what_values_mean(document):
    size, since, kind, prefer = document["paths"]["/words/say"]["get"]["parameters"]
    assert size["schema"]["x-values"] == {"1": "small", "2": "as large as possible"}
    assert size["description"] == "how large: 1: small, 2: as large as possible"
    assert kind["description"] == "0: all, 1: some"
    assert since["schema"]["format"] == "unix-time"
    assert prefer == {"$ref": "#/components/parameters/Prefer"}


def test_right_and_deprecation_are_no_sentences(document):
    said = document["paths"]["/words/say"]["get"]
    assert (said["description"], said["deprecated"]) == ("Loudly.", True)
    assert (said["x-permission"], said["x-deprecated"]) == ("words.read", "use ``sing``")
    assert document["x-of-a-service"]["paths"]["/words/say"]["get"]["x-allowed"] is False


def test_a_refusal_that_an_author_explains_is_not_the_common_one(document):
    answers = [document["paths"][f"/words/{name}"]["get"]["responses"]["401"] for name in ("say", "sing")]
    assert [each.get("x-common", False) for each in answers] == [True, False]
    assert "after ten" in answers[1]["description"]


def test_operators_are_those_of_the_filter_language(document):
    told = next(
        each["x-operators"]
        for name, each in document["components"]["parameters"].items()
        if name.startswith("sqlfilters")
    )
    numbers = {NULL: 0, ONE: 1, TWO: 2, LIST: None}
    assert set(told) == set(OPERATORS) - {"!="}, "which is another spelling of <>"
    assert {name: each["values"] for name, each in told.items()} == {
        name: numbers[OPERATORS[name].takes] for name in told
    }
    assert all(each["meaning"] for each in told.values())
    assert {name for name, each in told.items() if each["pattern"]} == {"like", "notlike"}


def test_examples_name_the_day_that_the_document_tells(document):
    day = document["info"]["x-example-day"]
    assert datetime.fromisoformat(day).replace(tzinfo=UTC)
    body = document["paths"]["/orders"]["post"]["requestBody"]["content"]["application/json"]
    assert body["example"]["date"] == day
    payment = document["paths"]["/invoices/{id}/payments"]["post"]["requestBody"]["content"]["application/json"]
    paid = payment["example"]["datepaye"]
    # Only the default profile accepts ISO 8601 there
    assert (paid if isinstance(paid, str) else datetime.fromtimestamp(paid, UTC).date().isoformat()) == day
