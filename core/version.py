"""The version of this server, as its package names it."""

from __future__ import annotations

from importlib import metadata

try:
    VERSION = metadata.version("comptoir")
except metadata.PackageNotFoundError:  # run from a tree that was not installed
    VERSION = "0"
