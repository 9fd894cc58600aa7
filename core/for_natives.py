"""Names of `core` that only native modules need: for access, jobs, the audit trail, setup and Dolibarr's responses.

They may change in any release. `comptoir check` lists the files of other modules that import one.
"""

from .access.accounts import Grant, Group, Membership
from .access.callers import Permission, current_user_id, granted_rights
from .access.keys import Key, digest_of, make_key, set_password
from .access.passwords import find_account, hash_password, is_valid, room_for_password, verify_password
from .access.restrictions import UNRESTRICTED, Restriction, read_addresses
from .audit.change import Change
from .audit.forms import as_answered
from .audit.protection import erase_trail, prune_trail
from .audit.recorder import note_event
from .common.authors_code import default_context
from .common.client_addresses import network_of
from .common.clock import unix_now
from .common.days import day_of, local_day, midnight_of, seconds_of_day
from .common.errors import meant
from .common.process_state import pause
from .common.repeated_failures import is_news
from .common.request_state import asks_strict, client_address
from .common.settings import settings
from .contract.api import ByProfile, OnlyWhere
from .contract.catalogue import AllowedOperation, Catalogue, cached_per_catalogue, catalogue
from .contract.results import Removed, Success, removed, success
from .jobs.queue import forget_job, forget_jobs_of, run_job_again
from .jobs.table import Job
from .records.events import Event, check_event
from .records.extra_field_definitions import define, redefine, undefine
from .records.extra_fields import ExtraField
from .records.lists import Page
from .records.module_settings import Setting, declared_setting
from .records.problems import Problems
from .records.row_rules import named_uses, seen_rows, sees_all
from .storage.cache_version import bump, cached
from .storage.claims import forget_claims_of
from .storage.database import after_commit, execute, prevent_retry, untracked_writes
from .storage.statements import upsert
from .storage.values import as_column
from .version import VERSION

__all__ = [
    "UNRESTRICTED",
    "VERSION",
    "AllowedOperation",
    "ByProfile",
    "Catalogue",
    "Change",
    "Event",
    "ExtraField",
    "Grant",
    "Group",
    "Job",
    "Key",
    "Membership",
    "OnlyWhere",
    "Page",
    "Permission",
    "Problems",
    "Removed",
    "Restriction",
    "Setting",
    "Success",
    "after_commit",
    "as_answered",
    "as_column",
    "asks_strict",
    "bump",
    "cached",
    "cached_per_catalogue",
    "catalogue",
    "check_event",
    "client_address",
    "current_user_id",
    "day_of",
    "declared_setting",
    "default_context",
    "define",
    "digest_of",
    "erase_trail",
    "execute",
    "find_account",
    "forget_claims_of",
    "forget_job",
    "forget_jobs_of",
    "granted_rights",
    "hash_password",
    "is_news",
    "is_valid",
    "local_day",
    "make_key",
    "meant",
    "midnight_of",
    "named_uses",
    "network_of",
    "note_event",
    "pause",
    "prevent_retry",
    "prune_trail",
    "read_addresses",
    "redefine",
    "removed",
    "room_for_password",
    "run_job_again",
    "seconds_of_day",
    "seen_rows",
    "sees_all",
    "set_password",
    "settings",
    "success",
    "undefine",
    "unix_now",
    "untracked_writes",
    "upsert",
    "verify_password",
]
