"""What a scene needs that this machine does not have."""

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
    """Why a scene cannot be played here; empty where it can."""
    servers, drivers = NEEDED[scene]
    reasons = [reason for each in servers if (reason := why_no_server(each))]
    if not any(importlib.util.find_spec(each) for each in drivers):
        reasons.append(f"there is no {' or '.join(drivers)}")
    if not Path(shutil.which("haproxy") or "/usr/sbin/haproxy").exists():
        reasons.append("there is no haproxy")
    if scene == "galera" and not GALERA.exists():
        reasons.append("there is no galera-4")
    return ", ".join(reasons)
