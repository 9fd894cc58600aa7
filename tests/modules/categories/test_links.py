"""Records in categories: one mechanism, below the records and below the categories, for each kind."""

import pytest

from tests.modules.categories.categories import CUSTOMER, HOSTS, PRODUCT, SUPPLIER, USER, ids, make

EACH = pytest.mark.parametrize("host", HOSTS, ids=lambda host: host.kind)


@EACH
def test_in_and_out_below_the_record(admin, host):
    record, first, second = host.make(admin), make(admin, host.kind), make(admin, host.kind)
    assert admin.get(host.below(record)) == []
    for category in (first, second):
        assert admin.ask("POST", host.below(record, category))["id"] == record
    assert ids(admin.get(host.below(record))) == [first, second]
    assert admin.get(host.below(record))[0] == admin.get(f"/categories/{first}")
    assert ids(admin.get(host.below(record), sortfield="s.rowid", sortorder="DESC", limit=1)) == [second]
    assert "already" in admin.refused("POST", host.below(record, first), status=405)
    assert admin.ask("DELETE", host.below(record, first))["success"]["code"] == 200
    assert ids(admin.get(host.below(record))) == [second]
    assert "is not in category" in admin.refused("DELETE", host.below(record, first), status=404)


@EACH
def test_what_is_not_there_or_of_another_kind(admin, host):
    record, category = host.make(admin), make(admin, host.kind)
    other = make(admin, "product" if host.kind != "product" else "customer")
    for verb in ("POST", "DELETE"):
        assert "not found" in admin.refused(verb, host.below(999999, category), status=404)
        assert "Category 999999 not found" in admin.refused(verb, host.below(record, 999999), status=404)
        assert f", not {host.kind}s" in admin.refused(verb, host.below(record, other), status=405)
    assert admin.get(host.below(record)) == []


@EACH
def test_below_the_category(server, admin, host):
    records, category = [host.make(admin) for _ in range(3)], make(admin, host.kind)
    for record in records:
        answer = admin.ask("POST", f"/categories/{category}/objects/{host.kind}/{record}")
        assert answer["id"] == category
    path = f"/categories/{category}/objects"
    assert sorted(ids(admin.get(path))) == records
    assert sorted(admin.get(path, type=host.kind, onlyids=1)) == records
    assert len(admin.get(path, limit=2, page=1)) == 1
    assert ids(admin.get(f"/categories/object/{host.kind}/{records[0]}")) == [category]
    assert "already" in admin.refused("POST", f"{path}/{host.kind}/{records[0]}", status=405)
    assert admin.ask("DELETE", f"{path}/{host.kind}/{records[0]}")["success"]["code"] == 200
    assert "is not in" in admin.refused("DELETE", f"{path}/{host.kind}/{records[0]}", status=404)
    assert sorted(ids(admin.get(path))) == records[1:]
    # Both rights: to read categories, and to do this to the record
    reader = server.user("categories.read", "thirdparties.all")
    assert f"{host.service}.read" in reader.refused("GET", path, status=401)
    assert f"{host.service}.write" in reader.refused("POST", f"{path}/{host.kind}/{records[0]}", status=401)
    assert f"{host.service}.write" in reader.refused("DELETE", f"{path}/{host.kind}/{records[1]}", status=401)


def test_what_is_refused_below_the_category(admin):
    category = make(admin, "product")
    path = f"/categories/{category}/objects"
    assert "holds products, not customers" in admin.refused("GET", f"{path}?type=customer", status=405)
    assert "expected one of" in admin.refused("GET", f"{path}?type=robot", status=400)
    assert "expected one of" in admin.refused("POST", f"{path}/robot/1", status=400)
    assert "expected one of" in admin.refused("GET", "/categories/object/robot/1", status=400)


def test_by_reference(admin):
    product, login = PRODUCT.make(admin, ref="A/ref"), "by.login"
    USER.make(admin, login=login)
    company = CUSTOMER.make(
        admin, name="Referred", client=1, fournisseur=1, code_client="CU2611-0077", code_fournisseur="SU2611-0077"
    )
    named = {"product": "A_ref", "user": login, "customer": "CU2611-0077", "supplier": "SU2611-0077"}
    for kind, ref in named.items():
        category = make(admin, kind)
        path = f"/categories/{category}/objects/{kind}/ref/"
        assert admin.ask("POST", path + ref)["id"] == category
        assert len(admin.get(f"/categories/{category}/objects")) == 1
        assert admin.ask("DELETE", path + ref)["success"]["code"] == 200
        assert admin.get(f"/categories/{category}/objects") == []
        assert "not found" in admin.refused("POST", path + "nobody", status=404)
        assert "not found" in admin.refused("DELETE", path + "nobody", status=404)
    assert "no reference" in admin.refused(
        "POST", f"/categories/{make(admin, 'contact')}/objects/contact/ref/x", status=400
    )
    assert admin.get(PRODUCT.below(product)) == admin.get(CUSTOMER.below(company)) == []


def test_customers_and_suppliers_are_two_kinds_of_one_record(admin):
    company = CUSTOMER.make(admin)
    customers, suppliers = make(admin, "customer"), make(admin, "supplier")
    admin.ask("POST", CUSTOMER.below(company, customers))
    admin.ask("POST", SUPPLIER.below(company, suppliers))
    assert ids(admin.get(CUSTOMER.below(company))) == [customers]
    assert ids(admin.get(SUPPLIER.below(company))) == [suppliers]


@EACH
def test_links_go_with_the_record(admin, host):
    record, category = host.make(admin), make(admin, host.kind)
    admin.ask("POST", host.below(record, category))
    admin.ask("DELETE", f"/{host.service}/{record}")
    assert admin.get(f"/categories/{category}/objects") == []


def test_a_link_minds_the_state_of_the_record(admin):
    company, category = CUSTOMER.make(admin), make(admin)
    message = admin.refused("POST", CUSTOMER.below(company, category), status=412, headers={"If-Match": '"old"'})
    assert "has changed since you read it" in message
    assert admin.get(CUSTOMER.below(company)) == []


def test_the_history_of_a_record_tells_its_categories(admin):
    company, category = CUSTOMER.make(admin), make(admin)
    admin.ask("POST", CUSTOMER.below(company, category))
    assert any("categorie" in str(each) for each in admin.get(f"/thirdparties/{company}/history"))
