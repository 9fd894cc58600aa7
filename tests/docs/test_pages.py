"""The generated pages are current, and complete."""

import re
from dataclasses import fields

import pytest

from core.common.settings import Settings, variable_name

from .pages import PAGES, settings_page


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_page_is_what_make_docs_writes(page):
    assert page.read_text() == PAGES[page](), "run `make docs`"
    assert "make docs" in page.read_text().partition("\n")[0]


def test_the_page_lists_every_setting_with_its_default():
    listed = dict(re.findall(r"^\| `(COMPTOIR_\w+)` \| (.*?) \|", settings_page(), re.M))
    assert set(listed) == {variable_name(each.name) for each in fields(Settings)}
    for each in fields(Settings):
        shown = listed[variable_name(each.name)].strip("`")
        if each.name != "workers":
            assert shown == {True: "1", False: "0", "": "empty"}.get(each.default, str(each.default)), each.name
