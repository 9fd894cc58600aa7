"""A table for each service: the values that it keeps, sets, ignores and rejects, as the specification has them.

The records 1 to 6 that they refer to are made by `prepare`.
"""

from dataclasses import dataclass, field
from itertools import count
from typing import Any, NamedTuple

#: 2026-11-21, midnight UTC, and 2025-01-15
DAY, EARLIER = 1795219200, 1736899200
DAYS = 86400
#: 3 × 20, with VAT 72
LINE = {"desc": "Desk", "qty": 3, "subprice": "20", "tva_tx": 20}
#: in a body: a text that no other record has
UNIQUE = object()
_numbers = count(1)


class To(NamedTuple):
    """A value that is sent, and the different one that is read."""

    sent: Any
    read: Any


@dataclass(frozen=True)
class Service:
    """The rules of a service that each other service has as well.

    :param new: the least body of a new record
    :param kept: field → a value that POST, PUT and PATCH keep
    :param derived: further values of a record with all of these
    :param priced: values that differ if each is sent in its own request
    :param once: fields that only a creation keeps
    :param defaults: values of a new record of the least body
    :param second: second name of a field → the field
    :param required: fields that a new record needs, and that no change takes away
    :param spaces: whether these may be nothing but spaces
    :param optional: a text that may be taken away
    :param filled: further values of the record that the tests change
    :param dropped: fields that only the server writes, and values that would change them
    :param unfit: fields and values that they reject
    :param authors: the fields that show who made a record
    :param changer: the field that shows who changed it last
    :param moments: the fields that show when it was made
    :param verbs: those of a change
    :param replaces: whether PUT resets what is not sent, except `stays`
    """

    path: str
    new: dict[str, Any]
    kept: dict[str, Any]
    derived: dict[str, Any] = field(default_factory=dict)
    priced: dict[str, Any] = field(default_factory=dict)
    once: dict[str, Any] = field(default_factory=dict)
    defaults: dict[str, Any] = field(default_factory=dict)
    second: dict[str, str] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    spaces: bool = False
    optional: str = "note_public"
    filled: dict[str, Any] = field(default_factory=dict)
    dropped: dict[str, Any] = field(default_factory=dict)
    unfit: tuple[tuple[str, Any], ...] = ()
    authors: tuple[str, ...] = ()
    changer: str = ""
    moments: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ("PUT", "PATCH")
    replaces: bool = False
    stays: tuple[str, ...] = ()

    @property
    def sent(self):
        """The values of `kept` as they are sent."""
        return {name: each.sent if isinstance(each, To) else each for name, each in self.kept.items()}

    @property
    def read(self):
        """The same as they are read."""
        return {name: each.read if isinstance(each, To) else each for name, each in self.kept.items()}

    def body(self, **more):
        """A body of a new record."""
        made = {name: f"N{next(_numbers)}" if each is UNIQUE else each for name, each in self.new.items()}
        return made | more


def prepare(admin):
    """Make the records that those of the tables refer to."""
    for number in range(1, 7):
        assert admin.ask("POST", "/warehouses", {"label": f"Shelf {number}"}) == number
        assert admin.ask("POST", "/bankaccounts", {"ref": f"Bank {number}", "label": f"Bank {number}"}) == number
    assert admin.ask("POST", "/thirdparties", {"name": "Customer Ltd", "client": 1}) == 1
    assert admin.ask("POST", "/categories", {"label": "Top", "type": "customer"}) == 1


THIRDPARTIES = Service(
    "thirdparties",
    {"name": "Defaults"},
    kept={
        "entity": 1, "name": "Näme & <b>Co</b> 'x'", "name_alias": "alias", "ref_ext": "EXT-1", "status": 0,
        "client": 3, "fournisseur": 1, "address": "1 rue du Test\n2e étage", "zip": "75001", "town": "Łódź",
        "state_id": 12, "country_id": 1, "phone": To("01 02.03 04", "01020304"), "fax": To("+33 1.2", "+3312"),
        "email": "put@example.com", "url": To("http://www.example.com", "www.example.com"),
        "socialnetworks": {"mastodon": "@a"}, "idprof1": "p1", "idprof2": "p2", "idprof3": "p3", "idprof4": "p4",
        "idprof5": "p5", "idprof6": "p6", "tva_assuj": 0, "tva_intra": To("FR/12:34*5", "FR12345"),
        "localtax1_assuj": 1, "localtax1_value": To("5.2", "5.2000"), "localtax2_assuj": 1,
        "localtax2_value": To(1.25, "1.2500"), "capital": To("1000.5", "1000.50000000"), "typent_id": 2,
        "effectif_id": 3, "forme_juridique_code": 54, "mode_reglement_id": 6, "cond_reglement_id": 2,
        "deposit_percent": "30", "transport_mode_id": 1, "mode_reglement_supplier_id": 4,
        "cond_reglement_supplier_id": 5, "transport_mode_supplier_id": 2, "shipping_method_id": 1,
        "barcode": "BAR-PUT", "default_lang": "fr_FR", "outstanding_limit": "9999999999.12345678",
        "order_min_amount": To(0, "0.00000000"), "supplier_order_min_amount": To("-1.5", "-1.50000000"),
        "stcomm_id": 2, "fk_prospectlevel": "PL_HIGH", "fk_incoterms": 1, "location_incoterms": "Port",
        "note_public": "hello <b>bold</b>", "note_private": "line 1\nline 2", "model_pdf": "azur",
        "logo": "logo.png", "accountancy_code_sell": "701", "accountancy_code_buy": "601",
        "webservices_url": "https://ws.example.com", "webservices_key": "k", "parent": 1,
    },
    defaults={
        "entity": 1, "status": 1, "client": 0, "prospect": 0, "fournisseur": 0, "tva_assuj": 1, "localtax1_assuj": 0,
        "localtax2_assuj": 0, "stcomm_id": 0, "fk_account": 0, "name_alias": None, "code_client": None,
        "email": None, "capital": None, "parent": None, "country_id": None, "country_code": None,
        "socialnetworks": {}, "array_options": {}, "remise_percent": "0.0000", "absolute_discount": "0.00000000",
        "absolute_creditnote": "0.00000000", "status_prospect_label": "Never contacted",
    },
    required=("name",),
    optional="town",
    filled={"client": 1, "code_client": "CU2601-00777", "code_compta": "411"},
    dropped={
        "id": 77, "ref": 77, "prospect": 1, "code_fournisseur": "SU9901-00001", "code_compta_fournisseur": "401X",
        "region_id": 5, "fk_account": 3, "fk_warehouse": 3, "price_level": 2,
        "status_prospect_label": "x", "remise_percent": 5, "remise_supplier_percent": 5, "fk_multicurrency": 3,
        "multicurrency_code": "EUR", "canvas": "c", "import_key": "k", "date_creation": 1, "date_modification": 1,
        "user_creation": 99, "user_modification": 99, "commercial_id": 1, "absolute_discount": "9",
        "absolute_creditnote": "9", "date_validite": 1,
    },
    unfit=(
        ("client", 4), ("client", -1), ("client", "x"), ("client", 1.5), ("client", True), ("status", 2),
        ("status", "opened"), ("fournisseur", 2), ("tva_assuj", 5), ("localtax1_assuj", 2), ("localtax2_assuj", -1),
        ("entity", 2), ("name", "x" * 129), ("name", ["x"]), ("name", {"a": 1}), ("name", "a\x00b"),
        ("email", "no-address"), ("email", "a@b"), ("email", "<a@example.com>"), ("town", "x" * 51),
        ("phone", "1" * 21), ("capital", "2,5"), ("capital", "abc"), ("capital", "1e40"), ("capital", "NaN"),
        ("outstanding_limit", "92233720368.6"), ("localtax1_value", "1000"), ("parent", "abc"),
        ("country_id", 2**31), ("mode_reglement_id", 2**15), ("socialnetworks", "x"), ("default_lang", "francais"),
        ("array_options", "x"), ("code_client", "x" * 25), ("tva_intra", "x" * 21), ("barcode", "x" * 181),
    ),
    authors=("user_creation", "user_modification"),
    changer="user_modification",
    moments=("date_creation", "date_modification"),
)  # fmt: skip
CONTACTS = Service(
    "contacts",
    {"lastname": "Doe"},
    kept={
        "entity": To("1", 1), "lastname": "O'Brien <i>", "firstname": "Zoé", "civility_code": "MR",
        "address": "1 rue\nbis", "zip": "75001", "town": "Θεσσαλονίκη", "state_id": 4, "country_id": 1,
        "poste": "Buyer", "phone_pro": "+33 6 11.22", "phone_perso": "2", "phone_mobile": To(331234, "331234"),
        "fax": "4", "email": "put@example.com", "birthday": To(3789 * DAYS + 13 * 3600, 3789 * DAYS),
        "socialnetworks": {"mastodon": "@a"}, "photo": "p.jpg", "priv": 1, "statut": 0, "stcomm_id": 2,
        "fk_prospectlevel": "PL_LOW", "note_public": "public", "note_private": "private", "default_lang": "pl_PL",
        "ref_ext": "EXT", "socid": 1,
    },
    derived={"country_code": "FR"},
    defaults={
        "entity": 1, "socid": None, "fk_soc": None, "socname": None, "statut": 1, "priv": 0, "stcomm_id": 0,
        "no_email": 0, "birthday": None, "email": None, "mail": None, "phone_pro": None, "country_id": None,
        "country_code": None, "socialnetworks": {}, "array_options": {}, "user_id": None, "user_login": None,
        "roles": None, "ref_facturation": None, "ref_propal": None,
    },
    required=("lastname",),
    optional="town",
    filled={"socid": 1},
    dropped={
        "id": 77, "ref": 77, "fk_soc": 77, "socname": "x", "civility": "x", "canvas": "c",
        "import_key": "k", "no_email": 1, "user_id": 1, "user_login": "x", "roles": [1], "ref_facturation": 1,
        "ref_contrat": 1, "ref_commande": 1, "ref_propal": 1, "date_creation": 1, "date_modification": 1,
        "user_creation": 99, "user_modification": 99,
    },
    unfit=(
        ("statut", 2), ("statut", "x"), ("priv", -1), ("entity", 5), ("socid", "abc"), ("socid", 1.5),
        ("socid", [1]), ("birthday", "tomorrow"), ("birthday", "31/12/1980"), ("birthday", 10**15), ("email", "x"),
        ("lastname", "x" * 51), ("firstname", {}), ("phone_pro", "1" * 31), ("civility_code", "MISTERS"),
        ("socialnetworks", [1]), ("stcomm_id", "x"), ("country_id", 2**31), ("note_public", "a\x00"),
        ("default_lang", "polski_"), ("array_options", 5),
    ),
    authors=("user_creation",),
    changer="user_modification",
    moments=("date_creation",),
)  # fmt: skip
PRODUCTS = Service(
    "products",
    {"ref": UNIQUE, "label": "Something"},
    kept={
        "ref_ext": "EXT-1", "label": "Näme & <b>Co</b> 'x'", "description": "line 1\nline <i>2</i>",
        "type": To("1", 1), "status": 0, "status_buy": 1, "status_batch": 2, "price": To("9.87654321", "9.87654000"),
        "price_min": To(1.5, "1.50000000"), "price_base_type": "TTC", "cost_price": "9999999999.12345678",
        "tva_tx": To("5.5", "5.5000"), "default_vat_code": "ABC", "localtax1_tx": To(5.2, "5.2000"),
        "localtax2_tx": To("-15", "-15.0000"), "localtax1_type": "1", "localtax2_type": To(5, "5"),
        "barcode": To(" 4006381333931 ", "4006381333931"), "barcode_type": 2, "weight": To("0.1", "0.10000000"),
        "weight_units": -3, "length": To(2, "2.00000000"), "length_units": -2, "width": To("3.25", "3.25000000"),
        "width_units": -1, "height": To("", None), "height_units": 0, "surface": To(4, "4.00000000"),
        "surface_units": -4, "volume": To(5, "5.00000000"), "volume_units": -6, "net_measure": To(6, "6.00000000"),
        "net_measure_units": 99, "customcode": "8306", "country_id": 1, "state_id": 12, "duration_value": To("3", 3),
        "duration_unit": "m", "url": "https://example.com/?a=1&b=2", "seuil_stock_alerte": To("2.5", "2.50000000"),
        "desiredstock": To(10, "10.00000000"), "fk_default_warehouse": 3, "finished": 1, "lifetime": 365,
        "qc_frequency": 30, "fk_unit": 2, "accountancy_code_sell": "701", "accountancy_code_sell_intra": "702",
        "accountancy_code_sell_export": "703", "accountancy_code_buy": "601", "accountancy_code_buy_intra": "602",
        "accountancy_code_buy_export": "603", "note_public": "public", "note_private": "private",
        "mandatory_period": 1,
    },
    derived={"duration": "3m", "country_code": "FR"},
    priced={
        # The rate comes after the prices, and the basis is the price with VAT: 9.87654 stays there
        "price": "9.36165000", "price_ttc": "9.87654000", "price_min": "1.42180000", "price_min_ttc": "1.50000000",
    },
    defaults={
        "entity": 1, "type": 0, "status": 1, "status_buy": 0, "status_batch": 0, "price": "0.00000000",
        "price_ttc": "0.00000000", "price_min": "0.00000000", "price_min_ttc": "0.00000000", "price_base_type": "HT",
        "cost_price": None, "tva_tx": "0.0000", "localtax1_tx": "0.0000", "localtax2_tx": "0.0000",
        "localtax1_type": "0", "localtax2_type": "0", "barcode": None, "weight": None, "weight_units": None,
        "duration": "", "duration_value": None, "duration_unit": None, "seuil_stock_alerte": None,
        "desiredstock": "0.00000000", "fk_unit": None, "mandatory_period": 0, "pmp": "0.00000000",
        "array_options": {}, "country_id": None, "country_code": None, "stock_reel": None,
    },
    required=("ref", "label"),
    optional="url",
    filled={"duration_value": 1, "duration_unit": "h"},
    dropped={
        "id": 77, "entity": 2, "pmp": 5, "import_key": "k", "date_creation": 1, "date_modification": 1,
        "fk_user_author": 99, "fk_user_modif": 99, "fk_parent": 3, "recuperableonly": 1, "onportal": 1,
        "batch_mask": "x", "partnumber": "x", "fifo": 1, "lifo": 1, "canvas": "x", "hidden": 1, "model_pdf": "x",
        "fk_price_expression": 1, "price_autogen": 1, "fk_project": 1, "fk_default_bom": 1,
        "nonsense": 1,
    },
    unfit=(
        ("ref", "x" * 129), ("label", "x" * 256), ("label", ["x"]), ("type", 2), ("type", "x"), ("status", 2),
        ("status_buy", -1), ("status_batch", 3), ("price", "2,5"), ("price", "abc"), ("price", "1e40"),
        ("price", "NaN"), ("price", "92233720368.6"), ("price", True), ("price_base_type", "NET"),
        ("tva_tx", "1000"), ("tva_tx", -1), ("tva_tx", "20%"), ("cost_price", "1e12"), ("localtax1_tx", "x"),
        ("weight", "heavy"), ("weight", "1,5"), ("weight_units", 2**15), ("country_id", 2**31), ("fk_unit", "none"),
        ("barcode", "x" * 181), ("customcode", "x" * 33), ("mandatory_period", 2), ("lifetime", 1.5),
        ("description", "a\x00b"), ("array_options", "x"),
    ),
    authors=("fk_user_author", "fk_user_modif"),
    changer="fk_user_modif",
    moments=("date_creation", "date_modification"),
)  # fmt: skip
USERS = Service(
    "users",
    {"login": UNIQUE},
    kept={
        "lastname": "Durand", "firstname": "Rita", "civility_code": "MME", "gender": "woman", "birth": 631152000,
        "personal_email": "r@example.org", "job": "clerk", "signature": "R. D.", "address": "1 rue Haute",
        "zip": "69001", "town": "Lyon", "country_id": 1, "state_id": 3, "office_phone": "+33 1",
        "office_fax": "+33 2", "user_mobile": "+33 6", "personal_mobile": "+33 7", "employee": 0, "statut": 1,
        "lang": "fr_FR", "color": "ff8800", "photo": "rita.png", "accountancy_code": "421", "thm": "21.50000000",
        "tjm": "150.00000000", "salary": "2000.12345678", "salaryextra": "100.00000000",
        "weeklyhours": "35.00000000", "dateemployment": 1577836800, "dateemploymentend": 1893456000,
        "datestartvalidity": 1577836800, "dateendvalidity": 2208988800, "note_public": "a", "note_private": "b",
        "national_registration_number": "1 85", "ref_employee": "E1", "ref_ext": "X1", "fk_warehouse": 4,
    },
    defaults={
        "entity": 1, "admin": 0, "statut": 1, "employee": 1, "socid": None, "fk_user": None, "birth": None,
        "array_options": {},
    },
    required=("login",),
    optional="town",
    dropped={"id": 999, "socid": 1, "datec": 5, "datelastlogin": 5},
    unfit=(
        ("admin", 2), ("statut", 2), ("employee", 2), ("email", "nobody"), ("login", "a,b"), ("login", "a@b"),
        ("login", "a<b"), ("login", "a>b"), ("login", 'a"b'), ("login", "a'b"),
    ),
)  # fmt: skip
GROUPS = Service(
    "users/groups",
    {"name": UNIQUE},
    kept={"name": "Sales", "note": "who sell", "color": "ff0000"},
    defaults={"entity": 1},
    required=("name",),
    spaces=True,
    verbs=("PUT",),
    optional="note",
)
ACCOUNTS = Service(
    "bankaccounts",
    {"ref": UNIQUE, "label": UNIQUE},
    kept={
        "type": 0, "rappro": 0, "bank": "Bank", "code_banque": "30006", "code_guichet": "00001", "number": "12345678901",
        "cle_rib": "89", "domiciliation": "1 quay", "proprio": "Owner", "owner_address": "2 quay",
        "account_number": "512", "currency_code": "EUR", "min_allowed": -100, "min_desired": 50, "comment": "c",
        "url": "https://bank.example", "country_id": 1, "ics": "FR72ZZZ123456",
        "iban": To("fr76 3000 6000 0112 3456 7890 189", "FR7630006000011234567890189"),
        "bic": To("agrifrpp", "AGRIFRPP"),
    },
    derived={"status": 0, "balance": "0.00000000", "country_code": "FR"},
    defaults={"type": 1, "status": 0, "rappro": 1, "currency_code": "EUR"},
    second={"courant": "type", "owner": "proprio"},
    required=("ref", "label"),
    optional="comment",
    unfit=(
        ("label", "x" * 31), ("iban", "FR7630006000011234567890188"), ("bic", "AGRI"), ("ics", "FR71ZZZ123456"),
        ("type", 3), ("currency_code", "euro"), ("ref", "x" * 13), ("country_id", 99999),
    ),
)  # fmt: skip
CATEGORIES = Service(
    "categories",
    {"label": UNIQUE, "type": "customer"},
    kept={
        "label": "Kept <b>", "fk_parent": 1, "description": "What\nit is", "color": To("#20F040", "20f040"),
        "position": 4, "visible": 0, "ref_ext": "K-1",
    },
    defaults={
        "type": 2, "fk_parent": 0, "entity": 1, "visible": 1, "position": 0, "color": None, "description": None,
        "ref_ext": None, "array_options": {},
    },
    required=("label", "type"),
    optional="description",
    dropped={"type": 1},
    unfit=(("color", "red"), ("visible", 7), ("type", "robot")),
    authors=("user_creation",),
)  # fmt: skip
WAREHOUSES = Service(
    "warehouses",
    {"label": UNIQUE},
    kept={
        "label": "Quay <3>", "description": "beside\nthe crane", "lieu": "Hall 3", "statut": To("2", 2),
        "fk_project": 4, "address": "1 Quay Road", "zip": "76600", "town": "Le Havre", "state_id": 12,
        "country_id": 1, "phone": "+33 2 35", "fax": "+33 2 36", "fk_parent": 1,
    },
    derived={"ref": "Quay <3>", "status": 2, "country_code": "FR"},
    defaults={"statut": 1, "fk_parent": None, "array_options": {}},
    second={"ref": "label"},
    required=("label",),
    spaces=True,
    optional="lieu",
    unfit=(("statut", 7), ("zip", "0" * 11)),
    authors=("user_creation_id",),
)  # fmt: skip
PROPOSALS = Service(
    "proposals",
    {"socid": 1, "date": DAY},
    kept={
        "ref_ext": "shop-12", "ref_client": "CREF1", "fk_project": To("7", 7), "fin_validite": DAY + 3600,
        "remise_percent": To("12.5", "12.5000"), "remise_absolue": To(3, "3.00000000"),
        "remise": To("1.25", "1.25000000"), "cond_reglement_id": 2, "mode_reglement_id": To("4", 4),
        "deposit_percent": "30", "fk_account": 5, "availability_id": 2, "demand_reason_id": 1,
        "shipping_method_id": 3, "warehouse_id": 6, "delivery_date": To("2026-12-24", DAY + 33 * DAYS),
        "note_public": '<b>été</b> & "quotes"', "note_private": "first\nsecond", "model_pdf": "cyan",
        "fk_incoterms": 4, "location_incoterms": "Paris",
    },
    derived={
        "cond_reglement_code": "30D", "mode_reglement_code": "LIQ", "availability_code": "AV_1W",
        "demand_reason_code": "SRC_INTE", "duree_validite": None, "statut_libelle": "draft",
    },
    defaults={
        "ref_ext": None, "ref_client": None, "fk_project": None, "fin_validite": 0, "remise_percent": None,
        "remise_absolue": None, "remise": "0.00000000", "cond_reglement_id": None, "mode_reglement_id": None,
        "deposit_percent": None, "fk_account": None, "availability_id": 0, "demand_reason_id": 0,
        "shipping_method_id": None, "warehouse_id": None, "delivery_date": None, "note_public": None,
        "note_private": None, "model_pdf": None, "fk_incoterms": 0, "location_incoterms": None,
    },
    second={"fk_projet": "fk_project", "ref_customer": "ref_client", "date_livraison": "delivery_date"},
    required=("socid",),
    filled={"lines": [LINE]},
    dropped={
        "id": 4711, "ref": "PR2611-9999", "statut": 2, "total_ht": "1", "total_tva": 1, "total_ttc": 1,
        "user_author_id": 9, "user_valid_id": 9, "date_creation": 0, "date_validation": 5, "date_signature": 5,
        "date_cloture": 5, "last_main_doc": "x", "multicurrency_code": "EUR", "import_key": "x", "lines": [],
        "linked_objects": {"propal": 1}, "online_sign_name": "x",
    },
    unfit=(
        ("socid", None), ("socid", ""), ("socid", 0), ("date", "soon"), ("fin_validite", "never"), ("entity", 2),
        ("remise_percent", "2,5"), ("note_public", ["x"]), ("ref_client", "x" * 256), ("duree_validite", -1),
        ("duree_validite", "a week"), ("duree_validite", True), ("array_options", "red"),
    ),
    authors=("user_author_id",),
    changer="fk_user_modif",
    moments=("date_creation",),
    replaces=True,
)  # fmt: skip
ORDERS = Service(
    "orders",
    {"socid": 1, "date": DAY},
    kept={
        "ref_ext": "EXT-1", "ref_client": "CUST-REF", "fk_project": To("7", 7), "date": To("2025-01-15", EARLIER),
        "delivery_date": 1796000000, "source": 2, "remise_percent": To("2.5", "2.5000"),
        "remise_absolue": To("1.25", "1.25000000"), "cond_reglement_id": 2, "mode_reglement_id": To("2", 2),
        "deposit_percent": "30", "fk_account": 3, "availability_id": 1, "demand_reason_id": 4,
        "shipping_method_id": 2, "warehouse_id": 5, "note_public": "<b>public</b>", "note_private": "private\nnote",
        "model_pdf": "einstein", "module_source": "takepos", "pos_source": "2", "fk_incoterms": 1,
        "location_incoterms": "Lyon",
    },
    dropped={
        "id": 77, "ref": "CO9999-0001", "statut": 3, "status": 3, "billed": 1, "total_ht": 5, "total_tva": 5,
        "total_ttc": 5, "date_creation": 1, "date_validation": 1, "date_cloture": 1, "user_author_id": 99,
        "user_creation_id": 99, "user_valid": 99, "user_modification": 99, "fk_user_cloture": 99, "remise": 5,
        "amount_ht": 5, "fk_delivery_address": 9, "last_main_doc": "x", "multicurrency_code": "EUR",
        "import_key": "x",
    },
    derived={
        "availability_code": "AV_NOW", "demand_reason_code": "SRC_CAMP_FAX", "cond_reglement_code": "30D",
        "mode_reglement_code": "VIR",
    },
    defaults={
        "ref_ext": None, "ref_client": None, "fk_project": None, "date": DAY, "delivery_date": None, "source": None,
        "remise_percent": "0.0000", "remise_absolue": "0.00000000", "cond_reglement_id": None,
        "mode_reglement_id": None, "deposit_percent": None, "fk_account": None, "availability_id": None,
        "demand_reason_id": None, "shipping_method_id": None, "warehouse_id": None, "note_public": None,
        "note_private": None, "model_pdf": None, "module_source": None, "pos_source": None, "fk_incoterms": 0,
        "location_incoterms": None, "statut": 0, "status": 0, "billed": 0, "brouillon": 1, "entity": 1,
        "date_commande": DAY, "date_livraison": None, "date_validation": None, "date_cloture": None,
        "user_valid": None, "user_validation_id": None, "user_modification": None, "user_modification_id": None,
        "availability_code": None, "availability": None, "cond_reglement_code": None, "mode_reglement_code": None,
        "online_payment_url": None, "contacts_ids": [], "linkedObjectsIds": {}, "multicurrency_code": "EUR",
        "multicurrency_tx": "1.00000000", "array_options": {},
    },
    second={"ref_customer": "ref_client", "date_commande": "date", "date_livraison": "delivery_date"},
    required=("socid",),
    filled={"lines": [LINE]},
    authors=("user_author_id", "user_creation_id"),
    changer="user_modification",
    moments=("date_creation",),
    replaces=True,
    stays=("date",),
)  # fmt: skip
INVOICES = Service(
    "invoices",
    {"socid": 1, "date": DAY},
    kept={
        "ref_ext": "EXT-1", "ref_client": "CUST-REF", "type": To("3", 3), "date": To("2025-01-15", EARLIER),
        "date_lim_reglement": To(DAY + 3600, DAY), "date_pointoftax": To("2026-10-31", DAY - 21 * DAYS),
        "remise_percent": To("2.5", "2.5000"), "remise_absolue": To("1.25", "1.25000000"), "cond_reglement_id": 2,
        "mode_reglement_id": To("2", 2), "fk_account": 3, "fk_project": To("7", 7), "note_public": "<b>public</b>",
        "note_private": "private\nnote", "model_pdf": "sponge", "fk_incoterms": 1, "location_incoterms": "Lyon",
        "situation_cycle_ref": 4, "situation_counter": To("2", 2), "situation_final": 1,
        "retained_warranty": To("5", "5.00000000"),
        "retained_warranty_date_limit": To("2027-11-21", DAY + 365 * DAYS), "retained_warranty_fk_cond_reglement": 2,
        "revenuestamp": To("1.6", "1.60000000"),
    },
    dropped={
        "id": 77, "ref": "FA9999-0001", "statut": 2, "status": 2, "paye": 1, "close_code": "other",
        "close_note": "x", "total_ht": 5, "total_tva": 5, "total_ttc": 5, "total_localtax1": 5, "date_creation": 1,
        "date_validation": 1, "user_author": 99, "user_valid": 99, "user_modification": 99, "fk_user_author": 99,
        "fk_user_valid": 99, "last_main_doc": "x", "import_key": "x", "extraparams": "x",
        "multicurrency_code": "EUR", "multicurrency_tx": 1, "multicurrency_total_ht": 5, "fk_multicurrency": 5,
        "brouillon": 0, "totalpaid": 9, "totalcreditnotes": 9, "totaldeposits": 9, "remaintopay": 9,
        "date_closing": 1, "fk_user_closing": 99,
    },
    once={"fk_fac_rec_source": 12, "module_source": "takepos", "pos_source": "2"},
    defaults={
        "ref_ext": None, "ref_client": None, "type": 0, "date": DAY, "date_lim_reglement": DAY,
        "date_pointoftax": None, "remise_percent": None, "remise_absolue": None, "cond_reglement_id": 0,
        "mode_reglement_id": 0, "fk_account": None, "fk_project": None, "note_public": None, "note_private": None,
        "model_pdf": None, "fk_incoterms": 0, "location_incoterms": None, "situation_cycle_ref": None,
        "situation_counter": None, "situation_final": 0, "retained_warranty": "0.00000000",
        "retained_warranty_date_limit": None, "retained_warranty_fk_cond_reglement": 0, "revenuestamp": "0.00000000",
        "fk_fac_rec_source": None, "module_source": None, "pos_source": None, "statut": 0, "status": 0, "paye": 0,
        "brouillon": 1, "user_valid": None, "fk_facture_source": None, "close_code": None,
        "totalpaid": "0.00000000", "remaintopay": "0.00000000", "multicurrency_code": "EUR",
        "multicurrency_tx": "1.00000000",
    },
    second={"ref_customer": "ref_client", "fk_projet": "fk_project"},
    required=("socid",),
    filled={"lines": [LINE]},
    unfit=(("type", 6), ("date", "soon"), ("fk_facture_source", "x")),
    authors=("user_author", "fk_user_author"),
    changer="fk_user_modif",
)  # fmt: skip
SERVICES = (
    THIRDPARTIES, CONTACTS, PRODUCTS, USERS, GROUPS, ACCOUNTS, CATEGORIES, WAREHOUSES, PROPOSALS, ORDERS, INVOICES,
)  # fmt: skip
