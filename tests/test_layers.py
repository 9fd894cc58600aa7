"""The layers: who may import whom, read from the text of every file."""

import ast
import sys
from pathlib import Path

import core
from core import for_natives

ROOT = Path(__file__).parent.parent
FILES = [
    file
    for folder in ("core", "modules", "explorer", "tests/samples")
    for file in sorted((ROOT / folder).rglob("*.py"))
    if "__pycache__" not in file.parts
    # what `comptoir new` writes to test a module is a test, not a module
    and not (file.name.startswith("test_") and file.parent.name == "tests")
]


def imports(file):
    """(module, name) of every import of a file, also for types only; relative ones resolved, no name for `import x`."""
    package = list(file.relative_to(ROOT).with_suffix("").parts)[:-1]
    if package[:2] == ["tests", "samples"]:
        # a folder of samples is a module folder: its modules are called modules.<name>
        package[:3] = ["modules"]
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield from ((module, alias.name) for alias in node.names)


def inside(file, folder):
    return file.is_relative_to(ROOT / folder)


#: names that may change in any release
NATIVES = "core.for_natives"
NATIVES_AND_SAMPLES = [file for file in FILES if inside(file, "modules") or inside(file, "tests/samples")]


def test_the_files_and_their_imports_are_found():
    assert {"core", "explorer", "modules"} <= {file.relative_to(ROOT).parts[0] for file in FILES}
    assert all(any(imports(file)) for file in FILES if file.name in ("connection.py", "api_invoices.py"))
    assert any(inside(file, "core/serving/worker") for file in FILES)
    assert NATIVES_AND_SAMPLES


def test_a_module_imports_from_core_only_the_authors_interface():
    for file, module, name in ((each, *found) for each in NATIVES_AND_SAMPLES for found in imports(each)):
        assert module == NATIVES or not module.startswith("core."), f"{file} imports {module}"
        if module == "core":
            assert name in core.__all__, f"{file} imports {name} from core"
        if module == NATIVES:
            assert inside(file, "modules") and name in for_natives.__all__, f"{file} imports {name} from {NATIVES}"
        assert module.split(".")[0] not in ("explorer", "tests", "falcon", "gunicorn"), f"{file} imports {module}"


#: who may import whom in `core`: each room the rooms below it; a file of the top level is a room of its own
ROOMS = {
    "common": (),
    "storage": ("common",),
    "access": ("common", "storage"),
    "audit": ("common", "storage", "access"),
    "contract": ("common", "storage", "access"),
    "records": ("common", "storage", "access", "audit", "contract"),
    "jobs": ("common", "storage", "access", "audit", "contract", "records"),
    "schema": ("common", "storage", "access", "audit", "records", "jobs"),
    "web": ("common", "storage", "access", "records", "jobs", "contract", "version"),
    "crud": ("storage", "records", "contract"),
    "loading": ("common", "storage", "access", "audit", "records", "jobs", "schema", "contract", "crud", "web", "version"),
    "wsgi": ("common", "storage", "access", "records", "jobs", "schema", "contract", "web", "loading"),
    "transfer": ("common", "storage", "access", "audit", "records", "schema", "contract", "loading", "wsgi", "version"),
    "testing": ("common", "storage", "access", "jobs", "contract", "loading", "wsgi"),
    "serving": ("common", "storage", "access", "records", "jobs", "contract", "web", "loading", "wsgi", "version"),
    "commands": (
        "common", "storage", "access", "records", "jobs", "schema", "contract", "crud", "loading", "transfer", "serving",
        "wsgi", "version",
    ),
    "version": (),
    "__main__": ("commands",),
    "__init__": ("common", "storage", "access", "audit", "records", "jobs", "schema", "contract", "crud", "version"),
    "for_natives": ("common", "storage", "access", "audit", "records", "jobs", "contract", "version"),
}  # fmt: skip


def room_of(parts):
    """The room of a file or module below `core`, given without `core` itself."""
    return parts[0] if parts else "__init__"


def test_a_file_of_core_imports_only_rooms_below_its_own():
    for file, module in ((each, found) for each in FILES if inside(each, "core") for found, _ in imports(each)):
        room = room_of(file.relative_to(ROOT / "core").with_suffix("").parts)
        top, *rest = module.split(".")
        if top == "core":
            assert room_of(tuple(rest)) in (room, *ROOMS[room]), f"{file} imports {module}"
        assert top not in ("explorer", "modules", "tests"), f"{file} imports {module}"


def test_the_worker_serves_any_application():
    for file, module in (
        (each, found) for each in FILES if inside(each, "core/serving/worker") for found, _ in imports(each)
    ):
        top = module.split(".")[0]
        own = module == "core.serving.worker" or module.startswith("core.serving.worker.")
        assert own or top == "gunicorn" or top in sys.stdlib_module_names, f"{file} imports {module}"


def test_no_file_imports_itself_in_a_circle():
    names = {".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): file for file in FILES}
    edges = {}
    for name, file in names.items():
        for module, imported in imports(file):
            target = next((each for each in (f"{module}.{imported}", module) if each in names), None)
            # what a package holds is imported through it, which is no circle of the files
            if target is not None and not name.startswith(f"{target}."):
                edges.setdefault(name, set()).add(target)
    done = set()

    def visit(name, path):
        assert name not in path, f"circle: {' -> '.join((*path[path.index(name) :], name))}"
        if name not in done:
            for other in sorted(edges.get(name, ())):
                visit(other, (*path, name))
            done.add(name)

    for name in sorted(edges):
        visit(name, ())


def test_nothing_imports_a_class_file():
    for file in FILES:
        assert not any(".class." in f"{module}.{name}." for module, name in imports(file)), file


def test_only_the_http_side_of_core_knows_falcon():
    files = [file for file in FILES if inside(file, "core")]
    knowing = {file.name for file in files if any(module.split(".")[0] == "falcon" for module, _ in imports(file))}
    http = {
        "answers.py", "app.py", "authentication.py", "bodies.py", "client.py", "endpoint.py", "idempotency.py",
        "request_states.py", "router.py", "sheets.py", "wsgi.py",
    }  # fmt: skip
    assert knowing == http


def test_modules_form_no_cycle():
    edges = {}
    for file in NATIVES_AND_SAMPLES:
        if not inside(file, "modules"):
            continue
        name = file.relative_to(ROOT / "modules").parts[0]
        for module, _ in imports(file):
            parts = module.split(".")
            if parts[0] == "modules" and len(parts) > 1 and parts[1] != name:
                edges.setdefault(name, set()).add(parts[1])

    def visit(name, path):
        assert name not in path, f"cycle: {' -> '.join((*path, name))}"
        for other in edges.get(name, ()):
            visit(other, (*path, name))

    for name in edges:
        visit(name, ())


def test_every_name_of_the_interface_exists_and_is_explained():
    for name in core.__all__:
        assert getattr(core, name).__doc__, name
    guide = (ROOT / "modules/NAMES.md").read_text()
    assert [name for name in core.__all__ if f"- `{name}`: " not in guide] == []


def test_no_file_evaluates_text():
    for file in FILES:
        for node in ast.walk(ast.parse(file.read_bytes())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in ("eval", "exec", "compile"), f"{file}:{node.lineno}"
