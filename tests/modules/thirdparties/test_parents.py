"""Parent companies and merges at the same time."""

import pytest

from tests.modules.categories.test_at_once import at_once
from tests.modules.thirdparties.thirdparties import make

pytestmark = pytest.mark.every_database


def test_a_merge_and_a_parent_close_no_circle_together(admin):
    for _ in range(4):
        top, middle, gone = (make(admin, "Ring") for _ in range(3))
        admin.ask("PUT", f"/thirdparties/{middle}", {"parent": gone})
        answers = at_once(
            admin, ("PUT", f"/thirdparties/{top}", {"parent": middle}), ("PUT", f"/thirdparties/{top}/merge/{gone}", {})
        )
        assert answers in ([200, 200], [400, 200])
        assert admin.get(f"/thirdparties/{top}")["parent"] is None
        assert admin.get(f"/thirdparties/{middle}")["parent"] == top


def test_two_merges_the_other_way_round(admin):
    for _ in range(4):
        one, other = make(admin, "One"), make(admin, "Other")
        paths = (f"/thirdparties/{one}/merge/{other}", f"/thirdparties/{other}/merge/{one}")
        assert sorted(at_once(admin, *[("PUT", path, {}) for path in paths])) == [200, 404]
