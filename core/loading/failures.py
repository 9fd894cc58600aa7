"""The report of a file that can't be loaded: the reason, the author's own lines, and the methods in its text."""

from __future__ import annotations

import ast
import inspect
import re
import traceback
from functools import cache
from pathlib import Path
from textwrap import dedent

from ..common.readers import readable
from ..contract.annotations import Annotation, AnnotationError, read_annotation
from ..contract.catalogue import FailedMethod, Failure
from ..contract.routes import BELOW, derive_path, path_below
from ..crud import Crud
from ..schema.table import SchemaError
from .importing import LoadError
from .module_files import ModuleFile, ModuleFolder, read_source, text_of


def failure_of(folder: ModuleFolder, file: ModuleFile, error: BaseException) -> Failure:
    """Return the failure of a file; that of an API file lists its methods."""
    name = file.service or str(file.path.relative_to(folder.path.parent).with_suffix(""))
    methods, path = (read_methods(file), path_in(file.path)) if file.service else ((), "")
    reason, trace, line = reason_of(error), trace_of(error), line_of(error, file.path)
    if line is None and not isinstance(error, (LoadError, SchemaError)):
        frames = [(Path(each.filename), each.lineno) for each in traceback.extract_tb(error.__traceback__)]
        own = [(each, number) for each, number in frames if each.is_relative_to(folder.path)]
        reason = "".join(f"{each.relative_to(folder.path)}:{number}: " for each, number in own[-1:]) + reason
    shadowed = not file.service
    return Failure(name, folder.name, file.path, reason, trace, methods, shadowed=shadowed, line=line, path=path)


def reason_of(error: BaseException) -> str:
    """Return in one line why a file can't be loaded."""
    if isinstance(error, (LoadError, SchemaError)):
        return readable(str(error))
    if isinstance(error, SyntaxError) and re.search(r"\bfrom [\w.]*\.class\b", error.text or ""):
        return "Python can't import from a folder class; move the model to models.py: its table stays as it is"
    return readable(f"{type(error).__name__}: {error}".strip().removesuffix(":"))


def line_of(error: BaseException, file: Path) -> int | None:
    """Return the line of a file that raised an error; None: the error comes from elsewhere."""
    if isinstance(error, LoadError) and error.line is not None:
        return error.line
    if isinstance(error, SyntaxError) and error.filename == str(file):
        return error.lineno
    frames = traceback.walk_tb(error.__traceback__)
    return next((number for frame, number in reversed([*frames]) if frame.f_code.co_filename == str(file)), None)


def trace_of(error: BaseException) -> str:
    """Return the traceback from the author's first line on."""
    if isinstance(error, (LoadError, SchemaError)) and error.__cause__ is None:
        return ""
    trace = error.__traceback__
    while trace is not None and (
        "importlib" in trace.tb_frame.f_code.co_filename
        or str(Path(__file__).parents[1]) in trace.tb_frame.f_code.co_filename
    ):
        trace = trace.tb_next
    return readable("".join(traceback.format_exception(type(error), error, trace, chain=False)))


def line_of_text(pattern: str, text: str) -> int | None:
    """Return the number of the first line that begins with a match of a regular expression; None without a match."""
    found = re.search(f"^{pattern}", text, re.MULTILINE)
    return text.count("\n", 0, found.start()) + 1 if found else None


def read_methods(file: ModuleFile) -> tuple[FailedMethod, ...]:
    """Return the methods of an API file that can't be loaded, from its text."""
    try:
        tree = ast.parse(read_source(file.path))
    except (SyntaxError, ValueError, OSError, RecursionError, MemoryError):
        return ()
    wanted = (file.service, file.service + "api")
    classes = [
        node for node in tree.body if isinstance(node, ast.ClassDef) and node.name.lower().replace("_", "") in wanted
    ]
    if not classes:
        return ()
    nodes = {each.name: each for each in classes[0].body if isinstance(each, ast.FunctionDef)}
    if any(isinstance(base, ast.Name) and base.id == Crud.__name__ for base in classes[0].bases):
        nodes = _crud_methods() | nodes
    base = path_in(file.path) or file.service
    return tuple(
        found for name, node in nodes.items() if not name.startswith("_") for found in _read_failed(base, node)
    )


def path_in(file: Path) -> str:
    """Return the `path` of the class in a file, even if the file has a syntax error elsewhere; empty: none."""
    found = re.search(rf"^[ \t]+path = ([\"'])({BELOW.pattern})\1", text_of(file), re.MULTILINE)
    return found[2] if found else ""


@cache
def _crud_methods() -> dict[str, ast.FunctionDef]:
    """Return the methods of `Crud`, with docstrings for any record."""
    text = dedent(inspect.getsource(Crud))
    for word, record in (("{a_noun}", "a record"), ("{nouns}", "records"), ("{noun}", "record")):
        text = text.replace(word, record)
    (tree,) = ast.parse(text).body
    assert isinstance(tree, ast.ClassDef)
    return {each.name: each for each in tree.body if isinstance(each, ast.FunctionDef)}


def _read_failed(base: str, node: ast.FunctionDef) -> list[FailedMethod]:
    try:
        annotation = read_annotation(ast.get_docstring(node))
    except AnnotationError:
        annotation = Annotation(summary=readable(ast.get_docstring(node) or "").strip().partition("\n")[0])
    names = [argument.arg for argument in (*node.args.args, *node.args.kwonlyargs)][1:]
    required = names[: len(names) - len(node.args.defaults)]
    urls = annotation.urls or (derive_path(node.name, names, required),)
    return [FailedMethod(verb, path_below(base, path), annotation.summary) for verb, path in urls]
