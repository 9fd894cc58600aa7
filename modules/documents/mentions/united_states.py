"""The United States: no federal law defines the content of invoices; these rules are custom."""

from __future__ import annotations

from .rule import INVOICES, Rule

RULES = (
    Rule("us.name", "Name of the company", "custom", needs=("company.name",), place="page", must=False),
    Rule("us.address", "Address of the company", "custom", needs=("company.address", "company.town"), place="page",
         must=False),
    Rule("us.ein", "EIN", "custom", "EIN {company.idprof1}", place="foot", must=False, verbatim=True),
    Rule("us.tax", "Sales tax", "custom; the laws of most states want it apart from the price", needs=("record.tax",),
         place="page", kinds=INVOICES, must=False, when=lambda case: bool(case.record)),
)  # fmt: skip
