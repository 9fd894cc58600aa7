"""The version of this server, from its package, and its commit."""

from __future__ import annotations

import subprocess
from importlib import metadata
from pathlib import Path

try:
    VERSION = metadata.version("comptoir")
except metadata.PackageNotFoundError:  # run from a tree that was not installed
    VERSION = "0"


def commit() -> str:
    """Return the commit of the checkout, or the one that the wheel was made from; empty if it is unknown."""
    here = Path(__file__).resolve()
    if not (here.parents[1] / ".git").exists():
        noted = here.with_name("commit.txt")
        return noted.read_text().strip() if noted.is_file() else ""
    command = ["git", "-C", str(here.parents[1]), "rev-parse", "--short", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return ""
