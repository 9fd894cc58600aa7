"""What deletions, actions and links answer, of each operation that is served: the same in all of them, by the profile.

Whatever module comes next is held to it: a word behind an identifier is an action, unless it is listed here.
"""

import re
from typing import Any, get_args

import pytest

from core import Accepted
from core.contract.catalogue import catalogue
from core.for_natives import ByProfile

#: the last word of a POST below a record that creates or sends something, and returns that or its ID
MADE = {
    "values", "variants", "lines", "line", "payments", "purchase_prices", "per_customer", "per_quantity", "per_segment",
    "bankaccounts", "keys", "rotate", "secret", "test", "createuser", "shipment", "generatebankaccountdocument", "extrafields",
}  # fmt: skip


def is_record(annotation):
    return get_args(annotation)[:1] == (dict[str, Any],) and not any(
        isinstance(each, ByProfile) for each in getattr(annotation, "__metadata__", ())
    )


def _word(operation):
    """The last word of a path below a record; empty where there is none."""
    words = [each.lower() for each in operation.segments if not each.startswith("{")]
    below = re.search(r"\}/.*", operation.template)
    return words[-1] if words and below else ""


def _said(operation):
    return f"{operation.verb} {operation.template} answers {operation.result}"


@pytest.fixture(scope="module")
def operations(server):
    return list(catalogue().operations)


def test_every_deletion_answers_the_success_object(operations):
    deletions = [each for each in operations if each.verb == "DELETE"]
    assert len(deletions) > 45
    wrong = [_said(each) for each in deletions if "success" not in getattr(each.result, "__annotations__", ())]
    assert wrong == []


def test_every_action_and_every_link_answers_the_record(operations):
    actions = [each for each in operations if each.verb == "POST" and _word(each) and _word(each) not in MADE]
    actions += [each for each in operations if each.verb == "GET" and _word(each).startswith("set")]
    assert len(actions) > 35
    wrong = [_said(each) for each in actions if not is_record(each.result) and each.result is not Accepted]
    assert wrong == []


def test_what_is_listed_as_made_is_served(operations):
    assert MADE - {_word(each) for each in operations if each.verb == "POST"} == set()
