"""Products over HTTP, apart from the fields that `services` lists."""

from core.storage.database import database, ensure_connected
from tests.modules.products.products import make


def test_reading_by_other_names(admin):
    first = make(admin, "By name", ref_ext="same", barcode="BAR 1é")
    slashed = make(admin, "By name, with a slash", ref_ext="web/42", barcode="12/34")
    for path in ("ref_ext/web%2F42", "barcode/12%2F34"):
        assert admin.get(f"/products/{path}")["id"] == slashed
    assert admin.get("/products/ref/By%20name")["id"] == first
    assert admin.get("/products/ref_ext/same")["id"] == first
    assert admin.get("/products/barcode/BAR%201%C3%A9")["id"] == first
    for name in ("ref", "ref_ext", "barcode"):
        assert "not found" in admin.refused("GET", f"/products/{name}/none", status=404)
        admin.refused("GET", f"/products/{name}/%20", status=400)
        admin.refused("GET", f"/products/{name}", status=400)


def test_a_row_needs_reference_and_label_alone(admin):
    """A narrower model of the table may write it, too."""
    ensure_connected()
    database.execute_sql("INSERT INTO llx_product (ref, label) VALUES ('Narrow', 'Narrow')")
    record = admin.get("/products/ref/Narrow")
    assert (record["status"], record["price_ttc"], record["price_base_type"]) == (1, "0.00000000", "HT")
