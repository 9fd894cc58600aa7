"""The filter `category` of the lists of third parties, contacts, products and users."""

import pytest

from tests.modules.categories.categories import CONTACT, CUSTOMER, HOSTS, PRODUCT, SUPPLIER, USER, ids, make

#: what a list needs besides so that it tells of this kind
MODES = {"supplier": {"mode": 4}}
#: a column that holds the kind's name, by service
NAMES = {"thirdparties": "nom", "contacts": "lastname", "products": "label", "users": "login"}


@pytest.mark.parametrize("host", HOSTS, ids=lambda host: host.kind)
def test_only_what_is_in_the_category(admin, host):
    fields = {"fournisseur": 1} if host is SUPPLIER else {}
    category = make(admin, host.kind)
    below = make(admin, host.kind, fk_parent=category)
    records = [host.make(admin, **fields) for _ in range(5)]
    for record in records[:3]:
        admin.ask("POST", host.below(record, category))
    admin.ask("POST", host.below(records[3], below))
    params = {**MODES.get(host.kind, {}), "category": category, "sortfield": "t.rowid"}
    path = f"/{host.service}"
    assert ids(admin.get(path, **params)) == records[:3]
    # with pages, counts, filters and cursors
    assert ids(admin.get(path, **params, limit=2, page=1)) == records[2:3]
    wrapped = admin.get(path, **params, limit=2, pagination_data=1)
    assert (ids(wrapped["data"]), wrapped["pagination"]["total"]) == (records[:2], 3)
    answer = admin.simulate_get(path, params={**params, "limit": 2, "count": 1})
    assert answer.headers["x-total-count"] == "3"
    further = admin.get(path, **params, after=answer.headers["x-next-cursor"])
    assert ids(further) == records[2:3]
    column = NAMES[host.service]
    assert (
        ids(admin.get(path, **params, sqlfilters=f"(t.rowid:>:{records[0]}) and (t.{column}:like:'{host.kind}%')"))
        == (records[1:3])
    )
    assert admin.get(path, **(params | {"category": 999999})) == []
    assert len(admin.get(path, **(params | {"category": 0}))) > 3


def test_customers_unless_suppliers_are_asked_for(admin):
    company = CUSTOMER.make(admin, client=1, fournisseur=1)
    customers, suppliers = make(admin, "customer"), make(admin, "supplier")
    admin.ask("POST", CUSTOMER.below(company, customers))
    admin.ask("POST", SUPPLIER.below(company, suppliers))
    for mode, category, found in (
        (0, customers, True), (1, customers, True), (2, customers, False), (4, customers, False), (4, suppliers, True),
        (0, suppliers, False),
    ):  # fmt: skip
        assert ids(admin.get("/thirdparties", mode=mode, category=category)) == [company] * found


def test_it_stands_beside_the_other_parameters(admin):
    company, category = CUSTOMER.make(admin), make(admin, "contact")
    people = [CONTACT.make(admin, socid=each) for each in (company, None)]
    service, goods = PRODUCT.make(admin, type=1), PRODUCT.make(admin, type=0)
    shelf, user = make(admin, "product"), USER.make(admin)
    for person in people:
        admin.ask("POST", CONTACT.below(person, category))
    for product in (service, goods):
        admin.ask("POST", PRODUCT.below(product, shelf))
    assert ids(admin.get("/contacts", category=category, thirdparty_ids=str(company))) == people[:1]
    assert admin.get("/products", category=shelf, mode=2, ids_only=1) == [service]
    team = make(admin, "user")
    admin.ask("POST", USER.below(user, team))
    assert ids(admin.get("/users", category=team, user_ids=f"{user},1")) == [user]
    assert admin.get("/users", category=team, user_ids="1") == []


@pytest.mark.parametrize("service", ["thirdparties", "contacts", "products", "users"])
@pytest.mark.parametrize("value", ["x", "-1", "2147483648", "99999999999999999999"])
def test_what_is_no_category(admin, service, value):
    assert "category" in admin.refused("GET", f"/{service}?category={value}", status=400)
