"""The author's interface: all that a module may import from `core`, and nothing else is promised.

The guide for authors, `modules/README.md`, shows each name at work.
"""

from .accounts import Account, Grant, Group, Key, Membership, Representative, utc_now
from .api import Api, File, Upload
from .caller import COMMON_VERBS, Caller, Permission
from .catalogue import Catalogue, catalogue
from .context import client_address, current_caller, set_header, warn
from .database import Model, after_commit, query, transaction
from .errors import (
    ApiError,
    BadRequest,
    Conflict,
    Forbidden,
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
)
from .events import emit
from .fields import ExactField, MapField, RecordField
from .generations import bump, kept
from .listing import ListQuery, Page
from .records import Records
from .settings import Settings, settings

__all__ = [
    "COMMON_VERBS",
    "Account",
    "Api",
    "ApiError",
    "BadRequest",
    "Caller",
    "Catalogue",
    "Conflict",
    "ExactField",
    "File",
    "Forbidden",
    "Grant",
    "Group",
    "Key",
    "ListQuery",
    "MapField",
    "Membership",
    "Model",
    "NotAcceptable",
    "NotFound",
    "NotLoadable",
    "Page",
    "Permission",
    "PreconditionFailed",
    "RecordField",
    "Records",
    "Refused",
    "Representative",
    "RequestTimeout",
    "Settings",
    "TooLarge",
    "TooManyRequests",
    "Unauthorized",
    "Unavailable",
    "Unchanged",
    "Unprocessable",
    "UnsupportedMediaType",
    "Upload",
    "after_commit",
    "bump",
    "catalogue",
    "client_address",
    "current_caller",
    "emit",
    "kept",
    "query",
    "set_header",
    "settings",
    "transaction",
    "utc_now",
    "warn",
]
