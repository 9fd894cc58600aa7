"""The author's interface: the only names that a module may import from `core`.

`modules/README.md` is the tutorial for module authors; `make docs` writes `modules/NAMES.md` from this list. The native
modules also import names from `for_natives.py`.
"""

from .access.accounts import Account
from .access.callers import Caller, current_caller
from .common.clock import now
from .common.csv_rows import CsvRow
from .common.days import today
from .common.errors import ApiError, BadRequest, Conflict, NotFound, Refused, Unauthorized, shown
from .common.http_client import check_url, fetch
from .common.profiles import Point
from .common.request_state import set_header, warn
from .common.settings import profile
from .contract.api import Accepted, Api, File, Part, Partial, RawBody, Redirect, Transition, Upload
from .contract.catalogue import allowed_operations
from .crud import Crud
from .jobs.claiming import progress
from .jobs.functions import job, repeat, schedule
from .records.events import SentEvent, emit, on
from .records.lists import ListQuery
from .records.loaders import Loader
from .records.module_settings import setting
from .records.readable import acting_as, read_record, readable
from .records.records import Children, Records
from .records.row_rules import Rows
from .records.validation import Values
from .storage.database import query, transaction
from .storage.fields import ExactField, MapField, NumberField, RecordField
from .storage.model import Model

__all__ = [
    "Accepted",
    "Account",
    "Api",
    "ApiError",
    "BadRequest",
    "Caller",
    "Children",
    "Conflict",
    "Crud",
    "CsvRow",
    "ExactField",
    "File",
    "ListQuery",
    "Loader",
    "MapField",
    "Model",
    "NotFound",
    "NumberField",
    "Part",
    "Partial",
    "Point",
    "RawBody",
    "RecordField",
    "Records",
    "Redirect",
    "Refused",
    "Rows",
    "SentEvent",
    "Transition",
    "Unauthorized",
    "Upload",
    "Values",
    "acting_as",
    "allowed_operations",
    "check_url",
    "current_caller",
    "emit",
    "fetch",
    "job",
    "now",
    "on",
    "profile",
    "progress",
    "query",
    "read_record",
    "readable",
    "repeat",
    "schedule",
    "set_header",
    "setting",
    "shown",
    "today",
    "transaction",
    "warn",
]
