"""What is refused, on each kind of document."""

import pytest

from tests.modules.commercial.documents.desk import DAY, ONE_KIND, nothing_written


@ONE_KIND
@pytest.mark.parametrize(
    ("fields", "line", "named"),
    [
        ({"socid": 999999}, {}, "999999"), ({}, {"fk_product": 999999}, "999999"), ({}, {"fk_unit": 999999}, "999999"),
    ],
)  # fmt: skip
def test_what_does_not_exist_is_404_and_named(desk, admin, fields, line, named):
    with nothing_written():
        message = admin.refused("POST", desk.path(), desk.body({"qty": 1}, line, **fields), status=404)
    assert named in message
    assert "SQL" not in message
    assert "constraint" not in message.lower()


def test_what_does_not_exist_cannot_be_named_later(desk, admin):
    record = desk.made({"qty": 1})
    with nothing_written():
        for verb in ("PUT", "PATCH"):
            message = admin.refused(verb, desk.path(record["id"]), {"socid": 999999, "date": DAY}, status=404)
            assert "999999" in message
        admin.refused("POST", desk.path(record["id"], "lines"), [{"desc": "x"}, {"fk_product": 999999}], status=404)
        line = desk.path(record["id"], "lines", record["lines"][0]["id"])
        admin.refused("PATCH", line, {"fk_unit": 999999}, status=404)


def test_dictionary_entries_must_exist(desk, admin):
    record = desk.made(cond_reglement_id=2, mode_reglement_id=2)
    assert (record["cond_reglement_code"], record["mode_reglement_code"]) == ("30D", "VIR")
    with nothing_written():
        for name in ("cond_reglement_id", "mode_reglement_id"):
            for verb, path in (("POST", desk.path()), ("PATCH", desk.path(record["id"]))):
                assert name in admin.refused(verb, path, desk.body({}, **{name: 4711}), status=400)
