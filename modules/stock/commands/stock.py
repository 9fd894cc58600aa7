"""Compare what lies in the warehouses with the movements."""

from __future__ import annotations

import json

import click

from ..checking import count_movements, differences


@click.command()
@click.option("--check", is_flag=True, help="Say where the stock is not the sum of the movements.")
@click.option("--json", "as_json", is_flag=True, help="Answer JSON.")
@click.pass_context
def stock(context: click.Context, check: bool, as_json: bool) -> None:
    """How many movements there are; with --check, where the stock is not their sum. The server may run meanwhile.

    The exit code is 1 where something differs.
    """
    movements, found = count_movements(), differences() if check else []
    if as_json:
        click.echo(json.dumps({"movements": movements, **({"differences": found} if check else {})}, indent=2))
    else:
        for each in found:
            place = f"in warehouse {each['warehouse']}" if each["warehouse"] else "in all"
            click.echo(
                f"product {each['product']} {place}: {each['stock']} noted, {each['movements']} by the movements"
            )
        click.echo(f"{movements} movements" + (f", {len(found)} differences" if check else ""))
    context.exit(1 if found else 0)
