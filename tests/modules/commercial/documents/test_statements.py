"""What reading a document costs, on each kind; lists: `test_list_costs`."""

import pytest

from core.testing import cost

pytestmark = pytest.mark.every_database


def test_statements_do_not_grow_with_the_lines(desk, admin, product):
    owner = admin.ask("POST", "/thirdparties", {"name": "Many Ltd"})
    lines = [{"qty": 1, "subprice": number, "fk_product": product} for number in range(50)]
    few, many = desk.make(*lines[:2], socid=owner), desk.make(*lines, socid=owner)
    # The first read of all also reads what is kept in memory from then on
    desk.read(few)
    costs = [cost(lambda each=each: desk.read(each)) for each in (few, many)]
    assert costs[0] == costs[1] <= 8
