"""The schemas that every document holds, whatever is served."""

from __future__ import annotations

from .field_schemas import Schema

#: what every answer of failure looks like
ERROR: Schema = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message"],
            "properties": {
                "code": {"type": "integer", "description": "the status"},
                "message": {"type": "string"},
                "errors": {
                    "type": "array",
                    "description": "every invalid field",
                    "items": {
                        "type": "object",
                        "required": ["field", "message"],
                        "properties": {"field": {"type": "string"}, "message": {"type": "string"}},
                    },
                },
                "request_id": {"type": "string", "description": "the ID of the request in the log"},
                "raised": {
                    "type": "object",
                    "description": "an unexpected exception of a method; only administrators see it",
                    "required": ["message"],
                    "properties": {
                        "file": {"type": "string", "description": "path within the modules folder"},
                        "line": {"type": "integer"},
                        "message": {"type": "string"},
                    },
                },
            },
        }
    },
}

#: the totals that ``pagination_data`` asks for
PAGINATION: Schema = {
    "type": "object",
    "required": ["total", "page", "page_count", "limit"],
    "properties": {
        "total": {"type": "integer", "description": "number of all matching records"},
        "page": {"type": "integer", "description": "number of this page, from 0"},
        "page_count": {"type": "integer"},
        "limit": {"type": "integer", "description": "records per page"},
    },
}

#: what is answered where a job does the work
ACCEPTED_JOB: Schema = {
    "type": "object",
    "required": ["job", "state", "href"],
    "properties": {
        "job": {"type": "integer", "description": "ID of the job"},
        "state": {"type": "string", "enum": ["waiting"]},
        "href": {"type": "string", "description": "the path of the job, in the form this document uses"},
    },
}


def reference(name: str) -> Schema:
    """A named schema, where it is used."""
    return {"$ref": f"#/components/schemas/{name}"}
