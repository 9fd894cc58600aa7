"""MariaDB with a binary log, where a user without special rights may neither make a trigger nor drop one."""

import logging
from dataclasses import replace

import pytest

from core.storage.mysql import Mysql
from core.testing import Served
from core.testing.served import make_settings
from tests.own_databases import own_server, why_missing

# A MariaDB of its own, and all tables
pytestmark = pytest.mark.lasting


@pytest.fixture(scope="module")
def url():
    if reason := why_missing("mysql"):
        pytest.skip(reason)
    with own_server("mysql", "--log-bin", "--server-id=1") as server:
        connection = Mysql.driver().connect(host="127.0.0.1", port=server.port, user="root")
        cursor = connection.cursor()
        cursor.execute("CREATE USER comptoir@'%'")
        cursor.execute("GRANT ALL ON comptoir.* TO comptoir@'%'")
        connection.close()
        yield f"mysql://comptoir@127.0.0.1:{server.port}/comptoir"


def test_all_services_are_there_and_searches_read_whole_tables(url, tmp_path, caplog):
    with caplog.at_level(logging.WARNING):
        served = Served(replace(make_settings(tmp_path, "sqlite"), database=url))
    try:
        client = served.client()
        made = client.ask("POST", "/thirdparties", {"name": "Lamp Lisboa", "client": 1})
        assert [row["id"] for row in client.ask("GET", "/thirdparties?q=lisb")] == [made]
        assert client.ask("PUT", f"/thirdparties/{made}", {"name": "Porto"})["name"] == "Porto"
    finally:
        served.close()
    said = [each.getMessage() for each in caplog.records]
    assert sum("searches read whole tables" in each for each in said) == 1
    assert sum("no triggers protect the audit trail" in each for each in said) == 1
    assert all(
        "log_bin_trust_function_creators" in each for each in said if "audit trail" in each or "whole tables" in each
    )
