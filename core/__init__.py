"""The author's interface: all that a module may import from `core`, and nothing else is promised.

The guide for authors, `modules/README.md`, shows each name at work.
"""

from .accepting import wrong_fields
from .accounts import Account, Grant, Group, Key, Membership, Representative, utc_now
from .api import Api, File, Part, Transition, Upload
from .caller import COMMON_VERBS, Caller, Permission, granted_rights
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
from .extradefinitions import define, redefine, undefine
from .extrafields import ExtraField
from .fields import ExactField, MapField, NumberField, RecordField
from .generations import bump, kept
from .keys import digest_of, hash_password, is_valid, make_key, verify_password
from .listing import ListQuery, Page
from .records import Records
from .settings import Settings, settings
from .version import VERSION

__all__ = [
    "COMMON_VERBS",
    "VERSION",
    "Account",
    "Api",
    "ApiError",
    "BadRequest",
    "Caller",
    "Catalogue",
    "Conflict",
    "ExactField",
    "ExtraField",
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
    "NumberField",
    "Page",
    "Part",
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
    "Transition",
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
    "define",
    "digest_of",
    "emit",
    "granted_rights",
    "hash_password",
    "is_valid",
    "kept",
    "make_key",
    "query",
    "redefine",
    "set_header",
    "settings",
    "transaction",
    "undefine",
    "utc_now",
    "verify_password",
    "warn",
    "wrong_fields",
]
