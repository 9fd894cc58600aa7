"""Groups of operations come from paths and moves, so that anybody's service has them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from core import Transition
from core.contract.annotations import Annotation
from core.contract.catalogue import Operation, Service
from explorer.groups import group_operations

JSON: dict[str, Any] = {"responses": {"200": {"content": {"application/json": {}, "text/csv": {}}}}}
PICTURE: dict[str, Any] = {"responses": {"200": {"content": {"image/png": {}}}}}
UPLOAD: dict[str, Any] = {"requestBody": {"content": {"multipart/form-data": {}}}}

#: path → what OpenAPI says of it, and its group
EXPECTED: dict[str, tuple[dict[str, Any], str]] = {
    "/crates": (JSON, ""),
    "/crates/{id}": (JSON, ""),
    "/crates/mark/{mark}": (JSON, ""),
    "/crates/{id}/nail": (JSON, "states"),
    "/crates/{id}/loosePlanks": (JSON, "loose planks"),
    "/crates/{id}/loosePlank/{plank}": (JSON, "loose planks"),
    "/crates/bulk_prices": (JSON, "bulk prices"),
    "/crates/bulk_prices/{price}": (JSON, "bulk prices"),
    "/crates/{id}/picture": (PICTURE, "files"),
    "/crates/{id}/drawing": (UPLOAD, "files"),
    "/crates/{id}/weigh": (JSON, "more"),
    "/crates/{id}/history": ({}, "more"),
}


def test_operations_are_grouped_by_path_and_move() -> None:
    note = Annotation()
    operations = tuple(
        Operation("crates", path.rpartition("/")[2], "GET", path, note, (), dict, None, "public", lambda: None)
        for path in EXPECTED
    )
    service = Service("crates", "crates", Path(), note, operations, transitions=(Transition("open", "nail", "shut"),))
    groups = group_operations(service, [said for said, _ in EXPECTED.values()])
    assert dict(zip(EXPECTED, groups, strict=True)) == {path: group for path, (_, group) in EXPECTED.items()}
