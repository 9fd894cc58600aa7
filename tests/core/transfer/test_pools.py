"""Behind a pool of connections: a copy says things to its session, which the pool would give to a request next."""

import psycopg
import pytest

from core.storage.database import close
from core.transfer.backup import back_up
from core.transfer.endpoint import TransferError, open_endpoint
from tests.core.transfer.zoo import fill, settings_of
from tests.own_databases import own_server, pgbouncer, why_missing

pytestmark = [pytest.mark.thorough, pytest.mark.usefixtures("without_natives")]


@pytest.mark.parametrize("kind", ["postgresql"])
def test_copies_and_backups_ask_the_database_itself(kind, tmp_path):
    for each in (kind, "pgbouncer"):
        if reason := why_missing(each):
            pytest.skip(reason)
    with own_server(kind) as server, pgbouncer(server.url, size=1) as pool:
        try:
            direct, pooled = settings_of(tmp_path, server.url), settings_of(tmp_path, pool.url)
            fill(direct)
            refused = "connection pool such as PgBouncer.*5432"
            with pytest.raises(TransferError, match=refused):
                back_up(tmp_path / "backup", pooled)
            with pytest.raises(TransferError, match=refused):
                open_endpoint(pool.url)
            with psycopg.connect(pool.url, autocommit=True) as connection:
                names = ("search_path", "synchronous_commit", "statement_timeout")
                told = [connection.execute(f"SHOW {name}").fetchone() for name in names]
            assert told == [('"$user", public',), ("on",), ("0",)]
            back_up(tmp_path / "backup", direct)
        finally:
            close()
