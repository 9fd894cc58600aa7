"""The style of `core/WRITING.md`: banned phrases and long sentences, found and counted."""
