"""Types in docstrings, also as PHP writes them, and docstrings copied from PHP."""

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from core.contract.annotations import read_annotation
from core.contract.converters import docstring_type


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int", int),
        ("int|null", int | None),
        ("null|int", int | None),
        ("?int", int | None),
        ("?int[]", list[int] | None),
        ("int[]", list[int]),
        ("int[][]", list[list[int]]),
        ("array<int>", list[int]),
        ("list[decimal]", list[Decimal]),
        ("array<array<int>>", list[list[int]]),
        ("array<int|null>", list[int | None]),
        ("float|null", float | None),
        ("bool|null", bool | None),
        ("date|null", date | None),
        ("int|string", int | str),
        ("array|mixed", Any),
    ],
)
def test_types_mean_what_they_say(text, expected):
    assert docstring_type(text) == expected


@pytest.mark.parametrize(
    "text", ["integr", "int|", "facture", "array<facture>", "int[", "array<>", "callable", "int,string"]
)
def test_a_type_that_is_not_understood_is_refused(text):
    with pytest.raises(ValueError, match=r"isn't understood; expected .*int"):
        docstring_type(text)


PHP = """/**
     * List notes.
     *
     * Of one kind.
     *
     * @url GET notes/{id}
     * @access public
     * @param int|null $id Number {@min 1}
     * @param-out int $other Nothing
     * @cache-control no-store
     * @return array
     */"""


def test_a_comment_copied_from_php_keeps_its_fields():
    found = read_annotation(PHP)
    assert found.urls == (("GET", "notes/{id}"),) and found.access == "public"
    assert (found.summary, found.description) == ("List notes.", "Of one kind.")
    assert (found.parameters["id"].type_name, found.parameters["id"].minimum) == ("int|null", 1)
    assert list(found.parameters) == ["id"] and found.cache is None


def test_a_list_of_points_stays_text():
    assert read_annotation("Title.\n\n* one\n* two").description == "* one\n* two"


#: 2026-11-28 at 00:00 UTC
DAY = 1_795_824_000

API = '''
class Docs:
    """Types.

    :access: public
    """

    def index(self, x=None, days=None, many=None):
        """Show.

        @param int|null $x Number {@min 1}
        @param date|null $days Day
        @param int[] $many Numbers
        """
        return [x, days, many]

    def post(self, tags: list = [], more={"a": []}):
        """Add to the default.

        :param tags: texts
        """
        tags.append("new")
        more["a"].append(1)
        return [tags, more]
'''


@pytest.mark.usefixtures("without_natives")
def test_values_are_read_by_the_types_of_the_docstring(serve, folder, write):
    write("docs/class/api_docs.py", API)
    client = serve(modules=str(folder)).client()
    assert client.get("/docs", x="5", many="1,2", days="2026-11-28") == [5, DAY, [1, 2]]
    error = client.get("/docs", x="abc", days="tomorrow", many="a", status=400)["error"]
    assert [each["field"] for each in error["errors"]] == ["x", "days", "many"]
    client.get("/docs", x="0", status=400)


@pytest.mark.usefixtures("without_natives")
def test_a_default_that_a_method_changes_is_new_in_each_call(serve, folder, write):
    write("docs/class/api_docs.py", API)
    client = serve(modules=str(folder)).client()
    for _ in range(3):
        assert client.ask("POST", "/docs", {}) == [["new"], {"a": [1]}]


@pytest.mark.usefixtures("without_natives")
def test_an_unknown_type_fails_the_file_with_its_line(serve, folder, write):
    write("docs/class/api_docs.py", API.replace("int|null", "integr|null"))
    served = serve(modules=str(folder))
    cause = served.client().get("/docs", status=501)["error"]["cause"]
    assert "Docs.index: `x`: the type 'integr|null' isn't understood" in cause
