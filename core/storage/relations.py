"""The relations of a model: its `RecordField`s, each with the name that a response has for the record."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from .fields import RecordField
from .model import meta_of

#: the noun of a field without one
_ANY = "record"


def relations_of(model: Any) -> Mapping[str, RecordField]:
    """Return the relations of a model: name → the field that refers to the record.

    The name is the field's noun in lower case, such as ``thirdparty``. If several fields have the noun, or the record
    has a key of that name, it is the field's own name without ``fk_`` and ``_id``. If that is also a key of the record,
    it ends with ``_record``.
    """
    meta = meta_of(model)
    shown = [meta.fields[name] for name in meta.sorted_field_names if name not in meta.secret]
    fields = [each for each in shown if isinstance(each, RecordField)]
    nouns = Counter(map(_noun, fields))
    computed = getattr(meta.answers, "__annotations__", {})
    keys = {*meta.fields, *meta.aliases, *computed, "array_options"}
    found: dict[str, RecordField] = {}
    for each in fields:
        # Without `fk_` and `_id`
        plain = re.sub(r"(?<=.)_?id$", "", each.name.removeprefix("fk_")) or each.name
        candidates = [_noun(each)] if nouns[_noun(each)] == 1 and _noun(each) not in ("", _ANY) else []
        candidates += [plain, f"{plain}_record", f"{each.name}_record"]
        name = next((word for word in candidates if word not in keys and word not in found), "")
        if name:
            found[name] = each
    return found


def _noun(named: RecordField) -> str:
    return re.sub(r"[\W_]", "", named.noun).lower()
