"""The schemas that all documents contain."""

from __future__ import annotations

from .field_schemas import Schema

#: the totals that ``pagination_data`` asks for
PAGINATION: Schema = {
    "type": "object",
    "required": ["total", "page", "page_count", "limit"],
    "properties": {
        "total": {"type": "integer", "description": "number of all matching records"},
        "page": {"type": "integer", "description": "number of this page, from 0"},
        "page_count": {"type": "integer", "description": "number of pages"},
        "limit": {"type": "integer", "description": "records per page"},
    },
}

#: the response if a job does the work
ACCEPTED_JOB: Schema = {
    "type": "object",
    "required": ["job", "state", "href"],
    "properties": {
        "job": {"type": "integer", "description": "ID of the job"},
        "state": {"type": "string", "enum": ["waiting"], "description": "state of the job"},
        "href": {"type": "string", "description": "the path of the job, in the form this document uses"},
    },
}


def reference(name: str) -> Schema:
    """Return a reference to a named schema."""
    return {"$ref": f"#/components/schemas/{name}"}
