"""Tables of third parties, contacts and discounts. Fields have the names in the API, columns those in Dolibarr."""

from __future__ import annotations

from peewee import AutoField, CharField, DateField, DateTimeField, IntegerField, SmallIntegerField, TextField

from core import Account, ExactField, MapField, Model, RecordField, now

from ..setup.authors import AuthorField
from .shapes import ContactAccepts, ContactAnswers, DiscountAnswers, ThirdpartyAccepts, ThirdpartyAnswers

NO_YES = ((0, "no"), (1, "yes"))
OPEN = ((0, "closed"), (1, "open"))
ACTIVE = ((0, "disabled"), (1, "active"))
#: customer and prospect are bits of one number
CLIENT = ((0, "neither"), (1, "customer"), (2, "prospect"), (3, "customer and prospect"))
ENTITY = ((1, "this company"),)

#: author and time of the last change
STAMPS = ("date_modification", "user_modification")


class Thirdparty(Model):
    """A company or person one does business with: customer, prospect or supplier."""

    id = AutoField(column_name="rowid")
    entity = IntegerField(default=1, choices=ENTITY, help_text="company the record belongs to")
    name = CharField(column_name="nom", max_length=128, null=True, index=True, help_text="name")
    name_alias = CharField(max_length=128, null=True, help_text="trade name")
    ref_ext = CharField(max_length=255, null=True, index=True, help_text="reference in another system")
    ref_int = CharField(max_length=255, null=True, help_text="kept for compatibility")
    status = SmallIntegerField(default=1, choices=OPEN, help_text="1 open, 0 closed")
    statut = SmallIntegerField(null=True, help_text="not used; see status")
    client = SmallIntegerField(default=0, choices=CLIENT, help_text="0 none, 1 customer, 2 prospect, 3 both")
    fournisseur = SmallIntegerField(default=0, choices=NO_YES, help_text="1: supplier")
    code_client = CharField(max_length=24, null=True, unique=True, help_text="customer code; `-1` or `auto`: the next")
    code_fournisseur = CharField(
        max_length=24, null=True, unique=True, help_text="supplier code; `-1` or `auto`: the next"
    )
    code_compta = CharField(max_length=24, null=True, help_text="customer's account in the books")
    code_compta_fournisseur = CharField(max_length=24, null=True, help_text="supplier's account in the books")
    address = CharField(max_length=255, null=True, help_text="street and house number")
    zip = CharField(max_length=25, null=True, help_text="postal code")
    town = CharField(max_length=50, null=True, help_text="town")
    state_id = IntegerField(column_name="fk_departement", null=True, help_text="state or county")
    country_id = IntegerField(column_name="fk_pays", null=True, help_text="country; 0: none")
    phone = CharField(max_length=20, null=True, index=True, help_text="kept without spaces and dots")
    fax = CharField(max_length=20, null=True, help_text="kept without spaces and dots")
    email = CharField(max_length=128, null=True, index=True, help_text="email address")
    url = CharField(max_length=255, null=True, help_text="web site; kept without http://")
    socialnetworks = MapField(null=True, help_text="network → name of the account")
    idprof1 = CharField(column_name="siren", max_length=128, null=True, help_text="professional identifier 1")
    idprof2 = CharField(column_name="siret", max_length=128, null=True, help_text="professional identifier 2")
    idprof3 = CharField(column_name="ape", max_length=128, null=True, help_text="professional identifier 3")
    idprof4 = CharField(max_length=128, null=True, help_text="professional identifier 4")
    idprof5 = CharField(max_length=128, null=True, help_text="professional identifier 5")
    idprof6 = CharField(max_length=128, null=True, help_text="professional identifier 6")
    tva_assuj = SmallIntegerField(null=True, default=1, choices=NO_YES, help_text="1: subject to VAT")
    tva_intra = CharField(max_length=20, null=True, help_text="VAT number")
    localtax1_assuj = SmallIntegerField(default=0, choices=NO_YES, help_text="1: subject to the first local tax")
    localtax1_value = ExactField(7, 4, null=True, help_text="percent; 0 unless localtax1_assuj is 1")
    localtax2_assuj = SmallIntegerField(default=0, choices=NO_YES, help_text="1: subject to the second local tax")
    localtax2_value = ExactField(7, 4, null=True, help_text="percent; 0 unless localtax2_assuj is 1")
    capital = ExactField(24, 8, null=True, help_text="share capital, in the company's currency")
    typent_id = IntegerField(column_name="fk_typent", null=True, help_text="kind of company")
    effectif_id = IntegerField(column_name="fk_effectif", null=True, help_text="size of the staff")
    forme_juridique_code = IntegerField(column_name="fk_forme_juridique", null=True, help_text="legal form")
    parent = RecordField("self", "Thirdparty", null=True, help_text="parent company")
    mode_reglement_id = SmallIntegerField(column_name="mode_reglement", null=True, help_text="mode of payment")
    cond_reglement_id = SmallIntegerField(column_name="cond_reglement", null=True, help_text="terms of payment")
    deposit_percent = CharField(max_length=63, null=True, help_text="deposit asked for, percent")
    transport_mode_id = SmallIntegerField(column_name="transport_mode", null=True, help_text="ID of the transport mode")
    mode_reglement_supplier_id = SmallIntegerField(
        column_name="mode_reglement_supplier", null=True, help_text="mode of payment when we buy"
    )
    cond_reglement_supplier_id = SmallIntegerField(
        column_name="cond_reglement_supplier", null=True, help_text="terms of payment when we buy"
    )
    transport_mode_supplier_id = SmallIntegerField(
        column_name="transport_mode_supplier", null=True, help_text="ID of the transport mode of purchases"
    )
    shipping_method_id = IntegerField(
        column_name="fk_shipping_method", null=True, help_text="ID of the shipping method"
    )
    fk_account = IntegerField(null=True, default=0, help_text="bank account")
    fk_warehouse = IntegerField(null=True, help_text="ID of the default warehouse")
    fk_currency = CharField(max_length=3, null=True, help_text="code of the currency")
    barcode = CharField(max_length=180, null=True, unique=True, help_text="barcode")
    fk_barcode_type = IntegerField(null=True, help_text="ID of the type of the barcode")
    default_lang = CharField(max_length=6, null=True, help_text="language of documents, such as fr_FR")
    price_level = IntegerField(null=True, help_text="level of prices")
    outstanding_limit = ExactField(24, 8, null=True, help_text="largest sum of unpaid invoices, taxes included")
    order_min_amount = ExactField(24, 8, null=True, help_text="smallest order, before taxes")
    supplier_order_min_amount = ExactField(24, 8, null=True, help_text="smallest order when we buy, before taxes")
    stcomm_id = IntegerField(
        column_name="fk_stcomm", default=0, help_text="where the prospect stands; 0: never contacted"
    )
    fk_prospectlevel = CharField(max_length=12, null=True, help_text="potential of the prospect")
    remise_percent = ExactField(7, 4, column_name="remise_client", default=0, help_text="discount, percent")
    remise_supplier_percent = ExactField(
        7, 4, column_name="remise_supplier", default=0, help_text="discount when we buy, percent"
    )
    fk_incoterms = IntegerField(null=True, help_text="ID of the Incoterm")
    location_incoterms = CharField(max_length=255, null=True, help_text="place of the Incoterm")
    fk_multicurrency = IntegerField(null=True, help_text="ID of the currency")
    multicurrency_code = CharField(max_length=3, null=True, help_text="code of the document's currency")
    note_public = TextField(null=True, help_text="printed on documents")
    note_private = TextField(null=True, help_text="never printed")
    model_pdf = CharField(max_length=255, null=True, help_text="template of the PDF")
    last_main_doc = CharField(max_length=255, null=True, help_text="path of the last generated PDF")
    logo = CharField(max_length=255, null=True, help_text="file name of the logo")
    logo_squarred = CharField(max_length=255, null=True, help_text="file name of the square logo")
    canvas = CharField(max_length=32, null=True, help_text="kept for compatibility")
    import_key = CharField(max_length=14, null=True, help_text="mark of an import")
    accountancy_code_sell = CharField(max_length=32, null=True, help_text="account in the books for sales")
    accountancy_code_buy = CharField(max_length=32, null=True, help_text="account in the books for purchases")
    prefix_comm = CharField(max_length=128, null=True, help_text="kept for compatibility")
    supplier_account = CharField(max_length=32, null=True, help_text="customer number at the supplier")
    customer_bad = SmallIntegerField(default=0, help_text="kept for compatibility")
    customer_rate = ExactField(7, 4, default=0, help_text="kept for compatibility")
    supplier_rate = ExactField(7, 4, default=0, help_text="kept for compatibility")
    webservices_url = CharField(max_length=255, null=True, help_text="URL of the partner's web services")
    webservices_key = CharField(max_length=128, null=True, help_text="key of the partner's web services")
    date_creation = DateTimeField(column_name="datec", null=True, default=now, index=True, help_text="time of creation")
    date_modification = DateTimeField(
        column_name="tms", null=True, default=now, index=True, help_text="time of the last change"
    )
    user_creation = IntegerField(column_name="fk_user_creat", null=True, help_text="user who created the record")
    user_modification = IntegerField(column_name="fk_user_modif", null=True, help_text="user who changed it last")

    class Meta:
        table_name = "llx_societe"
        searched = ("name", "name_alias", "code_client", "code_fournisseur", "email", "phone", "town", "zip")
        sorted = ("name", "code_client")
        thirdparty = "id"
        extrafields = "societe"
        aliases = {"ref": "id", "code_compta_client": "code_compta"}
        required = ("name",)
        example = {"name": "Atelier Vasseur", "client": 1, "town": "Le Havre", "email": "bonjour@example.org"}
        managed = (
            "id", "ref_int", "statut", "fk_account", "fk_warehouse", "fk_currency", "fk_barcode_type", "price_level",
            "remise_percent", "remise_supplier_percent", "fk_multicurrency", "multicurrency_code", "last_main_doc",
            "logo_squarred", "prefix_comm", "supplier_account", "customer_bad", "customer_rate", "supplier_rate",
            "date_creation", "date_modification", "user_creation", "user_modification",
        )  # fmt: skip
        create_only = ("canvas", "import_key")
        stamps = STAMPS
        internal = ("note_private",)
        answers = ThirdpartyAnswers
        accepts = ThirdpartyAccepts


class Contact(Model):
    """A person, as a rule of a third party."""

    id = AutoField(column_name="rowid")
    entity = IntegerField(default=1, choices=ENTITY, help_text="company the record belongs to")
    socid = RecordField(Thirdparty, "Thirdparty", column_name="fk_soc", null=True, help_text="third party; -1: none")
    lastname = CharField(max_length=50, null=True, index=True, help_text="last name")
    firstname = CharField(max_length=50, null=True, help_text="first name")
    civility_code = CharField(column_name="civility", max_length=6, null=True, help_text="form of address")
    address = CharField(max_length=255, null=True, help_text="street and house number")
    zip = CharField(max_length=25, null=True, help_text="postal code")
    town = CharField(max_length=255, null=True, help_text="town")
    state_id = IntegerField(column_name="fk_departement", null=True, help_text="state or county")
    country_id = IntegerField(column_name="fk_pays", null=True, help_text="country; 0: none")
    poste = CharField(max_length=255, null=True, help_text="job")
    phone_pro = CharField(
        column_name="phone", max_length=30, null=True, index=True, help_text="at work; `t.phone` in filters"
    )
    phone_perso = CharField(max_length=30, null=True, index=True, help_text="at home")
    phone_mobile = CharField(max_length=30, null=True, index=True, help_text="private mobile number")
    fax = CharField(max_length=30, null=True, help_text="fax number")
    email = CharField(max_length=255, null=True, index=True, help_text="email address")
    birthday = DateField(null=True, help_text="a day")
    socialnetworks = MapField(null=True, help_text="network → name of the account")
    photo = CharField(max_length=255, null=True, help_text="file name of the photo")
    priv = SmallIntegerField(default=0, choices=NO_YES, help_text="1: private")
    statut = SmallIntegerField(default=1, choices=ACTIVE, help_text="1 active, 0 disabled")
    stcomm_id = IntegerField(column_name="fk_stcommcontact", default=0, help_text="where the prospect stands")
    fk_prospectlevel = CharField(
        column_name="fk_prospectcontactlevel", max_length=12, null=True, help_text="code of the prospect level"
    )
    note_public = TextField(null=True, help_text="note for the customer")
    note_private = TextField(null=True, help_text="note for internal users")
    default_lang = CharField(max_length=6, null=True, help_text="language to write in, such as fr_FR")
    ref_ext = CharField(max_length=255, null=True, index=True, help_text="reference in another system")
    canvas = CharField(max_length=32, null=True, help_text="kept for compatibility")
    import_key = CharField(max_length=14, null=True, help_text="mark of an import")
    no_email = SmallIntegerField(default=0, choices=NO_YES, help_text="1: wants no mass mail")
    date_creation = DateTimeField(column_name="datec", null=True, default=now, index=True, help_text="time of creation")
    date_modification = DateTimeField(
        column_name="tms", null=True, default=now, index=True, help_text="time of the last change"
    )
    user_creation = IntegerField(column_name="fk_user_creat", null=True, help_text="user who created the record")
    user_modification = IntegerField(column_name="fk_user_modif", null=True, help_text="user who changed it last")

    class Meta:
        table_name = "llx_socpeople"
        searched = ("lastname", "firstname", "email", "phone_pro", "phone_mobile", "phone_perso", "town")
        sorted = ("lastname", "firstname")
        thirdparty = "socid"
        extrafields = "socpeople"
        aliases = {"ref": "id", "mail": "email"}
        required = ("lastname",)
        example = {"lastname": "Lenoir", "firstname": "Anne", "socid": 1, "email": "anne@example.org"}
        managed = ("id", "no_email", "date_creation", "date_modification", "user_creation", "user_modification")
        create_only = ("canvas", "import_key")
        stamps = STAMPS
        internal = ("note_private",)
        answers = ContactAnswers
        accepts = ContactAccepts


class Discount(Model):
    """A sum that a third party may still use: given back by a credit note, paid in advance, or paid too much."""

    id = AutoField(column_name="rowid")
    entity = IntegerField(default=1, choices=ENTITY, help_text="company the record belongs to")
    fk_soc = RecordField(Thirdparty, "Thirdparty", help_text="third party who may use it")
    discount_type = SmallIntegerField(default=0, choices=((0, "a customer's"),), help_text="0: a customer's")
    datec = DateTimeField(null=True, default=now, help_text="time of creation")
    amount_ht = ExactField(24, 8, default=0, help_text="before taxes")
    amount_tva = ExactField(24, 8, default=0, help_text="VAT")
    amount_ttc = ExactField(24, 8, default=0, help_text="taxes included")
    tva_tx = ExactField(7, 4, default=0, help_text="VAT, percent")
    vat_src_code = CharField(max_length=10, null=True, default="", help_text="code of the rate of VAT")
    fk_user = AuthorField(help_text="user who made it")
    fk_facture_line = IntegerField(null=True, index=True, help_text="line of an invoice that uses it")
    fk_facture = IntegerField(null=True, index=True, help_text="invoice that it pays")
    fk_facture_freed = IntegerField(
        null=True, index=True, help_text="replaced invoice that it paid; reopening that takes it again"
    )
    fk_facture_source = IntegerField(null=True, index=True, help_text="invoice that it came from")
    fk_invoice_supplier = IntegerField(null=True, help_text="kept for compatibility")
    description = TextField(null=True, help_text="(CREDIT_NOTE), (DEPOSIT) or (EXCESS RECEIVED)")
    multicurrency_code = CharField(max_length=3, null=True, help_text="code of the document's currency")
    multicurrency_tx = ExactField(24, 8, null=True, default=1, help_text="exchange rate")
    multicurrency_amount_ht = ExactField(
        24, 8, default=0, help_text="amount excluding taxes, in the document's currency"
    )
    multicurrency_amount_tva = ExactField(24, 8, default=0, help_text="VAT, in the document's currency")
    multicurrency_amount_ttc = ExactField(
        24, 8, default=0, help_text="amount including taxes, in the document's currency"
    )

    class Meta:
        table_name = "llx_societe_remise_except"
        part_of = ("fk_soc",)
        thirdparty = "fk_soc"
        aliases = {
            "rowid": "id", "socid": "fk_soc",
            "total_ht": "amount_ht", "total_tva": "amount_tva", "total_ttc": "amount_ttc",
            "multicurrency_subprice": "multicurrency_amount_ht", "multicurrency_total_ht": "multicurrency_amount_ht",
            "multicurrency_total_tva": "multicurrency_amount_tva",
            "multicurrency_total_ttc": "multicurrency_amount_ttc",
        }  # fmt: skip
        answers = DiscountAnswers


class Representative(Model):
    """A user who represents a third party: without the right to see all, an internal user sees no other ones."""

    id = AutoField(column_name="rowid")
    socid = IntegerField(column_name="fk_soc")
    user = RecordField(Account, "User", column_name="fk_user", on_delete="cascade", help_text="ID of the user")

    class Meta:
        table_name = "llx_societe_commerciaux"
        indexes = ((("socid", "user"), True),)


__all__ = ["ACTIVE", "CLIENT", "Contact", "Discount", "Representative", "Thirdparty"]
