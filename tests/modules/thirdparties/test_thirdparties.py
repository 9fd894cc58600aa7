"""Third parties over HTTP, apart from the fields that `services` lists."""

from core.storage.database import ensure_connected
from modules.thirdparties.models import Representative
from tests.modules.thirdparties.thirdparties import make


def test_reading_by_email_and_barcode(admin):
    first = make(admin, "First", email="same@example.com", barcode="BAR 1é")
    assert admin.get("/thirdparties/email/same@example.com")["id"] == first
    assert admin.get("/thirdparties/barcode/BAR%201%C3%A9")["id"] == first
    admin.refused("GET", "/thirdparties/email/no-address", status=400)


def test_a_second_name_gives_way_to_the_first(admin):
    identifier = make(admin, client=1, code_compta="411A", code_compta_client="411B")
    assert admin.get(f"/thirdparties/{identifier}")["code_compta"] == "411A"
    identifier = make(admin, client=1, code_compta_client="411B")
    assert admin.get(f"/thirdparties/{identifier}")["code_compta"] == "411B"


def test_the_deletion_ends_what_a_user_represents(server, admin):
    identifier = make(admin, "Gone")
    user = server.user(represents=[identifier])
    admin.ask("DELETE", f"/thirdparties/{identifier}")
    ensure_connected()
    assert not Representative.select().where(Representative.user == user.user_id).exists()


def test_what_is_used_is_not_deleted(server, admin):
    with_contact, parent, with_user = make(admin), make(admin), make(admin)
    contact = admin.ask("POST", "/contacts", {"lastname": "A", "socid": with_contact})
    make(admin, parent=parent)
    server.user(socid=with_user)
    refusals = {
        with_contact: f"Thirdparty {with_contact} can't be deleted, because",
        parent: f"Thirdparty {parent} can't be deleted, because",
        with_user: f"can't delete third party {with_user}: external users belong to it",
    }
    for identifier, refusal in refusals.items():
        message = admin.refused("DELETE", f"/thirdparties/{identifier}", status=405)
        assert refusal in message
        assert "socpeople" not in message and "societe" not in message
        assert admin.get(f"/thirdparties/{identifier}")["id"] == identifier
    assert admin.get(f"/contacts/{contact}")["socid"] == with_contact


def test_local_tax_rates_need_their_flag(admin):
    identifier = make(admin, localtax1_value=5)
    assert admin.get(f"/thirdparties/{identifier}")["localtax1_value"] == "0.0000"
    record = admin.ask("PUT", f"/thirdparties/{identifier}", {"localtax1_assuj": 1, "localtax1_value": 5})
    assert record["localtax1_value"] == "5.0000"
    record = admin.ask("PUT", f"/thirdparties/{identifier}", {"localtax1_assuj": 0})
    assert record["localtax1_value"] == "0.0000"


def test_the_email_can_be_made_mandatory(admin):
    from modules.setup.constants import set_constant, unset_constant

    ensure_connected()
    set_constant("SOCIETE_EMAIL_MANDATORY", "1")
    try:
        message = admin.refused("POST", "/thirdparties", {"name": "x"}, status=400)
        assert message == "Bad Request: `email` is required"
        make(admin, email="a@example.com")
    finally:
        unset_constant("SOCIETE_EMAIL_MANDATORY")
    make(admin)


def test_keys_of_a_body_are_never_columns(admin):
    hostile = {"nom=1,x": 1, "__class__": "x", "rowid": 5, "t.name": "x", '"; DROP TABLE llx_societe; --': 1}
    answer = admin.simulate_post("/thirdparties", json={"name": "Hostile", **hostile})
    assert answer.status_code == 200
    assert answer.headers["warning"].isascii()
    assert admin.get(f"/thirdparties/{answer.json}")["name"] == "Hostile"
