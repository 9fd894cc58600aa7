"""Whole databases and file stores: copy, backup and restore."""
