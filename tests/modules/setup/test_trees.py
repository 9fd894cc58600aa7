"""Trees of records have no cycle, even if several records are moved at the same time."""

import pytest

from tests.modules.categories.test_at_once import at_once
from tests.modules.stock.goods import warehouse
from tests.modules.thirdparties.thirdparties import make as thirdparty
from tests.modules.users.users import make as user

pytestmark = pytest.mark.every_database

#: path, field, how a record is made, and the status of a refusal
TREES = [
    pytest.param("/thirdparties", "parent", lambda admin: thirdparty(admin, "Ring"), 400, id="thirdparties"),
    pytest.param("/users", "fk_user", user, 405, id="users"),
    pytest.param("/warehouses", "fk_parent", warehouse, 405, id="warehouses"),
]


@pytest.mark.parametrize(("path", "field", "make", "status"), TREES)
def test_a_record_is_not_above_itself(admin, path, field, make, status):
    top, middle, bottom = (make(admin) for _ in range(3))
    admin.ask("PATCH", f"{path}/{middle}", {field: top})
    admin.ask("PATCH", f"{path}/{bottom}", {field: middle})
    for verb in ("PUT", "PATCH"):
        for below in (top, middle, bottom):
            error = admin.ask(verb, f"{path}/{top}", {field: below}, status=status)["error"]
            assert [each["field"] for each in error["errors"]] == [field]
    # Up is allowed, and so is a record as it was read
    assert admin.ask("PATCH", f"{path}/{bottom}", {field: top})[field] == top
    admin.ask("PUT", f"{path}/{bottom}", admin.get(f"{path}/{bottom}"))
    assert admin.get(f"{path}/{top}")[field] is None


@pytest.mark.parametrize(("path", "field", "make", "status"), TREES)
def test_moves_at_the_same_time_close_no_cycle(admin, path, field, make, status):
    for _ in range(4):
        ring = [make(admin) for _ in range(4)]
        pairs = zip(ring, [*ring[1:], ring[0]], strict=True)
        moves = [("PATCH", f"{path}/{each}", {field: above}) for each, above in pairs]
        # Each alone is fine, all together are a cycle: the last one is refused
        assert sorted(at_once(admin, *moves)) == [200, 200, 200, status]
        assert [admin.get(f"{path}/{each}")[field] for each in ring].count(None) == 1
