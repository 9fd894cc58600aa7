"""Tags of a parameter in a docstring: limits, choices, patterns."""

from decimal import Decimal

import pytest

from core.contract.annotations import AnnotationError, ParameterNote
from tests.core.contract.notes import note


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{@min -1.5}", {"minimum": Decimal("-1.5")}),
        ("{@max 9}", {"maximum": Decimal(9)}),
        ("{@choice a, b,c}", {"choices": ("a", "b", "c")}),
        ("{@pattern /^[a-z]+$/}", {"pattern": "^[a-z]+$"}),
        ("{@pattern /^[a-z]+$/i}", {"pattern": "(?i)^[a-z]+$"}),
        ("{@pattern /^[0-9]{2}$/} {@min 2}", {"pattern": "^[0-9]{2}$", "minimum": Decimal(2)}),
        (r"{@pattern /^a\/}b\/c$/u}", {"pattern": r"^a\/}b\/c$"}),
        ("{@type email}", {"kind": "email"}),
        ("{@type Bool}", {"kind": "bool"}),
        ("{@from head}", {"place": "head"}),
        ("{@from body}", {"place": "body"}),
        ("{@from query}", {"place": "query"}),
        ("{@from url}", {"place": "path"}),
        ("{@from path}", {"place": "path"}),
        ("{@fix true}", {"fix": True}),
        ("{@message Two digits, please}", {"message": "Two digits, please"}),
        ("{@required true}", {"required": True}),
        ("{@required false}", {"required": False}),
        ("{@validate false}", {"validate": False}),
        ("{@label Your name}", {"label": "Your name"}),
    ],
)
def test_tags_of_a_parameter(text, expected):
    assert note(f"before {text} after") == ParameterNote("x", "before after", **expected)


@pytest.mark.parametrize(
    "text",
    [
        "{@mim 1}",
        "{@min}",
        "{@min one}",
        "{@min NaN}",
        "{@max 1_0}",
        "{@min 1",
        "{@ min 1}",
        "{@min 1} {@min 2}",
        "{@min 3} {@max 2}",
        "{@min 1 {@max 2}}",
        "{@choice}",
        "{@choice a,,b}",
        "{@pattern ^a$}",
        "{@pattern //}",
        "{@pattern /(/}",
        "{@pattern /a/x}",
        "{@pattern /a{99999999999999999999}/}",
        "{@pattern /a} and /b {@min 1}",
        "{@type emial}",
        "{@from cookie}",
        "{@fix yes}",
        "{@required}",
        "{@message}",
        "{@label}",
    ],
)
def test_tag_that_is_refused(text):
    with pytest.raises(AnnotationError, match=":param x:"):
        note(text)
