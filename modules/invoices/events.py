"""Hooks: events of other services that concern invoices and their payments."""

from __future__ import annotations

import logging
from typing import Any

from core import ApiError, Refused, on

from .facturx.enclosing import enclosed_invoice
from .facturx.invoice import can_be_facturx, invoice_xml, wants_facturx
from .invoices import CANCELLED, invoices
from .models import Payment

_log = logging.getLogger("comptoir.invoices")


@on("bankaccounts.deleted", when="before")
def keep_used_account(record: dict[str, Any]) -> None:
    """Refuse to delete a bank account that a payment uses, even if the payment has no bank line."""
    if Payment.select().where(Payment.accountid == int(record["id"])).exists():
        raise Refused(f"can't delete bank account {record['id']}: a payment uses it", reason="in_use")


@on("invoices.validated", when="before")
def require_electronic_invoice(record: dict[str, Any]) -> None:
    """Refuse to validate an invoice that can't be the electronic invoice that the company wants to send."""
    if not (wants_facturx() and can_be_facturx(record)):
        return
    try:
        enclosed_invoice(invoice_xml(record))
    except ApiError:
        raise
    except Exception:  # noqa: BLE001 - a mistake in it must not prevent the validation
        # Its PDF is stored without the XML, and a job tries again
        _log.exception("invoice %s: the electronic invoice can't be made", record["id"])


@on("orders.cancelled", when="after")
def warn_of_kept_invoices(record: dict[str, Any]) -> None:
    """Warn the caller that a cancelled order keeps its invoices."""
    invoices.warn_of_invoices(int(record["id"]), CANCELLED)
