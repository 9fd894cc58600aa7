"""A search by pattern: what one may cost."""

import pytest

from core.storage.database import ensure_connected
from core.storage.sqlfilters import LOOKED_INTO, MAX_PATTERN, MAX_WILDCARDS
from core.testing import serving

pytestmark = pytest.mark.every_database


@pytest.fixture(scope="module")
def server(kind, tmp_path_factory):
    with serving(tmp_path_factory.mktemp(kind), kind, statement_timeout=60) as served:
        yield served


@pytest.fixture
def noted(server):
    """120 third parties with two notes of 65,000 bytes each."""
    client = server.client()
    ensure_connected()
    if not client.get("/thirdparties", sqlfilters="(t.name:=:'Noted 0')"):
        for place in range(120):
            # MariaDB counts its bytes
            note = {"note_private": "é" * 32_000, "note_public": "a" * 65_000}
            client.ask("POST", "/thirdparties", {"name": f"Noted {place}", **note})
    return client


@pytest.mark.parametrize("field", ["note_private", "note_public"])
def test_the_dearest_patterns_over_long_notes_end_in_a_minute(noted, field):
    letter = "é" if field == "note_private" else "a"
    many = f"%{letter}" * (MAX_WILDCARDS - 1)
    dear = [f"%{letter * (MAX_PATTERN - 3)}b%", f"{many}%b", f"%{f'{letter}_' * 98}b%"]
    for pattern in dear:
        # MariaDB needs less than a second; without a bound it needs three minutes, and the server responds with 503
        assert noted.get("/thirdparties", sqlfilters=f"(t.{field}:like:'{pattern}')", limit=1) == []
    for pattern in (f"%{letter * 3500}%", f"%{letter * (MAX_PATTERN - 1)}%"):
        message = noted.refused(
            "GET", "/thirdparties", status=400, params={"sqlfilters": f"(t.{field}:like:'{pattern}')"}
        )
        assert "expected a pattern of at most 200 characters, got more" in message


def test_what_is_looked_for_at_the_edge(noted):
    note = "x" * (LOOKED_INTO - 1) + "Yz"
    identifier = noted.ask("POST", "/thirdparties", {"name": "Edge", "note_public": note})
    for pattern, found in (("%xy", [identifier]), ("%xyz", []), ("x%y", [identifier])):
        listed = noted.get("/thirdparties", sqlfilters=f"(t.note_public:like:'{pattern}')", properties="id")
        assert [each["id"] for each in listed] == found
    # Only the first characters are compared
    missing = noted.get("/thirdparties", sqlfilters="(t.note_public:notlike:'%yz%')", properties="id", limit=1000)
    assert identifier in [each["id"] for each in missing]
