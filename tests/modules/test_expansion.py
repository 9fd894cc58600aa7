"""Every relation of every service: what is expanded is what a list of its own service answers to the same caller.

Made from the catalogue: a module that is added is tested by being there. The callers are those of `tests/attacks/people.py`, and
one who represents some third parties only.
"""

from typing import Any

import pytest

from core.contract.catalogue import catalogue
from core.contract.relations import Shape
from core.storage.model import meta_of
from core.web.views import relations
from tests.explorer.answered import Answers
from tests.filled import demonstration, filled

#: together they take ten seconds of a processor and more
pytestmark = pytest.mark.slow

Record = dict[str, Any]

#: relations of which the demonstration data has records; further ones are welcome
SEEN = {
    "thirdparty", "thirdparty.thirdparty", "lines.product", "order", "order.thirdparty", "order.lines.product",
    "lines.warehouse", "lines.movement", "lines.movement.product", "product", "warehouse", "bankaccount",
    "product_parent", "product_child", "invoice", "invoice.lines.product", "shipment.order", "movement.product",
    "invoicetemplate", "attributes.attribute", "attributes.attributevalue",
}  # fmt: skip


@pytest.fixture(scope="module", params=["specification", "dolibarr16"])
def answers(request, tmp_path_factory):
    served = filled(tmp_path_factory, demonstration, profile_name=request.param)
    admin = served.client()
    child, parent, *_ = [each["id"] for each in admin.get("/thirdparties", limit=5)]
    admin.ask("PUT", f"/thirdparties/{child}", {"parent": parent})
    yield Answers(served)
    served.close()


def expanding():
    """Every operation that expands anything: with its records and its paths."""
    known = relations()
    for operation in catalogue().operations:
        shape = operation.shape
        if shape is not None and any(each.name == "expand" and each.of_answer for each in operation.inputs):
            paths = list(known.paths(shape))
            if paths:
                yield operation, shape, paths


def places(operation, admin):
    """Values for the variables of an operation's path, from the records of its service."""
    names = [part[1:-1] for part in operation.segments if part.startswith("{")]
    if not names:
        yield {}
        return
    source = "/invoices/templates" if operation.template.startswith("/invoices/templates") else f"/{operation.service}"
    for record in admin.get(source, limit=60):
        if all(record.get(name) for name in names):
            yield {name: record[name] for name in names}


class Lists:
    """What the lists of services answer to one caller, by identifier."""

    def __init__(self, client):
        self.client = client
        self.known = {}

    def find(self, service, number):
        if service not in self.known:
            base = catalogue().operations_by_origin[service][0].base
            # Values are listed by attribute only
            above, _, below = base.rpartition("/") if service == "attributevalues" else (base, "", "")
            paths = [f"{above}/{each}/{below}" for each in self._listed(above)] if below else [base]
            self.known[service] = {number: each for path in paths for number, each in self._listed(path).items()}
        return self.known[service].get(number)

    def _listed(self, path):
        answer = self.client.simulate_get(f"/{path}", params={"limit": 1000})
        assert answer.status_code in (200, 404), answer.text
        return {int(each["id"]): each for each in answer.json} if answer.status_code == 200 else {}


class Comparison:
    """Holds expanded records against lists."""

    def __init__(self, client):
        self.lists = Lists(client)
        self.relations = relations()
        self.found = set()

    def compare(self, records, shape, path):
        self._compare(records, shape, path.split("."), path, None)

    def _compare(self, records, shape, names, path, holder):
        name, *rest = names
        if name in shape.parts:
            parts = [part for record in records for part in record[name] or ()]
            self._compare(parts, Shape(shape.parts[name]), rest, path, shape.model)
            return
        field, target = self.relations.below(shape, holder)[name]
        assert target.shape is not None
        further = []
        for record in records:
            number = int(record[field.name] or 0)
            expected = self.lists.find(target.service, number) if number > 0 else None
            shown = record[name]
            if expected is None:
                assert shown is None, (path, number)
                continue
            assert shown is not None, (path, number)
            if rest:
                further.append(shown)
            else:
                assert self._plain(shown, target.shape) == self._plain(expected, target.shape), (path, number)
                self.found.add(path)
        if further:
            self._compare(further, target.shape, rest, path, None)

    def _plain(self, record, shape):
        """A record without what a longer path has put into it."""
        inner = {*self.relations.below(shape), *shape.parts}
        return {name: value for name, value in record.items() if name not in inner}


def test_an_administrator_sees_what_the_lists_answer_as_the_document_says(answers):
    comparison = Comparison(answers.admin)
    for operation, shape, paths in expanding():
        for values in list(places(operation, answers.admin))[:4]:
            takes = {each.name for each in operation.inputs}
            query = {"expand": ",".join(paths)} | ({"limit": 25} if "limit" in takes else {})
            answer = answers.call("GET", operation.template, status=None, query=query, **values)
            records = answer if isinstance(answer, list) else [answer]
            # Not every variable's value has such a record
            records = [each for each in records if isinstance(each, dict) and "error" not in each]
            for path in paths:
                comparison.compare(records, shape, path)
    assert comparison.found >= SEEN, SEEN - comparison.found
    assert answers.wrong == []


def lists():
    return (each for each in expanding() if each[1].is_list and not any("{" in part for part in each[0].segments))


def test_who_may_not_read_the_other_service_is_refused_by_name(answers):
    """In both directions: the rights of one service of a relation never open the other."""
    known = relations()
    tried = 0
    for operation, shape, paths in lists():
        assert operation.permission is not None
        own = sorted(operation.permission.rights)
        reader = answers.served.user(*own)
        restricted = answers.served.user(*catalogue().rights, only=own)
        for path in paths:
            needed = rights_of(known, shape, path) - set(own)
            for client in (reader, restricted):
                answer = client.simulate_get(operation.template, params={"expand": path, "limit": 1})
                if needed:
                    assert answer.status_code == 401, (path, answer.text[:200])
                    assert any(right in answer.json["error"]["message"] for right in needed)
                    inside = client.simulate_get(operation.template, params={"properties": f"id,{path}.id"})
                    assert inside.status_code == 401, (path, inside.text[:200])
                else:
                    assert answer.status_code in (200, 404), answer.text[:200]
                tried += 1
            opened = answers.served.user(*own, *needed)
            asked = {"expand": path, "limit": 1}
            assert opened.simulate_get(operation.template, params=asked).status_code in (200, 404)
            for right in needed:
                # The other direction: rights of what is named open nothing of what names it
                other = answers.served.user(right)
                assert other.simulate_get(operation.template, params={"expand": path}).status_code == 401
        nobody = answers.served.client(None).simulate_get(operation.template, params={"expand": paths[0]})
        assert nobody.status_code == 401
    assert tried > 50


def rights_of(known, shape, path):
    """The rights that a path needs."""
    needed = set()
    holder = None
    for name in path.split("."):
        if name in shape.parts:
            holder, shape = shape.model, Shape(shape.parts[name])
            continue
        _, target = known.below(shape, holder)[name]
        needed |= {right for each in target.permissions for right in each.rights}
        assert target.shape is not None
        holder, shape = None, target.shape
    return needed


def test_row_rules_hold_for_what_is_expanded(answers):
    rights = catalogue().rights
    own = next(each["socid"] for each in answers.admin.get("/invoices", limit=1))
    some = [each["id"] for each in answers.admin.get("/thirdparties", limit=9)][::3]
    limited = [right for right in rights if right != "thirdparties.all"]
    callers = [answers.served.user(*rights, socid=int(own)), answers.served.user(*limited, represents=some)]
    for client in callers:
        comparison = Comparison(client)
        for operation, shape, paths in lists():
            for path in paths:
                answer = client.simulate_get(operation.template, params={"expand": path, "limit": 40})
                assert answer.status_code in (200, 404), answer.text[:200]
                records = answer.json if answer.status_code == 200 else []
                comparison.compare([each for each in records if isinstance(each, dict)], shape, path)
        assert comparison.found
    # Who may see no user but oneself sees no supervisor either
    stranger = callers[0]
    assert all(each["user"] is None for each in stranger.get("/users", expand="user"))


def test_no_secret_is_expanded(answers):
    for operation, _, paths in expanding():
        for values in list(places(operation, answers.admin))[:1]:
            path = operation.template.format(**values)
            answer = answers.admin.simulate_get(path, params={"expand": ",".join(paths)})
            assert answer.status_code < 500
            assert "argon2" not in answer.text
    boss, user = (each["id"] for each in answers.admin.get("/users", limit=2))
    answers.admin.ask("PUT", f"/users/{user}", {"fk_user": boss})
    for name in meta_of(relations().targets["llx_user"].records.model).secret:
        answers.admin.refused("GET", f"/users/{user}?properties=user.{name}", status=400)
