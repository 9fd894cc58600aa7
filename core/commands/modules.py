"""`comptoir modules`, `install`, `disable`, `enable` and `uninstall`: which modules there are, and which are served."""

from __future__ import annotations

import fcntl
import os
import stat
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

import click
from packaging.requirements import InvalidRequirement, Requirement
from packaging.version import Version

from ..contract.catalogue import Catalogue
from ..loading.check import examine
from ..loading.file_status import module_rows
from ..loading.folders import DISABLED, DRAFT, MODULE_NAME, look
from ..loading.importing import LoadError
from ..loading.manifest import NAME, manifest_of, read_manifest
from ..loading.module_files import ModuleFolder
from ..schema.removal import fields_of_module, remove_data, tables_of_module
from ..schema.table import SchemaError
from ..schema.tables import ensure_core_tables
from ..storage.database import close
from .database_wait import require_installation
from .terminal import json_option, plural, read_settings, short, show

#: files and bytes of a module that is installed
MAX_FILES = 5000
MAX_BYTES = 64 * 1024 * 1024
#: what isn't copied
_LEFT_OUT = {"__pycache__", "__MACOSX", ".git", ".DS_Store", DISABLED, DRAFT}


@click.command()
@json_option
def modules(as_json: bool) -> None:
    """List all modules with their state, version, and what they add.

    A module is loaded, failed, disabled or a draft. `comptoir check` shows why one failed.
    """
    folders = read_settings().module_folders
    made = examine(folders)
    found = look(folders, drafts=True)[0]
    rows = [
        {**row, "folder": str(folder.path)} | ({"state": "draft"} if (folder.path / DRAFT).exists() else {})
        for folder, row in zip(found, module_rows(made, [(each, manifest_of(each)) for each in found]), strict=True)
    ]
    columns: dict[str, str | Callable[[Any], object]] = {
        "MODULE": "name",
        "STATE": "state",
        "VERSION": "version",
        "SERVICES": lambda row: ", ".join(row["services"]),
        "WRAPS": lambda row: ", ".join(row["wraps"]),
        "DESCRIPTION": "description",
    }
    show(rows, columns, as_json)


@click.command()
@click.argument("source")
def install(source: str) -> None:
    """Install a module, or another version of it, from a folder, a ZIP file or a Python package.

    The module is unpacked beside the others and checked as `comptoir check` does. If it can be loaded, it replaces
    the installed version, and a running server loads it; otherwise nothing changes.

    The name of the module is that of the folder, or of the only folder in the ZIP file. It goes into the first writable
    folder of COMPTOIR_MODULES. The wheel of a package is downloaded with pip and unpacked like a ZIP file; packages
    that it needs aren't installed.
    """
    configured = read_settings().module_folders
    target = next((each for each in configured[1:] if os.access(each, os.W_OK)), None)
    if target is None:
        raise click.ClickException("set COMPTOIR_MODULES to a folder for your modules in which you can write")
    with _locked(target), TemporaryDirectory(prefix=".install-", dir=target) as place:
        staged = _unpack(Path(source) if Path(source).exists() else _download(source, Path(place)), Path(place))
        _ensure_newer(staged, target / staged.name)
        made = examine((configured[0], staged.parent, *configured[1:]), wanted=lambda each: each.path == staged)
        _ensure_loadable(made, staged)
        _replace(staged, target / staged.name, Path(place))
        click.echo(f"Installed {staged.name} in {short(target)}; a running server loads it now.")


@click.command()
@click.argument("name")
def disable(name: str) -> None:
    """Switch a module off: its paths respond with 404, its handlers and wraps don't run, and its jobs wait.

    Its tables and row rules stay, and its extra fields are hidden. The command lists the handlers that could reject
    changes until now.
    """
    folder = _own(name)
    _ensure_unneeded(name, "disable")
    made = examine(read_settings().module_folders, wanted=lambda each: each.name == name)
    (folder.path / DISABLED).touch()
    guards = [f"{each.service}.{each.event}" for each in made.event_handlers if each.when != "after"]
    click.echo(f"Disabled {name}; a running server stops serving it now.")
    if guards:
        click.echo(f"No longer checked by {name}: {', '.join(dict.fromkeys(guards))}.")


@click.command()
@click.argument("name")
def enable(name: str) -> None:
    """Switch a module on again."""
    folder = _own(name)
    if not folder.is_disabled:
        raise click.ClickException(f"{name} isn't disabled")
    (folder.path / DISABLED).unlink()
    click.echo(f"Enabled {name}; a running server serves it now.")


@click.command()
@click.argument("name")
@click.option(
    "--data", is_flag=True, help="Also delete its tables, fields, permissions, settings, migrations and jobs."
)
@click.option("--yes", is_flag=True, help="Don't ask.")
def uninstall(name: str, data: bool, yes: bool) -> None:
    """Remove a module. Its data stays, so that you can install it again, unless you pass --data.

    Back up before you use --data: the deleted tables can't be restored otherwise.
    """
    folder = _own(name)
    _ensure_unneeded(name, "uninstall")
    if data:
        require_installation(read_settings())
        ensure_core_tables()
    manifest = manifest_of(folder)
    constants = [each for each in manifest.settings if "." not in each]
    tables = tables_of_module(name) if data else []
    fields = [f"{kind}.{field}" for kind, field, _ in fields_of_module(name)] if data else []
    what = f"the module {name}" + (f" and {plural(len(tables), 'table')}: {', '.join(tables)}" if tables else "")
    what += f" and the extra fields {', '.join(fields)}" if fields else ""
    if not yes:
        click.confirm(f"Remove {what}?", abort=True)
    with _locked(folder.path.parent), TemporaryDirectory(prefix=".uninstall-", dir=folder.path.parent) as place:
        # A running server stops serving it before its tables go
        removed = folder.path.rename(Path(place) / name)
        try:
            if data:
                others = examine(read_settings().module_folders).rights if manifest.permissions else []
                remove_data(name, _services_of(folder), constants, {*manifest.permissions} - {*others})
        except BaseException as error:
            removed.rename(folder.path)
            if isinstance(error, SchemaError):
                raise click.ClickException(f"{error}; nothing was changed") from error
            raise
        finally:
            close()
    click.echo(f"Removed {what}.")


def _services_of(folder: ModuleFolder) -> set[str]:
    """Return the services of a module that no other module has a file for."""
    others = (each for each in look(read_settings().module_folders)[0] if each.path != folder.path)
    return {each.service for each in folder.api_files} - {each.service for other in others for each in other.api_files}


def _ensure_unneeded(name: str, verb: str) -> None:
    """Check that no module requires another one."""
    needed_by = [each.name for each in look(read_settings().module_folders)[0] if name in manifest_of(each).requires]
    if needed_by:
        raise click.ClickException(f"{', '.join(needed_by)} requires {name}; {verb} it first")


def _own(name: str) -> ModuleFolder:
    """Return a module that the server doesn't ship. A second one of a name isn't served: the data is another one's."""
    listed = look(read_settings().module_folders, drafts=True)[0]
    found = [each for each in listed if not each.is_native and not each.is_second]
    for each in found:
        if each.name == name:
            return each
    known = ", ".join(each.name for each in found) or "there are none"
    raise click.ClickException(f"unknown module {name}; modules that can be disabled: {known}")


# Installing -----------------------------------------------------------------------------------------------------------


@contextmanager
def _locked(target: Path) -> Iterator[None]:
    """Prevent another installation into the folder meanwhile."""
    with (target / ".install.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise click.ClickException(f"another `comptoir install` is running in {short(target)}") from None
        yield


def _download(package: str, place: Path) -> Path:
    """Download the wheel of a Python package, and return it."""
    try:
        Requirement(package)
    except InvalidRequirement:
        raise click.ClickException(f"there is no folder or file {package}") from None
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest"]
    result = subprocess.run([*command, str(place), "--", package], capture_output=True, text=True, check=False)
    wheel = next(place.glob("*.whl"), None)
    if wheel is None:
        reason = (result.stderr.strip().splitlines() or ["it has no wheel"])[-1].removeprefix("ERROR: ")
        raise click.ClickException(f"there is no folder or file {package}, and no package that pip finds: {reason}")
    return wheel


def _unpack(source: Path, place: Path) -> Path:
    """Copy a module into a folder that no server reads, and return it."""
    files = _of_folder(source) if source.is_dir() else _of_zip(source)
    # The metadata of a wheel
    files = [each for each in files if not each[0].parts[0].endswith(".dist-info")]
    tops = {each.parts[0] for each, _ in files if len(each.parts) > 1}
    single = len(tops) == 1 and all(len(each.parts) > 1 for each, _ in files)
    name = source.resolve().name if source.is_dir() else tops.pop() if single else source.stem
    if not MODULE_NAME.fullmatch(name):
        raise click.ClickException(f"expected a module's name of ASCII letters, digits and underscores, got {name!r}")
    if not files:
        raise click.ClickException(f"{short(source)} contains no files")
    for path, content in files:
        inside = PurePosixPath(*path.parts[1:]) if single and not source.is_dir() else path
        file = place / "new" / name / inside
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    staged = place / "new" / name
    for each in (staged.parent, staged, *staged.rglob("*")):
        # Whatever the umask: the server reads them, and loads no module that others can write
        each.chmod(0o755 if each.is_dir() else 0o644)
    return staged


def _of_folder(source: Path) -> list[tuple[PurePosixPath, bytes]]:
    """Return the files of a folder."""
    found: list[tuple[PurePosixPath, bytes]] = []
    size = 0
    for folder, folders, names in os.walk(source):
        folders[:] = sorted(set(folders) - _LEFT_OUT)
        for each in (Path(folder) / name for name in sorted({*folders, *names} - _LEFT_OUT)):
            if each.is_symlink():
                raise click.ClickException(f"{short(each)} is a link; a module that is installed may have none")
            if each.is_file():
                size += each.stat().st_size
                _ensure_small(len(found), size)
                found.append((PurePosixPath(each.relative_to(source).as_posix()), each.read_bytes()))
    return found


def _of_zip(source: Path) -> list[tuple[PurePosixPath, bytes]]:
    """Return the files of a ZIP file."""
    found: list[tuple[PurePosixPath, bytes]] = []
    size = 0
    try:
        with zipfile.ZipFile(source) as archive:
            for entry in archive.infolist():
                path = PurePosixPath(entry.filename)
                if path.is_absolute() or ".." in path.parts or "\\" in entry.filename or ":" in entry.filename:
                    raise click.ClickException(f"{short(source)}: {entry.filename!r} leads out of the module")
                if stat.S_ISLNK(entry.external_attr >> 16):
                    raise click.ClickException(f"{short(source)}: {entry.filename!r} is a link; a module may have none")
                if entry.is_dir() or _LEFT_OUT & {*path.parts}:
                    continue
                size += entry.file_size
                _ensure_small(len(found), size)
                # The size in the archive may be wrong
                with archive.open(entry) as opened:
                    content = opened.read(entry.file_size + 1)
                if len(content) > entry.file_size:
                    raise click.ClickException(f"{short(source)}: {entry.filename!r} has a wrong size")
                found.append((path, content))
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError) as error:
        raise click.ClickException(f"{short(source)} can't be read as a ZIP file: {error}") from None
    return found


def _ensure_small(files: int, size: int) -> None:
    if files >= MAX_FILES or size > MAX_BYTES:
        most = f"{MAX_FILES} files and {MAX_BYTES // 1024**2} MB"
        raise click.ClickException(f"expected a module of at most {most}")


def _ensure_newer(staged: Path, installed: Path) -> None:
    """Check that a module isn't older than the installed version: its tables may already have changed."""
    if not (installed / NAME).exists():
        return
    try:
        versions = [read_manifest(each / NAME, staged.name).version for each in (staged, installed)]
    except LoadError:
        # The check of the module reports it
        return
    if Version(versions[0] or "0") < Version(versions[1] or "0"):
        raise click.ClickException(
            f"{staged.name} {versions[0] or '0'} is older than the installed version {versions[1]}; nothing was changed"
        )


def _ensure_loadable(made: Catalogue, staged: Path) -> None:
    """Check that every file of a module can be loaded."""
    failures = [each for each in made.failures if each.file.is_relative_to(staged)]
    for each in failures:
        line = f":{each.line}" if each.line else ""
        click.echo(f"{each.file.relative_to(staged.parent)}{line}: {each.reason}", err=True)
    if failures:
        raise click.ClickException(f"{plural(len(failures), 'file')} can't be loaded; nothing was changed")


def _replace(staged: Path, installed: Path, place: Path) -> None:
    """Put a module in the place of the installed version, which stays if that fails."""
    former = place / "former"
    is_update = installed.exists()
    if is_update:
        if (installed / DISABLED).exists():
            (staged / DISABLED).touch()
        installed.rename(former)
    try:
        staged.rename(installed)
    except OSError:
        if is_update:
            former.rename(installed)
        raise
