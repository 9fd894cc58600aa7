"""Models as API records: reading, validation, writing, row rules, extra fields, events."""
