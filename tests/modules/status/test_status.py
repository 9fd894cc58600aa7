"""Status, and what else of users, login and setup differs for clients written for release 16."""

from core.access.accounts import Account
from core.access.passwords import hash_password
from core.testing import ADMIN_KEY

PASSWORD = "Secret#12345x"


def test_status(old_server, old):
    success = old.get("/status")["success"]
    assert success.pop("comptoir_version")
    assert success == {"code": 200, "dolibarr_version": "16.0.3", "access_locked": "0"}
    path = "/api/index.php/status"
    assert old_server.client(None).get(path, DOLAPIKEY=ADMIN_KEY)["success"]["code"] == 200
    old_server.client(None).get(path, status=401)


def test_groups(old):
    group = old.ask("POST", "/users/groups", {"name": "Sales"})
    assert old.get(f"/users/1/setGroup/{group}") == 1
    assert old.get(f"/users/groups/{group}", load_members=1)["members"][0]["id"] == "1"
    assert old.get("/users/1/groups")[0]["id"] == str(group)
    old.ask("DELETE", f"/users/groups/{group}")


def test_login_by_get(old_server):
    Account.create(login="geta", pass_crypted=hash_password(PASSWORD))
    client = old_server.client(None)
    success = client.get("/login", login="geta", password=PASSWORD)["success"]
    assert set(success) == {"code", "token", "entity", "message"}
    assert (success["code"], success["entity"]) == (200, "1")
    assert client.get("/users/info", DOLAPIKEY=success["token"])["login"] == "geta"
    assert "Access denied" in client.refused("GET", "/login?login=geta&password=wrong", status=403)
    assert "`password` is required." in client.refused("GET", "/login?login=geta", status=400)


def test_extra_fields(old):
    assert "No extrafield found" in old.refused("GET", "/setup/extrafields", status=404)
    body = {"label": "A select", "type": "select", "param": {"options": {"1": "one", "2": "two"}}, "pos": 106}
    old.ask("POST", "/setup/extrafields/user/psel", body)
    old.ask("POST", "/setup/extrafields/user/ptext", {"label": "A text", "type": "varchar", "size": "255", "pos": 100})
    found = old.get("/setup/extrafields", type="user")["user"]
    assert found["ptext"] == {
        "type": "varchar", "label": "A text", "size": "255", "elementtype": "user", "default": None, "computed": None,
        "unique": "0", "required": "0", "param": "", "pos": "100", "alwayseditable": "1", "perms": None, "list": "1",
    }  # fmt: skip
    assert found["psel"]["param"] == {"options": {"1": "one", "2": "two"}}
    user_id = old.ask("POST", "/users", {"login": "extra", "array_options": {"options_psel": "2"}})
    assert old.get(f"/users/{user_id}")["array_options"] == {"options_ptext": None, "options_psel": "2"}
    old.get("/setup/extrafields", type="propal", status=404)
