"""From draft to validated document and back, on each kind; extra fields of lines on the way."""

from contextlib import nullcontext

from tests.modules.commercial.documents.desk import contents, nothing_written


def test_validation_gives_the_final_reference_once(desk, admin):
    identifier = desk.make({"qty": 1, "subprice": 1})
    record = admin.ask("POST", desk.path(identifier, "validate"), {})
    assert "PROV" not in record["ref"]
    assert (record["statut"], record["brouillon"], record["user_valid_id"]) == (1, None, 1)
    assert record["date_validation"] is not None
    assert admin.get(desk.path("ref", record["ref"]))["id"] == identifier
    back = desk.act(identifier, "settodraft")
    assert (back["statut"], back["ref"]) == (0, record["ref"])
    assert desk.act(identifier, "validate")["ref"] == record["ref"]
    desk.act(999999, "validate", status=404)


def test_references_follow_one_another_and_the_last_one_is_given_back(desk, admin):
    ids = [desk.make({"qty": 1, "subprice": 1}) for _ in range(3)]
    refs = [desk.act(identifier, "validate")["ref"] for identifier in reversed(ids)]
    numbers = [int(ref.rpartition("-")[2]) for ref in refs]
    assert numbers == list(range(numbers[0], numbers[0] + 3))
    # The first identifier got the last number
    admin.ask("DELETE", desk.path(ids[0]))
    assert desk.act(desk.make({"qty": 1, "subprice": 1}), "validate")["ref"] == refs[-1]


def test_without_lines(desk, admin):
    identifier = desk.make()
    with nothing_written() if desk.kind.needs_lines else nullcontext():
        desk.act(identifier, "validate", status=405 if desk.kind.needs_lines else 200)


#: what stays of a deleted document: the trail, its events, and a counter that also grows when a dictionary is filled
TRACES = ("comptoir_audit", "comptoir_event", "comptoir_generation")


def without_traces():
    """Every row of every table, except the traces of deleted records."""
    return {name: rows for name, rows in contents().items() if name not in TRACES}


def test_a_draft_is_deleted_with_what_belongs_to_it(desk, admin, extrafield, jane):
    extrafield(desk.kind.element, "colour")
    extrafield(f"{desk.kind.element}det", "shade")
    other = desk.make()
    before = without_traces()
    line = {"qty": 1, "array_options": {"options_shade": "dark"}}
    record = desk.made(line, array_options={"options_colour": "red"}, linked_objects={desk.kind.element: other})
    assert record["array_options"] == {"options_colour": "red"}
    assert record["lines"][0]["array_options"] == {"options_shade": "dark"}
    admin.ask("POST", desk.path(record["id"], "contact", jane, "BILLING"))
    assert without_traces() != before
    answer = admin.ask("DELETE", desk.path(record["id"]))
    assert answer["success"]["code"] == 200
    assert without_traces() == before
    for verb in ("GET", "DELETE"):
        admin.refused(verb, desk.path(record["id"]), status=404)


def test_extra_fields_of_a_line_are_merged(desk, admin, extrafield):
    element = f"{desk.kind.element}det"
    extrafield(element, "one")
    extrafield(element, "two")
    record = desk.made({"array_options": {"options_one": "a", "options_two": "b"}})
    path = desk.path(record["id"], "lines", record["lines"][0]["id"])
    for verb, sent, kept in (
        ("PATCH", {"options_one": "c"}, {"options_one": "c", "options_two": "b"}),
        ("PUT", {"options_two": "d"}, {"options_one": "c", "options_two": "d"}),
    ):
        assert admin.ask(verb, path, {"array_options": sent})["lines"][0]["array_options"] == kept
    answer = admin.simulate_patch(path, json={"array_options": {"options_three": "x"}})
    assert "array_options.options_three" in answer.headers["warning"]
