"""Models as the interface shows them: reading, checking, writing, row rules, extra fields, events, tables."""
