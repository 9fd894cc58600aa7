"""What a method returns, held against its annotation."""

from __future__ import annotations

import logging
from decimal import Decimal
from typing import Annotated, Any, Literal, TypedDict

import pytest

from core.contract.api import Accepted, ByProfile, File
from core.contract.results import types_of, unfit_result

API = '''
from typing import Annotated, Any

class Results:
    """Results.

    """

    def number(self) -> int:
        """Return a text."""
        return "seven"

    def records(self) -> list[Annotated[dict[str, Any], "cards"]]:
        """Return one record."""
        return {"id": 1}

    def words(self) -> list[str]:
        """Return a set."""
        return {"one"}

    def nothing(self) -> None:
        """Return something."""
        return 1

    def right(self) -> int | None:
        """Return a number."""
        return 7

    def delete(self, id: int) -> dict[str, Any]:
        """Delete one."""
        return id

    def silent(self):
        """Return anything."""
        return {"one": {1}}
'''
WRONG = {
    "number": ("int", "str", "seven"),
    "records": ("list", "dict", {"id": 1}),
    "words": ("list", "set", ["one"]),
    "nothing": ("NoneType", "int", 1),
}


@pytest.fixture
def served(serve, folder, write):
    write("results/class/api_results.py", API)
    return serve(modules=str(folder))


def message(name):
    expected, got, _ = WRONG[name]
    line = 1 + API[: API.index(f"def {name}(")].count("\n")
    return (
        f"results/class/api_results.py:{line}: Results.{name} returned a value of the wrong type: "
        f"expected {expected}, got {got}"
    )


@pytest.mark.parametrize("name", WRONG)
def test_a_test_fails(served, name):
    client = served.client()
    for _ in range(2):
        with pytest.raises(AssertionError) as error:
            client.get(f"/results/{name}")
        assert str(error.value) == message(name)
    assert client.get("/results/right") == 7
    assert client.get("/results/silent") == {"one": [1]}


def test_an_entry_of_a_batch_fails_as_well(served):
    with pytest.raises(AssertionError, match=r"Results\.delete returned .*: expected dict, got int"):
        served.client().ask("POST", "/results/batch", {"entries": [{"method": "DELETE", "id": 1}]})


def test_a_server_logs_it_once(served, caplog, monkeypatch):
    monkeypatch.setattr(unfit_result, "value", None)
    caplog.set_level(logging.WARNING, "comptoir")
    client = served.client()
    for _ in range(3):
        for name, (_, _, answer) in WRONG.items():
            assert client.get(f"/results/{name}") == answer
        client.get("/results/right")
    told = [record.getMessage() for record in caplog.records if record.name == "comptoir"]
    assert told == [message(name) for name in WRONG]


class Point(TypedDict):
    """A place."""

    x: int


@pytest.mark.parametrize(
    ("annotation", "fits", "fails"),
    [
        (int, [1, True], ["1", 1.0, None]),
        (float, [1.5, 1], ["1", None]),
        (str, ["a"], [1]),
        (bool, [True], [1]),
        (None, [None], [0]),
        (Decimal, [Decimal(1)], [1]),
        (list[int], [[]], [(), {}, None]),
        (dict[str, Any], [{}], [[]]),
        (Point, [{}], [[]]),
        (int | None, [1, None], ["1"]),
        (Literal["a", "b"], ["a"], [1]),
        (Annotated[Point | int, ByProfile("any")], [{}, 1], [[]]),
        (list[Point] | Point, [[], {}], ["x"]),
        (File, [File(b"", "a")], [b""]),
        (Accepted | int, [Accepted(1), 1], ["1"]),
        (Any, [1, None, object()], []),
        ("unknown", [1], []),
    ],
)
def test_the_outermost_type_is_looked_at(annotation, fits, fails):
    types = types_of(annotation)
    assert all(isinstance(each, types) for each in fits)
    assert not any(isinstance(each, types) for each in fails)
