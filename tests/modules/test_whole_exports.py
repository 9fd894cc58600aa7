"""Each list that returns all of its records returns them in each format."""

import pytest

from core.contract.catalogue import catalogue
from core.web.sheets import SHEETS


@pytest.mark.parametrize("media_type", SHEETS)
def test_each_list_can_be_exported_as_a_whole(admin, media_type):
    lists = [
        each.template
        for each in catalogue().operations
        if each.verb == "GET" and not each.segments and any(one.name == "all" and one.group for one in each.inputs)
    ]
    assert len(lists) > 10
    for path in lists:
        answer = admin.simulate_get(f"{path}?all=1", headers={"Accept": media_type})
        assert (answer.status_code, answer.headers["Content-Type"].split(";")[0]) == (200, media_type), path
