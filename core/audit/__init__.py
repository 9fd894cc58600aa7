"""The audit trail: what every statement changes, noted beside it in the same transaction."""
