"""Each service keeps, sets, ignores, rejects and deletes values and records by its table in `services`."""

from urllib.parse import urljoin

import pytest

from core.common.clock import as_if
from tests.modules.services import DAY, INVOICES, ORDERS, PRODUCTS, PROPOSALS, SERVICES, USERS, prepare

MOMENT = DAY + 3600


def having(name):
    return pytest.mark.parametrize("service", [each for each in SERVICES if getattr(each, name)], ids=path)


def path(each):
    return getattr(each, "path", each)


EACH = having("path")
CHANGES = pytest.mark.parametrize(
    ("service", "verb"), [(each, verb) for each in SERVICES for verb in each.verbs], ids=path
)
UNFIT = [pytest.param(each, *pair, id=f"{each.path}-{pair}"[:60]) for each in SERVICES for pair in each.unfit]
#: of a change: who and when
STAMPS = ("date_modification", "datem", "fk_user_modif", "user_modification", "user_modification_id", "tms")


@pytest.fixture(scope="module", autouse=True)
def _prepared(admin):
    prepare(admin)


@pytest.fixture
def make(admin):
    """Create a record, until the end of the test."""
    made = []

    def make(service, **fields):
        identifier = admin.ask("POST", f"/{service.path}", service.body(**fields))
        assert isinstance(identifier, int)
        made.append(f"/{service.path}/{identifier}")
        return made[-1]

    yield make
    for path in reversed(made):
        admin.simulate_delete(path)


def shown(record, names):
    return {name: record[name] for name in names}


def unstamped(record):
    return {name: value for name, value in record.items() if name not in STAMPS}


@EACH
def test_a_new_record_has_the_documented_defaults(admin, server, make, service):
    with as_if(MOMENT):
        record = admin.get(make(service))
    assert shown(record, service.defaults) == service.defaults
    assert shown(record, service.authors) == dict.fromkeys(service.authors, server.administrator.id)
    assert shown(record, service.moments) == dict.fromkeys(service.moments, MOMENT)


@EACH
def test_every_field_is_kept_by_a_creation(admin, make, service):
    path = make(service, **service.sent, **service.once)
    record, expected = admin.get(path), service.read | service.once | service.derived
    assert shown(record, expected) == expected
    # A record can be sent back as it was read
    for verb in service.verbs:
        assert unstamped(admin.ask(verb, path, record)) == unstamped(record)


@CHANGES
def test_a_change_keeps_each_field_and_the_others_unless_put_replaces(admin, make, service, verb):
    path, expected, answer = make(service, **service.filled), {}, None
    for name, value in service.sent.items():
        if service.replaces and verb == "PUT":
            expected = {each: expected[each] for each in service.stays if each in expected}
        expected[name] = service.read[name]
        answer = admin.ask(verb, path, {name: value})
        assert answer[name] == expected[name], name
        if service.replaces:
            rest = {each: value for each, value in service.defaults.items() if each in service.kept}
            assert shown(answer, service.kept) == rest | expected, name
    assert answer == admin.get(path)
    if not service.replaces:
        expected = service.read | service.derived | service.priced
        assert shown(answer, expected) == expected


@having("once")
def test_what_only_a_creation_keeps(admin, make, service):
    path = make(service)
    for verb in service.verbs:
        assert shown(admin.ask(verb, path, service.once), service.once) == dict.fromkeys(service.once)


@EACH
def test_put_resets_what_is_not_sent_where_it_replaces(admin, make, service):
    path = make(service, **service.sent)
    reset = {name: value for name, value in service.defaults.items() if name in service.kept}
    stays = {name: service.read[name] for name in service.stays}
    expected = reset | stays if service.replaces else service.read
    assert shown(admin.ask("PUT", path, {}), expected) == expected


@EACH
def test_a_text_is_taken_away(admin, make, service):
    for verb in service.verbs:
        path = make(service, **{service.optional: "x"})
        assert admin.ask(verb, path, {service.optional: None})[service.optional] is None


@having("second")
def test_second_names_are_written_and_read(admin, make, service):
    for second, name in service.second.items():
        body, expected = {second: service.sent[name]}, (service.read[name],) * 2
        new = {each: value for each, value in service.body().items() if each != name} | body
        path = f"/{service.path}/{admin.ask('POST', f'/{service.path}', new)}"
        record = admin.get(path)
        assert (record[name], record.get(second, record[name])) == expected
        admin.ask("DELETE", path)
        record = admin.ask("PUT", make(service), body)
        assert (record[name], record.get(second, record[name])) == expected


@having("dropped")
def test_what_the_server_writes_is_dropped_and_listed_in_a_warning(admin, make, service):
    path = make(service, **service.filled)
    before = admin.get(path)
    for verb in service.verbs:
        answer = admin.simulate_request(verb, path, json=service.dropped)
        assert answer.status_code == 200
        assert unstamped(answer.json) == unstamped(before)
        # Twenty of them, those first that no service has
        if service in (PRODUCTS, ORDERS, INVOICES):
            assert f" and {len(service.dropped) - 20} more" in answer.headers["warning"]
        assert "nonsense" not in service.dropped or "ignored: nonsense, " in answer.headers["warning"]
    assert all(answer.json[name] >= before[name] > 1 for name in STAMPS[:2] if name in before)
    for name, value in service.dropped.items():
        assert f": {name}" in admin.simulate_put(path, json={name: value}).headers["warning"]


@pytest.mark.parametrize("service", [PRODUCTS, USERS, PROPOSALS, ORDERS, INVOICES], ids=path)
def test_a_creation_drops_it_too(admin, make, service):
    dropped = {name: value for name, value in service.dropped.items() if name not in ("lines", "linked_objects")}
    with as_if(MOMENT):
        plain = admin.get(make(service, **service.filled))
        answer = admin.simulate_post(f"/{service.path}", json=service.body(**service.filled, **dropped))
    assert "ignored: " in answer.headers["warning"]
    record = admin.get(f"/{service.path}/{answer.json}")
    names = dropped.keys() & plain.keys() - {"id", "ref"}
    assert shown(record, names) == shown(plain, names)
    assert record["id"] != service.dropped["id"]
    if service in (PROPOSALS, ORDERS, INVOICES):
        assert record["ref"] == f"(PROV{record['id']})"


@pytest.mark.parametrize(("service", "name", "value"), UNFIT)
def test_values_that_do_not_fit(admin, make, service, name, value):
    def wrong(verb, path, body):
        return [each["field"] for each in admin.ask(verb, path, body, status=400)["error"]["errors"]]

    every = f"/{service.path}"
    count = len(admin.get(every, limit=0))
    assert name in wrong("POST", every, service.body(**{name: value}))
    assert len(admin.get(every, limit=0)) == count
    if name not in service.dropped:
        path = make(service)
        before = admin.get(path)
        for verb in service.verbs:
            assert name in wrong(verb, path, {name: value})
        assert admin.get(path) == before


@EACH
def test_what_a_record_needs(admin, make, service):
    for name in service.required:
        nothing = ["", None] + ["  "] * (not service.spaces)
        for empty in ({}, *({name: each} for each in nothing)):
            body = {each: value for each, value in service.body().items() if each != name} | empty
            error = admin.ask("POST", f"/{service.path}", body, status=400)["error"]
            assert [each["field"] for each in error["errors"]] == [name]
        for value in nothing if name not in service.dropped else ():
            error = admin.ask("PUT", make(service), {name: value}, status=400)["error"]
            assert [each["field"] for each in error["errors"]] == [name]


@having("changer")
def test_the_changing_user_is_noted(admin, server, make, service):
    path = make(service)
    other = server.user(f"{service.path}.read", f"{service.path}.write", "thirdparties.all")
    record = other.ask("PATCH", path, {service.optional: "x"})
    assert record[service.changer] == other.user_id
    assert record[service.authors[0]] == server.administrator.id


@EACH
def test_deleting_ends_a_record_and_frees_its_name(admin, service):
    body = service.body()
    for _ in range(2):
        path = f"/{service.path}/{admin.ask('POST', f'/{service.path}', body)}"
        assert admin.ask("DELETE", path)["success"]["code"] == 200
        for verb in ("GET", "DELETE"):
            admin.ask(verb, path, status=404)


@EACH
def test_unknown_and_unusable_identifiers(admin, service):
    for verb in ("GET", *service.verbs, "DELETE"):
        body = {service.optional: "x"} if verb.startswith("P") else None
        for identifier in ("99999", "-5", "99999999999999"):
            admin.ask(verb, f"/{service.path}/{identifier}", body, status=404)
        for identifier in ("0", "abc", "1.5"):
            admin.ask(verb, f"/{service.path}/{identifier}", body, status=400)


@EACH
@pytest.mark.parametrize("prefix", ["", "/api/index.php"])
def test_the_address_of_a_new_record_leads_to_it(admin, service, prefix):
    for end in ("", "/", *(() if "/" in service.path else ("/index", "/Index/"))):
        path = f"{prefix}/{service.path}{end}"
        made = admin.simulate_post(path, json=service.body())
        assert made.status_code == 200, made.text
        assert urljoin(f"https://example.org{path}", made.headers["location"]) == (
            f"https://example.org{prefix}/{service.path}/{made.json}"
        )
