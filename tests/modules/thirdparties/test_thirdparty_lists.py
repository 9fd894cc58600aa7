"""Lists of third parties."""

import pytest

from tests.modules.thirdparties.thirdparties import make, names

pytestmark = pytest.mark.every_database

#: name, town, outstanding_limit, client, fournisseur, status
LISTED = [
    ("Alpha", "Nice", None, 0, 0, 1),
    ("Beta", "Brest", "5", 1, 0, 0),
    ("Gamma", "Nice", "5", 2, 0, 1),
    ("Delta", "Brest", "100.5", 3, 0, 0),
    ("Epsilon", "Nice", None, 0, 1, 1),
    ("Zeta", "Brest", "0", 1, 1, 0),
    ("Eta%", "Nice", "12.00000001", 2, 1, 1),
]
OURS = "(t.ref_ext:=:'listed')"


@pytest.fixture(scope="module")
def listed(admin):
    return [
        make(
            admin, name, town=town, outstanding_limit=limit, client=client, fournisseur=supplier, status=status,
            ref_ext="listed",
        )
        for name, town, limit, client, supplier, status in LISTED
    ]  # fmt: skip


@pytest.mark.usefixtures("listed")
class TestLists:
    def test_counting(self, admin):
        answer = admin.simulate_get("/thirdparties", params={"sqlfilters": OURS, "limit": 2, "count": "true"})
        assert (answer.headers["x-total-count"], len(answer.json)) == ("7", 2)
        wrapped = admin.get("/thirdparties", sqlfilters=OURS, limit=2, page=1, pagination_data="true")
        assert names(wrapped["data"]) == ["Gamma", "Delta"]
        assert wrapped["pagination"] == {"total": 7, "page": 1, "page_count": 4, "limit": 2}

    def test_properties(self, admin):
        row = admin.get("/thirdparties", sqlfilters=OURS, limit=1, properties="name,outstanding_limit,country_code")
        assert row == [{"name": "Alpha", "outstanding_limit": None, "country_code": None}]
        admin.refused("GET", "/thirdparties", status=400, params={"properties": "name,nonsense"})

    @pytest.mark.parametrize(
        ("mode", "expected"),
        [
            (0, [row[0] for row in LISTED]),
            (1, ["Beta", "Delta", "Zeta"]),
            (2, ["Gamma", "Delta", "Eta%"]),
            (3, ["Alpha", "Epsilon"]),
            (4, ["Epsilon", "Zeta", "Eta%"]),
        ],
    )
    def test_modes(self, admin, mode, expected):
        assert names(admin.get("/thirdparties", sqlfilters=OURS, mode=mode)) == expected

    @pytest.mark.parametrize(
        ("condition", "expected"),
        [
            ("(t.nom:like:'%eta')", ["Beta", "Zeta"]),
            ("(t.name:like:'%ETA')", ["Beta", "Zeta"]),
            (r"(t.nom:like:'%\%')", ["Eta%"]),
            ("(t.nom:in:'Alpha','Gamma')", ["Alpha", "Gamma"]),
            ("(t.outstanding_limit:>:5)", ["Delta", "Eta%"]),
            ("(t.outstanding_limit:=:'5.00000000')", ["Beta", "Gamma"]),
            ("(t.outstanding_limit:is:NULL)", ["Alpha", "Epsilon"]),
            ("not (t.client:in:1,2,3)", ["Alpha", "Epsilon"]),
            ("(t.client:!=:0) and ((t.town:=:'Nice') or (t.status:=:1))", ["Gamma", "Eta%"]),
            ("(t.datec:>:'20200101')", [row[0] for row in LISTED]),
            ("(t.datec:<:'2020-01-01 10:00:00')", []),
        ],
    )
    def test_filters(self, admin, condition, expected):
        assert names(admin.get("/thirdparties", sqlfilters=f"{OURS} and ({condition})")) == expected
