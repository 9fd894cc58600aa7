"""The requirements of a scene that this machine lacks."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

from tests.own_databases import why_missing as why_no_server

#: scene → the kinds of server it starts, and the module of the driver
NEEDED = {
    "postgresql": (("postgresql", "pgbouncer"), ("psycopg",)),
    "mariadb": (("mysql",), ("pymysql", "MySQLdb")),
    "galera": (("mysql",), ("pymysql", "MySQLdb")),
}
GALERA = Path("/usr/lib/galera/libgalera_smm.so")


def why_missing(scene: str) -> str:
    """Return why a scene can't run on this machine; empty if it can."""
    servers, drivers = NEEDED[scene]
    reasons = [reason for each in servers if (reason := why_no_server(each))]
    if not any(importlib.util.find_spec(each) for each in drivers):
        reasons.append(f"{' or '.join(drivers)} is not installed")
    if not Path(shutil.which("haproxy") or "/usr/sbin/haproxy").exists():
        reasons.append("haproxy is not installed")
    if scene == "galera" and not GALERA.exists():
        reasons.append("galera-4 is not installed")
    return ", ".join(reasons)
