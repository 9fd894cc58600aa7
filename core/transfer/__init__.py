"""Databases and files as a whole: copied to another place, backed up, restored."""
