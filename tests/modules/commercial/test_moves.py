"""Each operation on each kind of document in each state: the tables of `moves`."""

import pytest

from tests.modules.commercial.documents.desk import nothing_written
from tests.modules.commercial.moves import CASES, Office


@pytest.fixture(scope="module")
def office(admin):
    return Office(admin)


def name(each):
    return getattr(each, "service", each)


@pytest.mark.parametrize(("kind_of", "state"), CASES, ids=name)
def test_a_refusal_has_its_reason_lists_what_is_allowed_and_changes_nothing(office, kind_of, state):
    identifier = office.make(kind_of, state)
    expected = [(each, each.split(" ")[0], office.path(kind_of, identifier, each)) for each in kind_of.listed(state)]
    with nothing_written():
        for row, reason in kind_of.refused(state).items():
            answer = office.call(kind_of, identifier, row)
            assert answer.status_code == 405, f"{row} {answer.text}"
            error = answer.json["error"]
            assert (error["reason"], error["state"]) == (reason, state), row
            assert sorted((each["operation"], each["method"], each["path"]) for each in error["allowed"]) == expected


@pytest.mark.parametrize(
    ("kind_of", "state", "row"), [(*each, row) for each in CASES for row in each[0].succeeding(each[1])], ids=name
)
def test_what_is_allowed_succeeds_and_leads_where_it_should(office, kind_of, state, row):
    identifier = office.make(kind_of, state)
    before = office.read(kind_of, identifier)
    answer = office.call(kind_of, identifier, row)
    assert answer.status_code == 200, answer.text
    end = kind_of.end(row, state)
    if end is None:
        return
    after = office.read(kind_of, identifier)
    assert answer.json == after
    assert (after["statut"], after["brouillon"]) == (end.number, None if end.number else 1)
    same = {each: before[each] for each in before if each.startswith("total_")}
    assert {each: after[each] for each in same} == same
    # A draft that was validated before keeps its reference and the day of its validation
    kept = ("ref", "date_validation", "user_valid", "user_valid_id", "date_valid", "fk_user_valid")
    if state != "draft":
        assert [after.get(each) for each in kept] == [before.get(each) for each in kept]
    else:
        assert "PROV" in before["ref"] and "PROV" not in after["ref"]
    if kind_of.service == "orders":
        assert after["billed"] == (row == "POST setinvoiced")
        assert (after["status"], after["user_modification"]) == (end.number, after["user_author_id"])
