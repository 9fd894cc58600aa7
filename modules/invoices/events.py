"""Hooks: events of other services that concern invoices and their payments."""

from __future__ import annotations

from typing import Any

from core import Refused

from .facturx.invoice import can_be_facturx, invoice_xml, wants_facturx
from .invoices import CANCELLED, invoices
from .models import Payment
from .references import check_prefix


def before_bankaccounts_deleted(record: dict[str, Any]) -> None:
    """Refuse to delete a bank account that a payment uses, even if the payment has no bank line."""
    if Payment.select().where(Payment.accountid == int(record["id"])).exists():
        raise Refused(f"can't delete bank account {record['id']}: a payment uses it", reason="in_use")


def before_invoices_validated(record: dict[str, Any]) -> None:
    """Refuse to validate an invoice that can't be the electronic invoice that the company wants to send."""
    if wants_facturx() and can_be_facturx(record):
        invoice_xml(record)


def after_orders_cancelled(record: dict[str, Any]) -> None:
    """Warn the caller that a cancelled order keeps its invoices."""
    invoices.warn_of_invoices(int(record["id"]), CANCELLED)


def before_setup_constant_set(record: dict[str, Any]) -> None:
    """Reject an invalid prefix of invoice references."""
    check_prefix(record["name"], record["value"])
