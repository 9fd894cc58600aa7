"""dolibarrpy, a client written for the reference, drives third parties in the profile `dolibarr16`.

Through its own functions, and its generic calls where it has none. (Its `find_all_…` raise on the 404 that follows the last
page on the reference too; its paginator does not come that far.)
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import pytest

from tests.served import ADMIN_KEY, Served, make_settings

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


class Quiet(WSGIRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Say nothing."""


class Local(WSGIServer):
    address_family = socket.AF_INET

    def server_bind(self) -> None:
        """Bind without asking for the host's name."""
        socket.socket.setsockopt(self.socket, socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = "127.0.0.1", self.server_address[1]
        self.setup_environ()


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from dolibarrpy import Dolibarrpy

    served = Served(make_settings(tmp_path_factory.mktemp("dolibarrpy"), profile_name="dolibarr16"))
    server = make_server("127.0.0.1", 0, served.app, Local, Quiet)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield Dolibarrpy(f"http://127.0.0.1:{server.server_port}/api/index.php/", ADMIN_KEY, 10, False)
    server.shutdown()
    server.server_close()
    served.close()


def test_third_parties_are_created_listed_read_updated_and_deleted(client: Any) -> None:
    from dolibarrpy.Dolibarrpy import ThirdpartyFilter

    created = [
        client.create_thirdparties({"name": f"Customer {number}", "client": 1, "code_client": "-1", "status": 1,
                                    "email": f"c{number}@example.org", "barcode": f"BC{number}"})
        for number in (1, 2, 3)
    ]  # fmt: skip
    assert created == sorted(created) and all(isinstance(each, int) for each in created)

    first = client.get_thirdparty_by_tid(created[0])
    assert (first["id"], first["name"], first["client"]) == (str(created[0]), "Customer 1", "1")
    assert first["array_options"] == []
    assert client.get_thirdparty_by_email("c2@example.org")["id"] == str(created[1])
    assert client.get_thirdparty_by_barcode("BC3")["id"] == str(created[2])
    assert client.get_thirdparties_representatives_by_tid(created[0], 0) == []

    listed = client.find_some_thirdparty(ThirdpartyFilter(sqlfilters="(t.nom:like:'Customer%')", limit=2), 0)
    assert [each["name"] for each in listed] == ["Customer 1", "Customer 2"]
    everyone = list(client.call_list_api_paginated("thirdparties", {"mode": 1}, page_limit=50))
    assert [each["id"] for each in everyone] == [str(each) for each in created]

    changed = client.update_thirdparty_by_tid(created[0], {"name_alias": "C1", "town": "Lyon"})
    assert (changed["name"], changed["name_alias"], changed["town"]) == ("Customer 1", "C1", "Lyon")

    assert client.call_delete_api("thirdparties", created[2]) == 1
    assert client.get_thirdparty_by_tid(created[2])["error"]["code"] == 404
    assert client.call_get_api("thirdparties", 0)["error"]["code"] == 400


def test_contacts_by_its_own_functions(client: Any) -> None:
    company = client.create_thirdparties({"name": "Contacts Ltd"})
    contact = client.call_create_api("contacts", {"lastname": "Doe", "firstname": "Jane", "socid": company,
                                                  "email": "jane@example.org", "phone_pro": "0611223344"})  # fmt: skip
    read = client.get_contact_by_cid(contact)
    assert (read["lastname"], read["socid"], read["birthday"]) == ("Doe", str(company), "")
    assert client.get_contact_by_email("jane@example.org")["id"] == str(contact)
    assert client.update_contact_by_cid(contact, {"poste": "Buyer"})["poste"] == "Buyer"
    assert client.call_delete_api("contacts", contact) == 1


def test_an_empty_list_is_404_with_the_words_of_the_reference(client: Any) -> None:
    import requests

    answer = requests.get(
        client.url + "thirdparties",
        params={"sqlfilters": "(t.nom:=:'nobody')"},
        headers=client.get_headers(),
        timeout=5,
    )
    assert answer.status_code == 404
    assert answer.json()["error"]["message"] == "Not Found: Thirdparties not found"
