"""The tables of the core: made, or brought up to date, before any module's; the audit trail begins with them."""

from __future__ import annotations

from ..access.keys import ACCESS_TABLES
from ..audit.change import Change
from ..audit.forms import use_extra_fields
from ..audit.protection import missing, protect, record
from ..jobs.table import Job
from ..records.extra_fields import ExtraField, definitions
from ..storage.cache_version import CacheVersion
from ..storage.claims import IdempotencyClaim
from ..storage.database import no_timeouts
from ..storage.model import Model
from .lock import schema_lock
from .tables import ensure_tables

CORE_TABLES: tuple[type[Model], ...] = (CacheVersion, *ACCESS_TABLES, ExtraField, IdempotencyClaim, Change, Job)

use_extra_fields(definitions)


def ensure_core_tables() -> None:
    """Make what is missing, protect the audit trail, and note every change from now on."""
    ensure_tables(CORE_TABLES)
    protect_trail()
    record()


def protect_trail() -> None:
    """Make the triggers of the audit trail that are missing."""
    if missing():
        with no_timeouts(), schema_lock():
            protect()
