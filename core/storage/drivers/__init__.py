"""Modules that only one driver needs; every server imports the other files of `storage`."""
