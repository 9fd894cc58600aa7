"""The constants of papers that are checked when they are set."""

from __future__ import annotations

from core import wrong_fields

from .layout.colours import ACCENT, is_colour
from .papers.own_texts import own_text_fault
from .payment.account import account_fault
from .payment.link import PATTERN, link_fault


def check_paper_constant(name: str, value: str) -> None:
    """Refuse a value of a constant that no paper could be made with; an empty one unsets it.

    :raises BadRequest: it is such a value
    """
    text = value.strip()
    expected = own_text_fault(name, value) or account_fault(name, value)
    if name == PATTERN and text:
        expected = link_fault(text)
    elif name == ACCENT and text and not is_colour(text):
        expected = f"a colour such as #1b3a5c, got {value!r:.60}"
    if expected:
        raise wrong_fields([("value", f"{name}: expected {expected}")])
