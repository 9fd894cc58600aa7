"""What demonstration data lacks for requests that are drawn, and the values of real records that are put into them."""

from __future__ import annotations

import json
import re
from random import Random
from typing import Any

from schemathesis import Case
from schemathesis.core.parameters import ParameterLocation

from core import Job
from core.storage.database import database, query
from core.testing import Served

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


def fill_gaps(served: Served) -> None:
    """Add what demonstration data lacks: extra fields, roles, files, second references, keys, a password, jobs."""
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
    payment = {"datepaye": 1700000000, "paymentid": 2, "closepaidinvoices": "yes"}
    for identifier in _ids("llx_facture", 3, f"type = {DEPOSIT} AND fk_statut = 1"):
        ask("POST", f"/invoices/{identifier}/payments", payment)
    ask("PUT", "/setup/conf/TEST_OF_CONSTANTS", {"value": "1"})
    for number in range(8):
        answers = {"result": '{"pages": 3}', "done": 3, "total": 3} if number % 4 == 2 else {}
        Job.create(
            module="paper", name="print_all", arguments='{"first": 1}', status=number % 4, due=1700000000,
            created=1700000000, moment=1700000000 + number, cron="0 8 * * *", **answers,
        )  # fmt: skip


def _ids(table: str, count: int, where: str = "1") -> list[int]:
    return [row[0] for row in query(f"SELECT rowid FROM {table} WHERE {where} ORDER BY rowid LIMIT {count}")]


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
    r"invoices/{id}/discount": "SELECT fk_facture_source AS id FROM llx_societe_remise_except",
    r"invoices/{id}/markAsCreditAvailable": """
        SELECT rowid AS id FROM llx_facture WHERE type IN (2, 3) AND fk_statut IN (1, 2)
        AND rowid NOT IN (SELECT COALESCE(fk_facture_source, 0) FROM llx_societe_remise_except)""",
    r"invoices/{id}/usediscount/{discountid}": """
        SELECT f.rowid AS id, r.rowid AS discountid FROM llx_societe_remise_except r JOIN llx_facture f
        ON f.fk_soc = r.fk_soc AND f.fk_statut = 0 AND f.type = 0""",
    r"invoices/{id}/use\w+/{discountid}": """
        SELECT f.rowid AS id, r.rowid AS discountid FROM llx_societe_remise_except r JOIN llx_facture f
        ON f.fk_soc = r.fk_soc AND f.fk_statut < 2""",
    _KINDS + r"/{id}.*": "SELECT rowid AS id FROM llx_{0}",
    r"invoices/createfromorder/{orderid}": "SELECT rowid AS orderid FROM llx_commande",
    r"orders/createfromproposal/{proposalid}": "SELECT rowid AS proposalid FROM llx_propal",
    r"contacts/email/{email}": "SELECT email FROM llx_socpeople",
    r"contacts/{id}": "SELECT rowid AS id FROM llx_socpeople",
    r"products/{id}": "SELECT rowid AS id FROM llx_product",
    r"products/(ref|ref_ext|barcode)/{\1}": "SELECT ref, ref_ext, barcode FROM llx_product WHERE ref_ext <> ''",
    r"thirdparties/(email|barcode)/{\1}": "SELECT email, barcode FROM llx_societe WHERE barcode <> ''",
    r"thirdparties/{id}/representatives/{user_id}": """
        SELECT s.rowid AS id, u.rowid AS user_id FROM llx_societe s, llx_user u WHERE s.rowid < 5""",
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
    r"invoices/{id}/payments": "SELECT 1700000000 AS datepaye, 2 AS paymentid, NULL AS accountid",
    r"invoices/paymentsdistributed": """
        SELECT 1700000000 AS datepaye, 2 AS paymentid, NULL AS accountid,
        json_object('' || rowid, 'remain') AS arrayofamounts FROM llx_facture WHERE fk_statut = 1""",
    r"invoices/{id}/contacts": """
        SELECT rowid AS fk_socpeople, 'BILLING' AS type_contact, 'external' AS source
        FROM llx_socpeople LIMIT 50""",
    r"setup/extrafields/{elementtype}/{attrname}": "SELECT 'One' AS label, 'varchar' AS type, '20' AS size",
    r"users/.*rights": """SELECT json_array('proposals.read', 'orders.read') AS rights""",
    r"users/{id}/keys": """SELECT json_array('proposals.read') AS rights, NULL AS expires""",
}

#: key of a query or a body, at any depth → statement for its values
NAMED = {
    "socid": "SELECT rowid FROM llx_societe WHERE status = 1",
    "parent": "SELECT rowid FROM llx_societe",
    "thirdparty_ids": "SELECT rowid FROM llx_societe",
    "fk_product": "SELECT rowid FROM llx_product",
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

    def __init__(self, paths: list[str]) -> None:
        self._named = {key: [row[0] for row in query(sql)] for key, sql in NAMED.items()}
        self._places = {path: _rows(PLACES, path) for path in paths}
        self._together = {path: _rows(TOGETHER, path) for path in paths}

    def place(self, path: str) -> Values:
        """Values for the variables of a path."""
        return next(iter(self._places[path]), {})

    def put_into(self, case: Case, random: Random, share: float) -> None:
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

    def _named_in(self, value: Any, random: Random) -> Any:
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


def _is_wrong(case: Case, location: ParameterLocation) -> bool:
    return case.meta is not None and case.meta.is_negative_at(location)


def _rows(table: dict[str, str], path: str) -> list[Values]:
    """What the first statement whose path fits finds."""
    for pattern, sql in table.items():
        braced = pattern.replace("{", r"\{").replace("}", r"\}")
        found = re.fullmatch(braced, path.strip("/"))
        if found:
            cursor = database.execute_sql(sql.format(DOCUMENTS.get(found.groupdict().get("kind", ""), "")))
            names = [each[0] for each in cursor.description]
            variables = set(re.findall(r"{(\w+)}", path))
            rows = [dict(zip(names, map(_plain, row), strict=True)) for row in cursor.fetchall()]
            return rows if table is TOGETHER else [{name: row[name] for name in variables} for row in rows]
    return []


def _plain(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) and value.startswith(("[", "{")) else value
