"""Legal forms of companies, and kinds of documents, as the rules for legal mentions see them."""

import pytest

from modules.documents.mentions.legal_forms import legal_form
from modules.documents.mentions.rule import CREDIT_NOTE, INVOICE, ORDER
from modules.invoices.invoices import invoices
from modules.orders.orders import orders


@pytest.mark.parametrize(
    "country, fields, name",
    [
        ("FR", {"forme_juridique_code": "54"}, "SARL"), ("FR", {"forme_juridique_code": "S.A.R.L."}, "SARL"),
        ("FR", {"forme_juridique_code": "Coopérative libre"}, "Coopérative libre"), ("FR", {"forme_juridique_code": "99999"}, None),
        ("DE", {"name": "Nord GmbH & Co. KG"}, "GmbH & Co. KG"), ("DE", {"name": "Nord GmbH"}, "GmbH"),
        ("DE", {"name": "GmbH"}, None), ("GB", {"name": "Harbour Tools Limited"}, "Limited"), ("FR", {}, None),
        # The codes of the statistics office
        ("FR", {"forme_juridique_code": "5710"}, "SAS"), ("FR", {"forme_juridique_code": "5720"}, "SASU"),
        ("FR", {"forme_juridique_code": "5499"}, "SARL"), ("FR", {"forme_juridique_code": "5599"}, "SA"),
        ("FR", {"forme_juridique_code": "1000"}, "EI"), ("FR", {"forme_juridique_code": "6540"}, "SCI"),
        ("XX", {"forme_juridique_code": "54"}, None),
    ],
)  # fmt: skip
def test_legal_forms(country, fields, name):
    form = legal_form({"country_code": country, **fields})
    assert (form.name if form else None) == name


def test_a_form_in_words_of_ones_own_is_what_it_says():
    form = legal_form({"country_code": "FR", "forme_juridique_code": "SARL unipersonnelle"})
    assert form is not None
    assert (form.name, form.capital, form.registered) == ("SARL unipersonnelle", True, True)


def test_a_credit_note_is_a_pdf_of_its_own():
    assert invoices.kind_of({"type": "2"}) == CREDIT_NOTE
    assert invoices.kind_of({"type": 4}) == "proforma"
    assert invoices.kind_of({}) == INVOICE
    assert orders.kind_of({"type": 2}) == ORDER
