"""Each operation rejects callers without its permission in `permissions.tsv`, and accepts those who have only this one."""

import csv
import re
from pathlib import Path

import pytest

from tests.attacks.published import Published

with Path(__file__).with_name("permissions.tsv").open(newline="") as file:
    TABLE = {row["operation"]: row["permission"] for row in csv.DictReader(file, delimiter="\t")}
#: an ID that no record has
NONE = "999999"
#: a permission isn't enough: only administrators move users
ADMINISTRATORS = {"PUT /users/{id}/thirdparty"}


@pytest.fixture(scope="module")
def published(admin):
    return Published(admin.get("/explorer/openapi.json"))


def ask(client, operation):
    verb, path = operation.split()
    return client.simulate_request(verb, re.sub(r"\{\w+\}", NONE, path), json=None if verb == "GET" else {})


def test_each_operation_has_the_permission_of_the_table(published):
    assert {each.name: each.permission for each in published.operations if each.permission} == TABLE


@pytest.mark.parametrize("permission", sorted({*TABLE.values()}))
def test_a_permission_opens_its_operations(server, published, permission):
    operations = [name for name, needed in TABLE.items() if needed == permission]
    parts = re.split(" and | or ", permission)
    each_alone = " or " in permission
    # Without all of several that do alike, or without one of several that are needed together
    for missing in [parts] if each_alone else [[each] for each in parts]:
        client = server.user(*(right for right in published.rights if right not in missing))
        for name in operations:
            answer = ask(client, name)
            assert (answer.status_code, missing[0] in answer.text) == (401, True), name
    for held in [[each] for each in parts] if each_alone else [parts]:
        client = server.user(*held)
        for name in operations:
            assert (ask(client, name).status_code == 401) == (name in ADMINISTRATORS), (held, name)
