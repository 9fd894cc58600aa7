"""The author's interface: the only names that a module may import from `core`.

`modules/README.md` is the tutorial for module authors; `make docs` writes `modules/NAMES.md` from this list.
"""

from .access.accounts import Account, Grant, Group, Membership
from .access.callers import COMMON_VERBS, Caller, Permission, current_caller, current_user_id, granted_rights
from .access.keys import Key, digest_of, make_key, set_password
from .access.passwords import find_account, hash_password, is_valid, room_for_password, verify_password
from .access.restrictions import UNRESTRICTED, Restriction, read_addresses
from .audit.change import Change
from .audit.forms import as_answered
from .audit.protection import erase_trail, prune_trail
from .audit.recorder import note_event
from .common.authors_code import default_context
from .common.client_addresses import network_of
from .common.clock import utc_now
from .common.csv_rows import CsvRow
from .common.days import day_of, midnight_of, seconds_of_day
from .common.errors import (
    ApiError,
    BadRequest,
    Conflict,
    Forbidden,
    InsufficientStorage,
    NotAcceptable,
    NotFound,
    NotLoadable,
    PreconditionFailed,
    Refused,
    RequestTimeout,
    TooLarge,
    TooManyRequests,
    Unauthorized,
    Unavailable,
    Unchanged,
    Unprocessable,
    UnsupportedMediaType,
    shown,
)
from .common.profiles import Point
from .common.readers import speakable
from .common.reasons import REASONS, already_in, must_be
from .common.repeated_failures import is_news
from .common.request_state import asks_strict, client_address, set_header, warn
from .common.settings import Settings, settings
from .contract.api import Accepted, Api, ByProfile, CleanedBy, File, OnlyWhere, Part, Transition, Upload
from .contract.catalogue import AllowedOperation, Catalogue, allowed_operations, cached_per_catalogue, catalogue
from .contract.results import Removed, Success, removed, success
from .crud import Crud
from .jobs.claiming import progress
from .jobs.functions import job, schedule
from .jobs.queue import forget_job, forget_jobs_of, run_job_again
from .jobs.table import Job
from .records.events import Event, check_event, emit, on
from .records.extra_field_definitions import define, redefine, undefine
from .records.extra_fields import ExtraField
from .records.lists import ListQuery, Page
from .records.loaders import Loader
from .records.problems import Problems
from .records.records import Children, Records
from .records.row_rules import ALL_ROWS, NO_ROWS, Rows, named_uses, seen_rows, sees_all
from .records.validation import Values
from .storage.cache_version import bump, cached
from .storage.claims import forget_claims_of
from .storage.database import after_commit, exact_sum, execute, prevent_retry, query, transaction
from .storage.fields import ExactField, MapField, NumberField, RecordField
from .storage.model import Model
from .storage.statements import upsert
from .storage.values import as_column
from .version import VERSION

__all__ = [
    "ALL_ROWS",
    "COMMON_VERBS",
    "NO_ROWS",
    "REASONS",
    "UNRESTRICTED",
    "VERSION",
    "Accepted",
    "Account",
    "AllowedOperation",
    "Api",
    "ApiError",
    "BadRequest",
    "ByProfile",
    "Caller",
    "Catalogue",
    "Change",
    "Children",
    "CleanedBy",
    "Conflict",
    "Crud",
    "CsvRow",
    "Event",
    "ExactField",
    "ExtraField",
    "File",
    "Forbidden",
    "Grant",
    "Group",
    "InsufficientStorage",
    "Job",
    "Key",
    "ListQuery",
    "Loader",
    "MapField",
    "Membership",
    "Model",
    "NotAcceptable",
    "NotFound",
    "NotLoadable",
    "NumberField",
    "OnlyWhere",
    "Page",
    "Part",
    "Permission",
    "Point",
    "PreconditionFailed",
    "Problems",
    "RecordField",
    "Records",
    "Refused",
    "Removed",
    "RequestTimeout",
    "Restriction",
    "Rows",
    "Settings",
    "Success",
    "TooLarge",
    "TooManyRequests",
    "Transition",
    "Unauthorized",
    "Unavailable",
    "Unchanged",
    "Unprocessable",
    "UnsupportedMediaType",
    "Upload",
    "Values",
    "after_commit",
    "allowed_operations",
    "already_in",
    "as_answered",
    "as_column",
    "asks_strict",
    "bump",
    "cached",
    "cached_per_catalogue",
    "catalogue",
    "check_event",
    "client_address",
    "current_caller",
    "current_user_id",
    "day_of",
    "default_context",
    "define",
    "digest_of",
    "emit",
    "erase_trail",
    "exact_sum",
    "execute",
    "find_account",
    "forget_claims_of",
    "forget_job",
    "forget_jobs_of",
    "granted_rights",
    "hash_password",
    "is_news",
    "is_valid",
    "job",
    "make_key",
    "midnight_of",
    "must_be",
    "named_uses",
    "network_of",
    "note_event",
    "on",
    "prevent_retry",
    "progress",
    "prune_trail",
    "query",
    "read_addresses",
    "redefine",
    "removed",
    "room_for_password",
    "run_job_again",
    "schedule",
    "seconds_of_day",
    "seen_rows",
    "sees_all",
    "set_header",
    "set_password",
    "settings",
    "shown",
    "speakable",
    "success",
    "transaction",
    "undefine",
    "upsert",
    "utc_now",
    "verify_password",
    "warn",
]
