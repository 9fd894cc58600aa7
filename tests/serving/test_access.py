"""The shell blocks of `core/ACCESS.md`, run in their order against a real server."""

import os
import re
import subprocess
import sys

from tests.serving.running import ROOT

PAGE = (ROOT / "core" / "ACCESS.md").read_text()
BLOCKS = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.M | re.S)
KEY = "a-key-for-the-page-on-access-0123456789"
#: the IDs that the page writes → the shell's word for one that is there
IDS = {"--thirdparty 7": "--thirdparty $customer", "revoke 12 ": "revoke $shop "}
SHOP = "shop=$(comptoir key list ada --json | python3 -c 'import json, sys; print(json.load(sys.stdin)[1][\"id\"])')\n"


def test_every_block_of_the_page_runs(start, tmp_path):
    server = start(workers=2, admin_key=KEY)
    customer = server.ask("/thirdparties", "POST", {"name": "Vasseur", "client": 1}, key=KEY).json
    script = f'comptoir() {{ "{sys.executable}" -m core "$@"; }}\ncustomer={customer}\n' + "".join(BLOCKS)
    script = script.replace("http://127.0.0.1:8000", f"http://127.0.0.1:{server.port}")
    for written, there in IDS.items():
        assert script.count(written) == 1
        script = script.replace(written, there)
    script = script.replace("comptoir key revoke", f"{SHOP}comptoir key revoke")
    variables = {"COMPTOIR_DATABASE": f"sqlite:///{tmp_path}/data/test.db", "PYTHONPATH": str(ROOT)}
    variables |= {"COMPTOIR_DOCUMENTS": str(tmp_path / "data/documents"), "PATH": os.environ["PATH"], "DOLAPIKEY": KEY}
    done = subprocess.run(
        ["bash", "-euc", script], capture_output=True, text=True, timeout=300, check=False, cwd=tmp_path,
        env=variables, input="a long enough password\n",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr

    def read(path):
        return server.ask(path, key=KEY).json

    users = {each["login"]: each for each in read("/users")}
    assert {login: each["socid"] for login, each in users.items()} == {"admin": None, "ada": None, "vasseur": customer}
    ada, (group,) = users["ada"]["id"], read("/users/groups")
    assert sorted(read(f"/users/{ada}/rights")) == ["invoices.read", "thirdparties.all", "thirdparties.read"]
    assert read(f"/users/groups/{group['id']}/rights") == ["orders.read", "orders.write"]
    assert [each["id"] for each in read(f"/users/{ada}/groups")] == [group["id"]]
    assert sorted((each["label"], each["expires"] is None) for each in read(f"/users/{ada}/keys")) == [
        ("laptop", False),
        ("laptop", True),
    ]
