"""Permissions that a module.toml declares, for services of its own and of others."""

import os
import subprocess
import sys

import pytest

from core.access.accounts import Grant
from core.contract.catalogue import catalogue

MANIFEST = (
    '[permissions]\norders.approve = "confirm large orders"\n\n[wraps]\n"PATCH /warehouses/{id}" = "approval:approve"\n'
)
APPROVAL = """
from core import current_caller

def approve(original, **values):
    current_caller().require("orders.approve")
    return original(**values)
"""


@pytest.fixture
def approval(served, write):
    write("approval/module.toml", MANIFEST)
    write("approval/approval.py", APPROVAL)
    served.server.reloader.check()
    assert [each.reason for each in catalogue().failures] == []
    return served


def test_a_declared_permission_is_granted_and_held_like_any_other(approval):
    admin = approval.client()
    warehouse = admin.ask("POST", "/warehouses", {"label": "W", "statut": 1})
    path, sent = f"/warehouses/{warehouse}", {"lieu": "Oslo"}
    approval.user("warehouses.write").ask("PATCH", path, sent, status=401)
    assert approval.user("warehouses.write", "orders.approve").ask("PATCH", path, sent)["lieu"] == "Oslo"
    ada = admin.ask("POST", "/users", {"login": "ada", "lastname": "Ada"})
    assert "orders.approve" in admin.ask("PUT", f"/users/{ada}/rights", {"rights": ["orders.approve"]})
    error = admin.ask("PUT", f"/users/{ada}/rights", {"rights": ["orders.aprove"]}, status=400)["error"]
    assert "did you mean `orders.approve`?" in error["message"]


def test_the_explorer_lists_it_with_its_meaning_while_the_module_is_on(approval, write):
    tag = next(each for each in approval.client().get("/explorer/openapi.json")["tags"] if each["name"] == "orders")
    assert tag["x-rights-meaning"] == {"orders.approve": "confirm large orders"}
    assert "orders.approve" in tag["x-rights"]
    write("approval/DISABLED", "")
    approval.server.reloader.check()
    assert "orders.approve" not in catalogue().rights


@pytest.mark.parametrize(
    ("declared", "reason"),
    [
        (
            'ordres.approve = "x"',
            "module.toml: permissions.ordres.approve: unknown service ordres; did you mean orders?",
        ),
        ('orders.read = "x"', "module.toml: permissions.orders.read: the service orders already has it"),
        (
            'approve = "x"',
            'permissions.approve: expected permissions such as orders.approve = "approve large orders", unquoted',
        ),
        (
            "orders.approve = 1",
            "permissions.orders.approve: expected a name in lower case, and what it permits as a text",
        ),
    ],
)
def test_a_wrong_declaration_is_a_failure_of_its_module(served, write, declared, reason):
    write("approval/module.toml", f"[permissions]\n{declared}\n")
    served.server.reloader.check()
    assert [reason in each.reason for each in catalogue().failures] == [True]


def test_a_service_gives_meanings_to_its_own_permissions(served, write):
    write(
        "club/class/api_clubs.py",
        "class Clubs:\n    ''':rights: join'''\n    def index(self):\n        ''':permission: join'''\n",
    )
    write("club/module.toml", '[permissions.clubs]\njoin = "join a club"\nread = "see clubs"\n')
    served.server.reloader.check()
    assert catalogue().failures == ()
    service = catalogue().services["clubs"]
    assert (service.rights, service.right_names.count("clubs.read")) == (
        {"join": "join a club", "read": "see clubs"},
        1,
    )


def test_uninstalling_takes_back_the_permissions_on_services_of_others(approval, folder):
    user = approval.user("orders.approve", "orders.read")
    environment = os.environ | {"COMPTOIR_MODULES": str(folder), "COMPTOIR_DATABASE": approval.settings.database}
    command = [sys.executable, "-m", "core", "uninstall", "approval", "--data", "--yes"]
    subprocess.run(command, env=environment, check=True)
    assert [row.name for row in Grant.select().where(Grant.user == user.user_id)] == ["orders.read"]


def test_uninstalling_leaves_the_permissions_that_others_have(served, write, folder):
    write("greedy/module.toml", '[permissions.orders]\nwrite = "write orders"\n')
    served.server.reloader.check()
    user = served.user("orders.write")
    environment = os.environ | {"COMPTOIR_MODULES": str(folder), "COMPTOIR_DATABASE": served.settings.database}
    subprocess.run(
        [sys.executable, "-m", "core", "uninstall", "greedy", "--data", "--yes"], env=environment, check=True
    )
    assert [row.name for row in Grant.select().where(Grant.user == user.user_id)] == ["orders.write"]
