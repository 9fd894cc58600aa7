"""The audit trail: a note of every change, written in the transaction that makes the change."""
