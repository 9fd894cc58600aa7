"""`comptoir new`: create a working module, as in the tutorial `modules/README.md`."""

from __future__ import annotations

import builtins
import keyword
import os
import re
import sys
from importlib.util import find_spec
from pathlib import Path
from string import Template

import click

from ..crud import plural_of
from ..loading.folders import DRAFT
from ..loading.module_files import RESERVED, service_name
from .terminal import program, read_settings, short

_TEMPLATES = Path(__file__).parent / "new_module"
_NAME = re.compile(r"[a-z][a-z0-9_]{0,30}")
#: names that the templates use themselves
_USED = {"AutoField", "CharField", "Crud", "IntegerField", "Model", "Records", *dir(builtins)}


@click.command()
@click.argument("module")
@click.argument("object_name", metavar="OBJECT")
@click.option("--folder", type=click.Path(file_okay=False, path_type=Path), help="Module folder to write to.")
@click.option(
    "--now",
    is_flag=True,
    help="Don't create a draft: a running server serves the module and creates its table immediately.",
)
def new(module: str, object_name: str, folder: Path | None, now: bool) -> None:
    """Create a working module with a table, an API class and a test.

    `comptoir new loyalty cards` creates the folder loyalty/, which serves /loyaltycards. If both names are the same,
    the path is the single name: `comptoir new subscriptions subscriptions` serves /subscriptions.

    The module goes into the first writable folder of COMPTOIR_MODULES, or else into modules/ of the current folder.
    Existing files are not overwritten.

    The module is a draft: a server ignores it until you delete its file DRAFT, or run the same command with --now.
    `comptoir check` and the module's test work on a draft.
    """
    configuration = read_settings()
    _, *outside = configuration.module_folders
    # Not the folder of the native modules: in an installed Comptoir that is a package folder
    here = Path("modules").resolve()
    target = folder.resolve() if folder else next((each for each in outside if os.access(each, os.W_OK)), here)
    names = names_of(module, object_name)
    home, service = target / module, names["service"]
    if now and (home / DRAFT).exists():
        (home / DRAFT).unlink()
        click.echo(f"Published {short(home)}; a running server now serves /{service}.")
        return
    for file in _write(names, home, draft=not now):
        click.echo(f"written  {short(file)}")
    python = short(Path(sys.executable))
    steps = [
        *([(f"{python} -m pytest {short(home)}/tests", "run the test")] if find_spec("pytest") else []),
        (f"{program()} check {short(home)}", "load the module and list its routes"),
        *([] if now else [(f"rm {short(home)}/{DRAFT}", "publish it: the server creates the table")]),
        (f"{program()} serve", "start a server, unless one is running"),
        (f'curl -H "DOLAPIKEY: <key>" http://{configuration.bind}/{service}', "call the service"),
    ]
    if target.resolve() not in map(Path.resolve, configuration.module_folders):
        steps.insert(
            -2 if now else -3, (f"export COMPTOIR_MODULES={target}", "add the folder to the server's module folders")
        )
    click.echo("\nNext:")
    for command, purpose in steps:
        click.echo(f"  # {purpose}\n  {command}")


def names_of(module: str, plural: str) -> dict[str, str]:
    """Return the names in a new module, by their placeholders in the files of `new_module`.

    :param module: the folder, such as ``loyalty``
    :param plural: its objects, such as ``cards``
    :raises click.UsageError: one of the two can't be used
    """
    for name in (module, plural):
        if not _NAME.fullmatch(name) or keyword.iskeyword(name):
            raise click.UsageError(f"{name!r}: expected lower-case letters, digits and underscores, such as loyalty")
    both = plural if plural == module else f"{module}_{plural}"
    singular, service = _singular(plural), service_name(both)
    record = _camel(singular)
    records = _camel(plural) if plural != singular else f"{record}List"
    if service in RESERVED:
        raise click.UsageError(f"/{service} is reserved for the server; choose another name")
    if _USED & {record, records, plural}:
        raise click.UsageError(f"{plural!r} already has a meaning in Python or in the template; choose another word")
    noun, nouns = singular.replace("_", " "), plural.replace("_", " ")
    return {
        "module": module,
        "plural": plural,
        "singular": singular,
        "service": service,
        "record": record,
        "records": records,
        "api": _camel(both),
        "table": f"{module}_{singular}",
        "title": both.replace("_", " "),
        "noun": noun.capitalize(),
        "a_noun": f"{'An' if noun[0] in 'aeiou' else 'A'} {noun}",
        "nouns": nouns,
        "irregular": "" if plural_of(noun) == nouns else f'\n    nouns = "{nouns}"',
    }


def _singular(plural: str) -> str:
    if plural.endswith("ies"):
        return plural[:-3] + "y"
    if plural.endswith(("xes", "ches", "shes", "sses")):
        return plural[:-2]
    return plural[:-1] if plural.endswith("s") and not plural.endswith("ss") else plural


def _camel(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def _write(names: dict[str, str], home: Path, *, draft: bool) -> list[Path]:
    """Write the files of a module, all or none; return them.

    :param home: the folder of the module
    :param draft: True to let servers ignore it until its file DRAFT is deleted
    """
    service = names["service"]
    # A running server may load the module at any moment: DRAFT comes first, the API file last
    templates = {home / DRAFT: "draft.txt"} if draft and not (home / DRAFT).exists() else {}
    templates |= {
        home / "models.py": "models.txt",
        home / "tests" / f"test_{service}.py": "test.txt",
        home / "class" / f"api_{service}.py": "api.txt",
    }
    taken = [f"  {short(file)}" for file in templates if file.exists()]
    if taken:
        raise click.ClickException("\n".join(["these files already exist; nothing was written:", *taken]))
    written: list[Path] = []
    try:
        for file, template in templates.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("x", encoding="utf-8") as opened:
                written.append(file)
                opened.write(Template((_TEMPLATES / template).read_text(encoding="utf-8")).substitute(names))
    except OSError:
        for file in written:
            file.unlink(missing_ok=True)
        raise
    return written
