"""Lists of contacts."""

from __future__ import annotations

from typing import Any

import pytest

from core.storage.database import database
from core.testing import Client
from tests.modules.thirdparties.contacts import company, make

#: columns of llx_socpeople by the name of their field
COLUMNS = {
    "id": "rowid", "ref": "rowid", "entity": "entity", "socid": "fk_soc", "lastname": "lastname",
    "civility_code": "civility", "state_id": "fk_departement", "country_id": "fk_pays", "phone_pro": "phone",
    "phone_mobile": "phone_mobile", "email": "email", "mail": "email", "birthday": "birthday", "statut": "statut",
    "stcomm_id": "fk_stcommcontact", "fk_prospectlevel": "fk_prospectcontactlevel", "no_email": "no_email",
    "date_creation": "datec", "date_modification": "tms", "user_creation": "fk_user_creat",
    "user_modification": "fk_user_modif",
}  # fmt: skip


def lastnames(rows: list[dict[str, Any]]) -> list[str]:
    return [row["lastname"] for row in rows]


#: lastname, telephone at work
LISTED = [
    ("Alpha", "+33 6 11 22 33 44"),
    ("Beta", "0611223344"),
    ("Gamma", "06.11.22.33.44"),
    ("Delta", "0033611223344"),
    ("Epsilon", "0499887766"),
    ("Zeta", None),
]
OURS = "(t.ref_ext:=:'listed')"


@pytest.fixture(scope="module")
def owners(admin: Client) -> dict[str, int]:
    return {name: company(admin, name, town=town) for name, town in (("Owner A", "Nice"), ("Owner B", "Brest"))}


@pytest.fixture(scope="module")
def listed(admin: Client, owners: dict[str, int]) -> list[int]:
    a, b = owners.values()
    return [
        make(admin, name, phone_pro=phone, ref_ext="listed", socid=owner)
        for (name, phone), owner in zip(LISTED, (a, b, a, b, None, None), strict=True)
    ]


@pytest.mark.usefixtures("listed")
class TestLists:
    @pytest.mark.parametrize(
        ("pattern", "expected"),
        [
            ("%611223344", ["Beta", "Delta"]),
            ("%6%11%22%33%44", ["Alpha", "Beta", "Gamma", "Delta"]),
            ("0499887766", ["Epsilon"]),
            ("%887%", ["Epsilon"]),
            ("0033%", ["Delta"]),
            ("nothing", []),
        ],
    )
    @pytest.mark.parametrize("field", ["t.phone", "t.phone_pro", "phone"])
    def test_telephones_match_whatever_their_prefix(
        self, admin: Client, field: str, pattern: str, expected: list[str]
    ) -> None:
        """An array also for one match, so that clients need not tell the two apart."""
        rows = admin.get("/contacts", sqlfilters=f"({field}:like:'{pattern}') and {OURS}")
        assert lastnames(rows) == expected

    def test_the_third_party_can_be_named(self, admin: Client, owners: dict[str, int]) -> None:
        assert lastnames(admin.get("/contacts", sqlfilters=f"{OURS} and (s.nom:=:'Owner A')")) == ["Alpha", "Gamma"]
        assert lastnames(admin.get("/contacts", sqlfilters=f"{OURS} and (s.town:like:'B%')")) == ["Beta", "Delta"]
        rows = admin.get("/contacts", sqlfilters=OURS, sortfield="s.nom,t.lastname", sortorder="DESC,ASC")
        assert lastnames(rows) == ["Beta", "Delta", "Alpha", "Gamma", "Epsilon", "Zeta"]
        # The join is counted with
        counted = admin.get("/contacts", sqlfilters=f"{OURS} and (s.nom:=:'Owner A')", pagination_data="true")
        assert counted["pagination"]["total"] == 2

    def test_of_third_parties(self, admin: Client, owners: dict[str, int]) -> None:
        a, b = owners.values()
        for ids, expected in (
            (f"{a}", ["Alpha", "Gamma"]),
            (f"{a},{b}", ["Alpha", "Beta", "Gamma", "Delta"]),
            (f",{b},,", ["Beta", "Delta"]),
            ("999999", []),
            ("9" * 40, []),
            ("", [row[0] for row in LISTED]),
            (",", [row[0] for row in LISTED]),
        ):
            assert lastnames(admin.get("/contacts", sqlfilters=OURS, thirdparty_ids=ids)) == expected, ids

    @pytest.mark.parametrize("ids", ["abc", "1;2", "1 or 1=1", "-1", "(1)"])
    def test_third_parties_are_numbers(self, admin: Client, ids: str) -> None:
        answer = admin.ask("GET", "/contacts", status=400, params={"thirdparty_ids": ids})
        assert answer["error"]["errors"][0]["field"] == "thirdparty_ids"

    def test_rows_are_complete(self, admin: Client, owners: dict[str, int]) -> None:
        rows = admin.get("/contacts", sqlfilters=OURS)
        assert [row["socname"] for row in rows] == ["Owner A", "Owner B", "Owner A", "Owner B", None, None]
        assert all(row["roles"] == [] for row in rows)
        single = admin.get(f"/contacts/{rows[0]['id']}", includeroles=1)
        assert rows[0] == single

    def test_pages_and_counts(self, admin: Client, listed: list[int]) -> None:
        pages = [admin.get("/contacts", sqlfilters=OURS, limit=4, page=page) for page in range(3)]
        assert [[row["id"] for row in page] for page in pages] == [listed[:4], listed[4:], []]
        answer = admin.simulate_get("/contacts", params={"sqlfilters": OURS, "limit": 1, "count": "1"})
        assert answer.headers["x-total-count"] == "6"

    def test_properties(self, admin: Client) -> None:
        rows = admin.get("/contacts", sqlfilters=OURS, properties="lastname,socname,fk_soc", limit=1, page=4)
        assert rows == [{"lastname": "Epsilon", "socname": None, "fk_soc": None}]

    # NULL is the smallest; equal ones stand in the order of their identifiers
    @pytest.mark.parametrize(("order", "places"), [("asc", [2, 5, 3, 0, 4, 1]), ("desc", [1, 4, 0, 3, 5, 2])])
    def test_a_cursor_walks_the_whole_list(self, admin: Client, order: str, places: list[int]) -> None:
        rows = admin.get("/contacts", sqlfilters=OURS)
        for row, job in zip(rows, ["b", "d", None, "a", "b", None], strict=True):
            admin.ask("PUT", f"/contacts/{row['id']}", {"poste": job})
        found: list[str] = []
        cursor = ""
        for _ in range(10):
            params = {"sqlfilters": OURS, "sortfield": "t.poste", "sortorder": order, "limit": 2}
            answer = admin.simulate_get("/contacts", params=params | ({"after": cursor} if cursor else {}))
            found += lastnames(answer.json)
            cursor = answer.headers.get("x-next-cursor", "")
            if not cursor:
                break
        assert found == [LISTED[place][0] for place in places]

    @pytest.mark.parametrize(("field", "column"), COLUMNS.items())
    def test_fields_and_columns_are_named_alike(self, admin: Client, field: str, column: str) -> None:
        for name in (field, column):
            rows = admin.get("/contacts", sqlfilters=f"{OURS} and not (t.{name}:is:NULL)", sortfield=f"t.{name}")
            same = admin.get("/contacts", sqlfilters=f"{OURS} and (t.{column}:isnot:NULL)")
            assert sorted(lastnames(rows)) == sorted(lastnames(same))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("sqlfilters", "(s.pass:=:1)"),
        ("sqlfilters", "(u.login:like:'a%')"),
        ("sqlfilters", "t.phone like '%'"),
        ("sqlfilters", "(t.phone:like:'%a%a%a%a%a%a%a%a%a')"),
        ("sqlfilters", "(t.birthday:>:'tomorrow')"),
        ("sqlfilters", "(t.socname:=:'x')"),
        ("sortfield", "socname"),
        ("sortfield", "s.nom;--"),
        ("includecount", "2"),
        ("includeroles", "x"),
    ],
)
def test_hostile_lists(admin: Client, name: str, value: str) -> None:
    admin.refused("GET", "/contacts", status=400, params={name: value})


def test_a_list_needs_three_statements(admin: Client) -> None:
    """The caller, the list, and all that is computed: however many rows there are."""
    owner = company(admin)
    for number in range(100):
        make(admin, f"n{number}", socid=owner if number % 2 else company(admin), ref_ext="many", country_id=1)
    admin.get("/contacts", sqlfilters="(t.ref_ext:=:'many')", limit=1)
    for limit in (1, 10, 100):
        seen: list[Any] = []
        database.obj.query_hooks.append(seen.append)
        try:
            rows = admin.get("/contacts", sqlfilters="(t.ref_ext:=:'many')", limit=limit)
        finally:
            database.obj.query_hooks.remove(seen.append)
        assert len(rows) == limit
        assert len(seen) == 3, [event.sql for event in seen]
