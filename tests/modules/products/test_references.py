"""References and bar codes of products."""

import pytest

from core.storage.database import ensure_connected
from modules.setup.constants import set_constant, unset_constant
from tests.modules.products.products import make, wrong_fields

pytestmark = pytest.mark.every_database


@pytest.mark.parametrize(
    ("sent", "kept"),
    [("BAD/REF*", "BAD_REF_"), ("  x y ", "x y"), ('a<>\\?|":°$;b', "a__________b"), ("../up", "__up"), (4711, "4711")],
)
def test_special_characters_of_a_reference(admin, sent, kept):
    identifier = admin.ask("POST", "/products", {"ref": sent, "label": "x"})
    assert admin.get(f"/products/{identifier}")["ref"] == kept
    message = admin.refused("POST", "/products", {"ref": kept, "label": "x"}, status=405)
    assert f"ref {kept} is already used" in message
    admin.ask("DELETE", f"/products/{identifier}")


def test_references_and_barcodes_exist_once(admin):
    first, second = make(admin, "Once", barcode="B-once"), make(admin)
    for body in ({"ref": "Once"}, {"barcode": "B-once"}, {"barcode": " B-once "}):
        error = admin.ask("PUT", f"/products/{second}", body, status=405)["error"]
        assert [each["field"] for each in error["errors"]] == list(body)
    admin.ask("PUT", f"/products/{first}", {"ref": "Once", "barcode": "B-once"})
    # Any number of products has none
    assert [admin.get(f"/products/{make(admin, barcode=' ')}")["barcode"] for _ in range(2)] == [None, None]


@pytest.fixture
def elephant():
    ensure_connected()
    set_constant("PRODUCT_CODEPRODUCT_ADDON", "mod_codeproduct_elephant")
    set_constant("PRODUCT_ELEPHANT_MASK_PRODUCT", "EP{0000}")
    yield
    ensure_connected()
    for name in ("CODEPRODUCT_ADDON", "ELEPHANT_MASK_PRODUCT", "ELEPHANT_MASK_SERVICE"):
        unset_constant(f"PRODUCT_{name}")


def ref_of(client, ref, /, **fields):
    return str(client.get(f"/products/{make(client, ref, **fields)}")["ref"])


def test_nothing_is_generated_where_references_are_free_text(admin):
    for ref in ("auto", "AUTO", "-1", -1):
        wrong = wrong_fields(admin, {"ref": ref, "label": "x"})
        assert "PRODUCT_CODEPRODUCT_ADDON" in wrong["ref"]


@pytest.mark.usefixtures("elephant")
def test_references_are_generated(admin):
    assert [ref_of(admin, "auto"), ref_of(admin, "-1")] == ["EP0001", "EP0002"]
    # One that somebody chose counts, and the last one of the series can be given again
    chosen = make(admin, "EP0007")
    assert ref_of(admin, "auto") == "EP0008"
    last = admin.get("/products/ref/EP0008")["id"]
    admin.ask("DELETE", f"/products/{last}")
    assert ref_of(admin, "auto") == "EP0008"
    admin.ask("DELETE", f"/products/{chosen}")
    assert ref_of(admin, "auto") == "EP0009"
    # Services have a mask of their own
    message = admin.refused("POST", "/products", {"ref": "auto", "label": "x", "type": 1}, status=405)
    assert "PRODUCT_ELEPHANT_MASK_SERVICE" in message
    ensure_connected()
    set_constant("PRODUCT_ELEPHANT_MASK_SERVICE", "ES{000}")
    assert ref_of(admin, "auto", type=1) == "ES001"
    existing = admin.get("/products/ref/ES001")["id"]
    assert "ref" in wrong_fields(admin, {"ref": "auto"}, "PUT", f"/products/{existing}")


@pytest.mark.usefixtures("elephant")
def test_an_unknown_manner_is_named(admin):
    ensure_connected()
    set_constant("PRODUCT_CODEPRODUCT_ADDON", "mod_codeproduct_zebra")
    message = admin.refused("POST", "/products", {"ref": "auto", "label": "x"}, status=405)
    assert "mod_codeproduct_zebra" in message
    make(admin)


@pytest.mark.usefixtures("elephant")
def test_a_mask_prints_the_author(admin):
    ensure_connected()
    set_constant("PRODUCT_ELEPHANT_MASK_SERVICE", "EA{uuu}-{000}")
    assert ref_of(admin, "auto", type=1) == "EAAdm-001"
