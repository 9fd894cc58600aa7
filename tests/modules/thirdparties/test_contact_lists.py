"""Lists of contacts."""

import pytest

from tests.modules.thirdparties.contacts import company, make


def lastnames(rows):
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
def owners(admin):
    return {name: company(admin, name, town=town) for name, town in (("Owner A", "Nice"), ("Owner B", "Brest"))}


@pytest.fixture(scope="module")
def listed(admin, owners):
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
    def test_telephones_match_whatever_their_prefix(self, admin, field, pattern, expected):
        """An array also for one match, so that clients need not tell the two apart."""
        rows = admin.get("/contacts", sqlfilters=f"({field}:like:'{pattern}') and {OURS}")
        assert lastnames(rows) == expected

    def test_the_third_party_can_be_named(self, admin, owners):
        assert lastnames(admin.get("/contacts", sqlfilters=f"{OURS} and (s.nom:=:'Owner A')")) == ["Alpha", "Gamma"]
        assert lastnames(admin.get("/contacts", sqlfilters=f"{OURS} and (s.town:like:'B%')")) == ["Beta", "Delta"]
        rows = admin.get("/contacts", sqlfilters=OURS, sortfield="s.nom,t.lastname", sortorder="DESC,ASC")
        assert lastnames(rows) == ["Beta", "Delta", "Alpha", "Gamma", "Epsilon", "Zeta"]
        # The join is counted with
        counted = admin.get("/contacts", sqlfilters=f"{OURS} and (s.nom:=:'Owner A')", pagination_data="true")
        assert counted["pagination"]["total"] == 2

    def test_of_third_parties(self, admin, owners):
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

    def test_rows_are_complete(self, admin, owners):
        rows = admin.get("/contacts", sqlfilters=OURS)
        assert [row["socname"] for row in rows] == ["Owner A", "Owner B", "Owner A", "Owner B", None, None]
        assert all(row["roles"] == [] for row in rows)
        single = admin.get(f"/contacts/{rows[0]['id']}", includeroles=1)
        assert rows[0] == single
