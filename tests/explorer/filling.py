"""What demonstration data lacks for requests that are drawn, and the values of real records that are put into them."""

import json
import re
from typing import Any

from schemathesis.core.parameters import ParameterLocation

from core.for_natives import Job
from core.storage.database import database, execute, query

Values = dict[str, Any]

PASSWORD = "a password for the tests"
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
DEPOSIT = 3
DOCUMENTS = {"invoices": "facture", "orders": "commande", "proposals": "propal"}
#: kind of record → service of its records
EXTENDED = {
    "propal": "proposals", "commande": "orders", "facture": "invoices", "societe": "thirdparties",
    "socpeople": "contacts", "product": "products", "user": "users", "propaldet": "", "commandedet": "",
    "facturedet": "",
}  # fmt: skip
TYPES = {"words": "varchar", "number": "int", "amount": "price", "day": "date", "flag": "boolean"}


def fill_gaps(served):
    """Add what demonstration data lacks: extra fields, roles, files, second references, keys, a discount in use, jobs."""
    ask = served.client().ask
    for element, service in EXTENDED.items():
        for name, kind in TYPES.items():
            ask("POST", f"/setup/extrafields/{element}/{name}", {"label": name, "type": kind, "size": "20"})
        extras = {"options_words": "some", "options_number": 3, "options_amount": "2.5", "options_flag": 1}
        draft = "fk_statut = 0" if service in DOCUMENTS else "1"
        for identifier in _ids(f"llx_{element}", 2, draft) if service else ():
            ask("PATCH", f"/{service}/{identifier}", {"array_options": extras})
    for service, element in DOCUMENTS.items():
        sql = (
            f"SELECT d.rowid, p.rowid FROM llx_{element} d JOIN llx_socpeople p ON p.fk_soc = d.fk_soc GROUP BY d.rowid"
        )
        for document, contact in query(sql)[:5]:
            ask("POST", f"/{service}/{document}/contact/{contact}/BILLING")
        for identifier in _ids(f"llx_{element}", 3, "fk_statut = 0"):
            ask("PATCH", f"/{service}/{identifier}", {"ref_ext": f"outside {identifier}"})
        for (ref,) in query(f"SELECT ref FROM llx_{element} LIMIT 3"):
            file = {"modulepart": service.removesuffix("s"), "original_file": f"{ref}/{ref}.pdf"}
            ask("PUT", "/documents/builddoc", file)
    for number, identifier in enumerate(_ids("llx_product", 3)):
        ask("PATCH", f"/products/{identifier}", {"ref_ext": f"outside {number}", "barcode": f"40000{number}"})
    administrator, *others = _ids("llx_user", 3)
    for identifier in _ids("llx_societe", 3):
        ask("PATCH", f"/thirdparties/{identifier}", {"barcode": f"50000{identifier}"})
        ask("POST", f"/thirdparties/{identifier}/representatives/{others[0]}")
    for identifier in others:
        ask("POST", f"/users/{identifier}/keys", {"label": "another"})
    ask("PUT", f"/users/{administrator}", {"pass": PASSWORD, "email": "administrator@example.org"})
    line = {"qty": 1, "subprice": 5000, "tva_tx": 20}
    for (socid,) in query("SELECT fk_soc FROM llx_societe_remise_except GROUP BY fk_soc LIMIT 3"):
        ask("POST", "/invoices", {"socid": socid, "date": "2026-11-21", "lines": [line]})
    # Its PDF is kept as it was issued
    body = {"socid": _ids("llx_societe", 1)[0], "date": "2026-11-21", "ref_ext": "issued", "lines": [line]}
    ask("POST", f"/invoices/{ask('POST', '/invoices', body)}/validate")
    pays = (
        "SELECT f.rowid, r.rowid FROM llx_societe_remise_except r JOIN llx_facture f ON f.fk_soc = r.fk_soc "
        "AND f.fk_statut = 1 AND f.type = 0 AND f.total_ttc > r.amount_ttc ORDER BY r.rowid LIMIT 1"
    )
    for invoice, discount in query(pays):
        ask("POST", f"/invoices/{invoice}/usecreditnote/{discount}")
    payment = {"datepaye": 1700000000, "paymentid": 2, "closepaidinvoices": "yes", "accountid": 1}
    for identifier in _ids("llx_facture", 3, f"type = {DEPOSIT} AND fk_statut = 1"):
        ask("POST", f"/invoices/{identifier}/payments", payment)
    # A shipment that is being packed: a line of it is left, and a contact has a role in it
    ordered = "SELECT fk_commande FROM llx_commandedet GROUP BY fk_commande HAVING COUNT(*) > 1"
    order = _ids("llx_commande", 1, f"fk_statut = 1 AND rowid IN ({ordered})")[0]
    shipment = ask("POST", f"/orders/{order}/shipment/1")
    packed = ask("GET", f"/shipments/{shipment}/lines")[0]["id"]
    ask("DELETE", f"/shipments/{shipment}/lines/{packed}")
    ask("PATCH", f"/shipments/{shipment}", {"ref_ext": "outside"})
    ask("POST", f"/shipments/{shipment}/contact/{_ids('llx_socpeople', 1)[0]}/CUSTOMER")
    ask("POST", f"/invoices/templates/{_ids('llx_facture_rec', 1)[0]}/contact/{_ids('llx_socpeople', 1)[0]}/BILLING")
    # An account that nothing names yet
    ask("POST", "/bankaccounts", {"ref": "NEW", "label": "New", "type": 0})
    ask("PUT", "/setup/conf/PRELEVEMENT_ICS", {"value": "FR72ZZZ123456"})
    ask("PUT", "/setup/conf/TEST_FREE_TEXT", {"value": "1"})
    for number in range(8):
        answers = {"result": '{"pages": 3}', "done": 3, "total": 3} if number % 4 == 2 else {}
        Job.create(
            module="paper", name="print_all", arguments='{"first": 1}', status=number % 4, due=1700000000,
            created=1700000000, moment=1700000000 + number, cron="0 8 * * *", **answers,
        )  # fmt: skip
    # Events that were numbered and delivered, as jobs do it
    webhook = ask("POST", "/webhooks", {"url": "https://receiver.example/hook", "events": "*"})
    execute("UPDATE comptoir_event SET number = rowid")
    execute("UPDATE comptoir_event_feed SET last = (SELECT MAX(number) FROM comptoir_event)")
    execute(
        "INSERT INTO comptoir_webhook_delivery (fk_webhook, number, service, event, record, state, attempts, error) "
        "SELECT ?, number, service, event, record, 'delivered', 1, '' FROM comptoir_event ORDER BY number LIMIT 9",
        (webhook,),
    )


def _ids(table, count, where="1"):
    return [row[0] for row in query(f"SELECT rowid FROM {table} WHERE {where} ORDER BY rowid LIMIT {count}")]


#: the shipment of which a line is left
_PACKED = "SELECT rowid, fk_commande FROM llx_expedition WHERE ref_ext = 'outside'"

_KINDS = "(?P<kind>" + "|".join(DOCUMENTS) + ")"

#: path → statement for values of its variables that belong together; ``{0}`` is the table of the kind of document
PLACES = {
    _KINDS + r"/{id}/lines/{lineid}": """
        SELECT fk_{0} AS id, l.rowid AS lineid FROM llx_{0}det l JOIN llx_{0} d ON d.rowid = l.fk_{0}
        WHERE d.fk_statut = 0 OR l.rowid < 20""",
    _KINDS + r"(/{id}|/{id}/lines?|/{id}/validate)": "SELECT rowid AS id FROM llx_{0} WHERE fk_statut = 0 OR rowid < 5",
    _KINDS + r"/{id}/contact/{contactid}/{type}": """
        SELECT d.rowid AS id, p.rowid AS contactid, t.code AS type FROM llx_{0} d JOIN llx_socpeople p
        ON p.fk_soc = d.fk_soc JOIN llx_c_type_contact t ON t.element = '{0}' AND t.source = 'external'
        WHERE d.rowid IN (SELECT rowid FROM llx_{0} ORDER BY rowid LIMIT 5)""",
    _KINDS + r"/ref/{ref}": "SELECT ref FROM llx_{0}",
    _KINDS + r"/ref_ext/{ref_ext}": "SELECT ref_ext FROM llx_{0} WHERE ref_ext <> ''",
    r"invoices/payments/{id}": "SELECT rowid AS id FROM llx_paiement",
    r"invoices/{id}/pdf/issued": "SELECT rowid AS id FROM llx_facture WHERE ref_ext = 'issued'",
    r"invoices/{id}/discount": "SELECT fk_facture_source AS id FROM llx_societe_remise_except",
    r"invoices/{id}/markAsCreditAvailable": """
        SELECT rowid AS id FROM llx_facture WHERE type IN (2, 3) AND fk_statut IN (1, 2)
        AND rowid NOT IN (SELECT COALESCE(fk_facture_source, 0) FROM llx_societe_remise_except)""",
    r"invoices/{id}/usediscount/{discountid}": """
        SELECT f.rowid AS id, r.rowid AS discountid FROM llx_societe_remise_except r JOIN llx_facture f
        ON f.fk_soc = r.fk_soc AND f.fk_statut = 0 AND f.type = 0""",
    r"invoices/{id}/use\w+/{discountid}": """
        SELECT f.rowid AS id, r.rowid AS discountid FROM llx_societe_remise_except r JOIN llx_facture f
        ON f.fk_soc = r.fk_soc AND f.fk_statut < 2 AND r.fk_facture IS NULL
        UNION SELECT fk_facture, rowid FROM llx_societe_remise_except WHERE fk_facture IS NOT NULL""",
    _KINDS + r"/{id}.*": "SELECT rowid AS id FROM llx_{0}",
    r"invoices/createfromorder/{orderid}": "SELECT rowid AS orderid FROM llx_commande",
    r"orders/createfromproposal/{proposalid}": "SELECT rowid AS proposalid FROM llx_propal",
    r"contacts/email/{email}": "SELECT email FROM llx_socpeople",
    r"contacts/{id}": "SELECT rowid AS id FROM llx_socpeople",
    r"invoices/templates/{id}/lines/{lineid}": "SELECT fk_facture AS id, rowid AS lineid FROM llx_facturedet_rec",
    r"invoices/templates/{id}/contact/{contactid}/{type}": """
        SELECT t.rowid AS id, c.rowid AS contactid, 'BILLING' AS type FROM llx_facture_rec t, llx_socpeople c
        WHERE c.rowid < 4""",
    r"invoices/templates/createfrominvoice/{id}": "SELECT rowid AS id FROM llx_facture WHERE type = 0",
    r"invoices/templates/{id}.*": "SELECT rowid AS id FROM llx_facture_rec",
    r"products/{id}/purchase_prices/{priceid}": """
        SELECT fk_product AS id, rowid AS priceid FROM llx_product_fournisseur_price""",
    r"products/{id}/selling_multiprices/per_segment/{price_level}": """
        SELECT rowid AS id, 1 AS price_level FROM llx_product WHERE rowid < 9""",
    r"products/{id}/selling_multiprices/.*{priceid}": "SELECT rowid AS id, 1 AS priceid FROM llx_product WHERE rowid < 9",
    r"products/{id}/(purchase_prices|selling_multiprices|stock).*": "SELECT rowid AS id FROM llx_product",
    r"thirdparties/{id}/merge/{idtodelete}": """
        SELECT a.rowid AS id, b.rowid AS idtodelete FROM llx_societe a, llx_societe b WHERE a.rowid <> b.rowid""",
    r"thirdparties/{id}/generate.*/{companybankid}(/{model})?": """
        SELECT fk_soc AS id, rowid AS companybankid, 'sepamandate' AS model FROM llx_societe_rib""",
    r"setup/establishments/{id}": "SELECT rowid AS id FROM llx_establishment",
    r"setup/dictionary/{name}/{id}": """
        SELECT 'payment_terms' AS name, rowid AS id FROM llx_c_payment_term
        UNION SELECT 'shipping_methods', rowid FROM llx_c_shipment_mode""",
    r"setup/dictionary/{name}": "SELECT 'payment_terms' AS name UNION SELECT 'towns'",
    r"shipments/{id}/lines/{lineid}": "SELECT fk_expedition AS id, rowid AS lineid FROM llx_expeditiondet",
    r"shipments/{id}/contact/{contactid}/{type}": f"""
        SELECT s.rowid AS id, c.rowid AS contactid, 'CUSTOMER' AS type FROM ({_PACKED}) s, llx_socpeople c
        WHERE c.rowid < 4""",
    r"shipments/{id}/lines": _PACKED.replace("SELECT rowid", "SELECT rowid AS id"),
    r"shipments/{id}.*": "SELECT rowid AS id FROM llx_expedition",
    r"shipments/ref/{ref}": "SELECT ref FROM llx_expedition",
    r"shipments/ref_ext/{ref_ext}": "SELECT ref_ext FROM llx_expedition WHERE ref_ext <> ''",
    r"warehouses/{id}.*": "SELECT rowid AS id FROM llx_entrepot",
    r"stockmovements/{id}.*": "SELECT rowid AS id FROM llx_stock_mouvement",
    r"orders/{id}/shipment/{warehouse_id}": """
        SELECT c.rowid AS id, e.rowid AS warehouse_id FROM llx_commande c, llx_entrepot e
        WHERE c.fk_statut IN (1, 2) AND e.statut = 1""",
    r"products/attributes/{id}": "SELECT rowid AS id FROM llx_product_attribute",
    r"products/attributes/{id}/values": "SELECT rowid AS id FROM llx_product_attribute",
    r"products/attributes/ref_ext/{ref_ext}": "SELECT ref_ext FROM llx_product_attribute WHERE ref_ext <> ''",
    r"products/attributes/ref/{ref}.*": "SELECT ref FROM llx_product_attribute",
    r"products/attributes/values/{id}": "SELECT rowid AS id FROM llx_product_attribute_value",
    r"products/attributes/{id}/values/ref/{ref}": """
        SELECT fk_product_attribute AS id, ref FROM llx_product_attribute_value""",
    r"products/variants/{id}": "SELECT rowid AS id FROM llx_product_attribute_combination",
    r"products/{id}/subproducts/remove/{subproduct_id}": """
        SELECT fk_product_pere AS id, fk_product_fils AS subproduct_id FROM llx_product_association""",
    r"products/{id}(/variants|/subproducts.*)?": "SELECT rowid AS id FROM llx_product",
    r"products/ref/{ref}/variants": "SELECT ref FROM llx_product WHERE variant_role = 1",
    # Categories below the records that may be in them
    r"thirdparties/{id}/categories(/{category_id})?": """
        SELECT fk_soc AS id, fk_categorie AS category_id FROM llx_categorie_societe UNION ALL
        SELECT r.rowid AS id, c.rowid AS category_id FROM llx_societe r, llx_categorie c
        WHERE r.rowid < 9 AND c.type = 2""",
    r"thirdparties/{id}/supplier_categories(/{category_id})?": """
        SELECT fk_soc AS id, fk_categorie AS category_id FROM llx_categorie_fournisseur UNION ALL
        SELECT r.rowid AS id, c.rowid AS category_id FROM llx_societe r, llx_categorie c
        WHERE r.rowid < 9 AND c.type = 1""",
    r"contacts/{id}/categories(/{category_id})?": """
        SELECT fk_socpeople AS id, fk_categorie AS category_id FROM llx_categorie_contact UNION ALL
        SELECT r.rowid AS id, c.rowid AS category_id FROM llx_socpeople r, llx_categorie c
        WHERE r.rowid < 9 AND c.type = 4""",
    r"products/{id}/categories(/{category_id})?": """
        SELECT r.rowid AS id, c.rowid AS category_id FROM llx_product r, llx_categorie c
        WHERE r.rowid < 9 AND c.type = 0""",
    r"users/{id}/categories(/{category_id})?": """
        SELECT r.rowid AS id, c.rowid AS category_id FROM llx_user r, llx_categorie c
        WHERE r.rowid < 9 AND c.type = 7""",
    r"contacts/{id}/createUser": "SELECT rowid AS id FROM llx_socpeople",
    r"categories/object/{type}/{id}": "SELECT 'customer' AS type, fk_soc AS id FROM llx_categorie_societe",
    r"categories/{id}/objects/{type}/.*": """
        SELECT c.rowid AS id, 'customer' AS type, s.rowid AS object_id, s.code_client AS object_ref
        FROM llx_societe s, llx_categorie c WHERE c.type = 2 AND s.code_client <> '' AND s.rowid < 20""",
    r"categories/{id}.*": "SELECT rowid AS id FROM llx_categorie",
    r"products/{id}": "SELECT rowid AS id FROM llx_product",
    r"products/(ref|ref_ext|barcode)/{\1}": "SELECT ref, ref_ext, barcode FROM llx_product WHERE ref_ext <> ''",
    r"thirdparties/(email|barcode)/{\1}": "SELECT email, barcode FROM llx_societe WHERE barcode <> ''",
    r"thirdparties/{id}/representatives/{user_id}": """
        SELECT s.rowid AS id, u.rowid AS user_id FROM llx_societe s, llx_user u WHERE s.rowid < 5""",
    r"thirdparties/{id}/bankaccounts/{bankaccount_id}": """
        SELECT fk_soc AS id, rowid AS bankaccount_id FROM llx_societe_rib""",
    r"thirdparties/{id}/generateBankAccountDocument/{companybankid}(/{model})?": """
        SELECT fk_soc AS id, rowid AS companybankid, 'sepamandate' AS model FROM llx_societe_rib""",
    r"thirdparties/{id}/generateBankAccountDocument": "SELECT fk_soc AS id FROM llx_societe_rib",
    r"bankaccounts/{id}/lines/{line_id}.*": """
        SELECT fk_account AS id, rowid AS line_id FROM llx_bank WHERE rappro = 0""",
    r"bankaccounts/{id}.*": "SELECT rowid AS id FROM llx_bank_account",
    r"thirdparties/{id}.*": "SELECT rowid AS id FROM llx_societe",
    r"setup/conf/{constantname}": "SELECT name AS constantname FROM llx_const",
    r"setup/extrafields/{elementtype}/{attrname}": """
        SELECT elementtype, name AS attrname FROM llx_extrafields
        UNION SELECT 'propal', 'new' || rowid FROM llx_user""",
    r"setup/dictionary/countries/.*": """
        SELECT rowid AS id, code, code_iso AS iso FROM llx_c_country WHERE code_iso <> ''""",
    r"jobs/{id}/again": "SELECT rowid AS id FROM comptoir_job WHERE status = 3",
    r"jobs/{id}": "SELECT rowid AS id FROM comptoir_job",
    r"users/(login|email)/{\1}": "SELECT login, email FROM llx_user",
    r"users/{id}/groups/{group}": "SELECT fk_user AS id, fk_usergroup AS `group` FROM llx_usergroup_user",
    r"users/groups/{group}.*": "SELECT rowid AS `group` FROM llx_usergroup",
    r"users/{id}/setGroup/{group}": "SELECT u.rowid AS id, g.rowid AS `group` FROM llx_user u, llx_usergroup g",
    r"users/{id}/keys/{key}.*": "SELECT fk_user AS id, rowid AS `key` FROM comptoir_key",
    r"users/{id}.*": "SELECT rowid AS id FROM llx_user",
}

#: path → statement for keys of the query or the body that belong together
TOGETHER = {
    r"shipments/{id}/lines": f"""
        SELECT d.rowid AS origin_line_id, 1 AS qty, 1 AS entrepot_id FROM llx_commandedet d
        JOIN ({_PACKED}) s ON s.fk_commande = d.fk_commande
        WHERE d.rowid NOT IN (SELECT fk_origin_line FROM llx_expeditiondet)""",
    r"documents(/download|/raw)?": """
        SELECT CASE src_object_type WHEN 'facture' THEN 'invoice' WHEN 'commande' THEN 'order' ELSE 'proposal' END
        AS modulepart, src_object_id AS id, substr(filepath, instr(filepath, '/') + 1) || '/' || filename
        AS original_file, '' AS module_part FROM llx_ecm_files""",
    r"documents/builddoc": """
        SELECT 'proposal' AS modulepart, ref || '/' || ref || '.pdf' AS original_file, '' AS doctemplate,
        'fr_FR' AS langcode FROM llx_propal""",
    r"documents/upload": """
        SELECT 'thirdparty' AS modulepart, '' || rowid AS ref, 'file' || rowid || '.txt' AS filename,
        'words' AS filecontent,
        '' AS fileencoding, '' AS subdir FROM llx_societe""",
    r"documents/logo": f"SELECT 'logo.png' AS filename, '{PNG}' AS filecontent, 'base64' AS fileencoding",
    r"login": f"SELECT login, '{PASSWORD}' AS password FROM llx_user WHERE pass_crypted IS NOT NULL",
    r"invoices/{id}/payments": "SELECT 1700000000 AS datepaye, 2 AS paymentid, 1 AS accountid",
    r"invoices/paymentsdistributed": """
        SELECT 1700000000 AS datepaye, 2 AS paymentid, 1 AS accountid,
        json_object('' || rowid, 'remain') AS arrayofamounts FROM llx_facture WHERE fk_statut = 1""",
    r"bankaccounts/transfer": """
        SELECT 1 AS bankaccount_from_id, 2 AS bankaccount_to_id, '2026-11-21' AS date, '5' AS amount,
        NULL AS amount_to, '' AS cheque_number""",
    r"bankaccounts/{id}/lines": "SELECT '2026-11-21' AS date, 'VIR' AS type, 'Rent' AS label, '5' AS amount",
    r"thirdparties/{id}/bankaccounts(/{bankaccount_id})?": """
        SELECT 'FR7630006000011234567890189' AS iban, '' AS bic, NULL AS rum, 0 AS default_rib""",
    r"thirdparties/{id}/generateBankAccountDocument.*": "SELECT 'fr_FR' AS langcode",
    r"invoices/{id}/contacts": """
        SELECT rowid AS fk_socpeople, 'BILLING' AS type_contact, 'external' AS source
        FROM llx_socpeople LIMIT 50""",
    r"setup/extrafields/{elementtype}/{attrname}": "SELECT 'One' AS label, 'varchar' AS type, '20' AS size",
    r"products/(ref/)?{\w+}/variants": """
        SELECT json_object('' || fk_product_attribute, rowid) AS features, '' AS reference, '' AS ref_ext
        FROM llx_product_attribute_value""",
    r"users/.*rights": """SELECT json_array('proposals.read', 'orders.read') AS rights""",
    r"contacts/{id}/createUser": f"SELECT 'user' || rowid AS login, '{PASSWORD}' AS password FROM llx_socpeople",
    r"categories": "SELECT 'customer' AS type",
    r"categories/{id}/objects": "SELECT '' AS type",
    r"users/{id}/keys": """SELECT json_array('proposals.read') AS rights, NULL AS expires""",
}

#: key of a query or a body, at any depth → statement for its values
NAMED = {
    "socid": "SELECT rowid FROM llx_societe WHERE status = 1",
    "parent": "SELECT rowid FROM llx_societe",
    "thirdparty_ids": "SELECT rowid FROM llx_societe",
    "fk_product": "SELECT rowid FROM llx_product",
    "product_id": "SELECT rowid FROM llx_product WHERE fk_product_type = 0",
    "warehouse_id": "SELECT rowid FROM llx_entrepot WHERE statut = 1",
    "from_warehouse_id": "SELECT rowid FROM llx_entrepot WHERE statut = 1",
    "to_warehouse_id": "SELECT rowid FROM llx_entrepot WHERE statut = 1",
    "entrepot_id": "SELECT rowid FROM llx_entrepot WHERE statut = 1",
    "origin_id": "SELECT rowid FROM llx_commande WHERE fk_statut = 1",
    "origin_line_id": "SELECT rowid FROM llx_commandedet",
    "fourn_id": "SELECT rowid FROM llx_societe WHERE fournisseur = 1",
    "fk_soc": "SELECT rowid FROM llx_societe WHERE status = 1",
    "subproduct_id": "SELECT rowid FROM llx_product",
    "fk_parent": "SELECT rowid FROM llx_categorie",
    "category": "SELECT rowid FROM llx_categorie",
    "country_id": "SELECT rowid FROM llx_c_country",
    "cond_reglement_id": "SELECT rowid FROM llx_c_payment_term",
    "mode_reglement_id": "SELECT id FROM llx_c_paiement",
    "availability_id": "SELECT rowid FROM llx_c_availability",
    "demand_reason_id": "SELECT rowid FROM llx_c_input_reason",
    "fk_unit": "SELECT rowid FROM llx_c_units",
    "fk_facture_source": "SELECT rowid FROM llx_facture WHERE fk_statut = 1",
    "fk_socpeople": "SELECT rowid FROM llx_socpeople",
    "fk_user": "SELECT rowid FROM llx_user",
    "sqlfilters": "VALUES ('(t.rowid:>:3)'), ('(t.rowid:in:1,2,3) or not (t.rowid:<>:7)'), ('')",
    "sortfield": "VALUES ('t.rowid'), ('t.id'), ('')",
    "sortorder": "VALUES ('ASC'), ('desc')",
    "properties": "VALUES ('id'), ('id,ref'), ('')",
    "after": "VALUES ('')",
    "lang": "VALUES ('fr'), ('de_DE')",
}


class Real:
    """Values that name records, put into requests that are drawn."""

    def __init__(self, paths):
        self._named = {key: [row[0] for row in query(sql)] for key, sql in NAMED.items()}
        self._places = {path: _rows(PLACES, path) for path in paths}
        self._together = {path: _rows(TOGETHER, path) for path in paths}

    def place(self, path):
        """Values for the variables of a path."""
        return next(iter(self._places[path]), {})

    def put_into(self, case, random, share):
        """Put real values into a share of all cases, but not where something is wrong on purpose."""
        if random.random() >= share:
            return
        path = case.operation.path
        if self._places[path] and not _is_wrong(case, ParameterLocation.PATH):
            case.path_parameters = {**case.path_parameters, **random.choice(self._places[path])}
        together = random.choice(self._together[path]) if self._together[path] else {}
        if not _is_wrong(case, ParameterLocation.QUERY):
            known = {each.name for each in case.operation.query}
            query = {name: value for name, value in together.items() if name in known}
            if case.query or query:
                case.query = {**self._named_in(case.query, random), **query}
        if not _is_wrong(case, ParameterLocation.BODY) and isinstance(case.body, dict):
            known = set() if path in ("/documents",) else {*together}
            body = {name: value for name, value in together.items() if name in known}
            case.body = {**self._named_in(case.body, random), **body}

    def _named_in(self, value, random):
        if isinstance(value, list):
            return [self._named_in(each, random) for each in value]
        if not isinstance(value, dict):
            return value
        return {
            key: random.choice(self._named[key])
            if self._named.get(key) and not isinstance(each, (list, dict))
            else self._named_in(each, random)
            for key, each in value.items()
        }


def _is_wrong(case, location):
    return case.meta is not None and case.meta.is_negative_at(location)


def _rows(table, path):
    """What the first statement whose path fits finds."""
    for pattern, sql in table.items():
        braced = pattern.replace("{", r"\{").replace("}", r"\}")
        found = re.fullmatch(braced, path.strip("/"))
        if found:
            cursor = database.execute_sql(sql.format(DOCUMENTS.get(found.groupdict().get("kind", ""), "")))
            names = [each[0] for each in cursor.description]
            variables = set(re.findall(r"{(\w+)}", path))
            if table is PLACES and not variables <= {*names}:
                continue
            rows = [dict(zip(names, map(_plain, row), strict=True)) for row in cursor.fetchall()]
            return rows if table is TOGETHER else [{name: row[name] for name in variables} for row in rows]
    return []


def _plain(value):
    return json.loads(value) if isinstance(value, str) and value.startswith(("[", "{")) else value
