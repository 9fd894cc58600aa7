"""`comptoir compiled`: the conversions that the server makes of a model's fields."""

from __future__ import annotations

from typing import Any

import click

from ..contract.catalogue import catalogue
from ..records.validation import body_fields
from ..storage.compiled import Conversion, to_parameters
from ..storage.database import backend, close, ensure_connected
from ..storage.model import meta_of
from ..wsgi import build
from .database_wait import require_installation
from .terminal import read_settings, show_loading, show_table


@click.command()
@click.argument("service")
def compiled(service: str) -> None:
    """Print how the values of SERVICE's records are converted, with the current settings."""
    require_installation(read_settings())
    build(progress=show_loading)
    ensure_connected()
    try:
        served = {name: each.records for name, each in catalogue().services.items() if each.records is not None}
        if service not in served:
            raise click.UsageError(f"expected one of {', '.join(sorted(served))}, got {service!r}")
        _show(served[service])
    finally:
        close()


def _show(records: Any) -> None:
    plan, fields = records.select_plan(), meta_of(records.model).fields
    click.echo("Bodies of new records to values\n")
    bodies = body_fields(records, creating=True).readers.items()
    kinds = [(key, name, type(fields[name]).__name__, records.cleaners.get(name)) for key, (name, _) in bodies]
    rows = [[key, name, kind, "" if clean is None else _name(clean)] for key, name, kind, clean in kinds]
    show_table(["KEY", "FIELD", "TYPE", "CLEANED BY"], rows)
    for head, conversions in (
        ("Values to parameters of a statement", to_parameters(fields.values(), backend())),
        ("Columns to values", plan.whole_conversions),
    ):
        click.echo(f"\n{head}\n")
        show_table(["FIELD", "UNCHANGED", "OTHERWISE"], map(_described, conversions))
    click.echo("\nColumns to records\n")
    aliases = meta_of(records.model).aliases
    # Columns of joined tables and subqueries have no codec here
    codecs = [(key, plan.codecs.get(aliases.get(key, key))) for key in plan.names]
    show_table(
        ["KEY", "CONVERSION"], [[key, _name(known.answer) if known and known.answer else ""] for key, known in codecs]
    )


def _described(conversion: Conversion) -> list[str]:
    name, unchanged, null, convert = conversion
    kinds = [*([unchanged.__name__] if unchanged else []), *(["None"] if null is None else [])]
    return [name, ", ".join(kinds), _name(convert)]


def _name(convert: Any) -> str:
    return str(getattr(getattr(convert, "func", convert), "__qualname__", convert)).replace(".<locals>", "")
