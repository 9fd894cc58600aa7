"""Count stock movements, and compare them with the stock."""

from __future__ import annotations

import json

import click

from ..checking import differences
from ..models import StockMovement


@click.command()
@click.option("--check", is_flag=True, help="Report products whose stock differs from the sum of their movements.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def stock(context: click.Context, check: bool, as_json: bool) -> None:
    """Count stock movements, and compare them with the stock. The server can keep running.

    The exit code is 1 if --check finds a difference.
    """
    movements, found = StockMovement.select().count(), differences() if check else []
    if as_json:
        click.echo(json.dumps({"movements": movements, **({"differences": found} if check else {})}, indent=2))
    else:
        for each in found:
            place = f"in warehouse {each['warehouse']}" if each["warehouse"] else "in all warehouses"
            click.echo(
                f"product {each['product']} {place}: stock is {each['stock']}, movements add up to {each['movements']}"
            )
        end = f", found {_count(len(found), 'difference')}." if check else "; the stock was not compared (use --check)."
        click.echo(f"Counted {_count(movements, 'movement')}{end}")
    context.exit(1 if found else 0)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
