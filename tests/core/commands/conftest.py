"""Running commands."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import click.testing
import pytest

from core.__main__ import main
from core.storage.database import close
from tests.core.commands.running import Run


@pytest.fixture
def variables(tmp_path: Path, folder: Path, loyalty: Path) -> dict[str, str]:
    """The environment of a command: a database, a store and module folders of its own."""
    return {
        "COMPTOIR_DATABASE": f"sqlite:///{tmp_path}/commands.db",
        "COMPTOIR_DOCUMENTS": str(tmp_path / "documents"),
        "COMPTOIR_MODULES": f"{folder}:{loyalty}",
    }


@pytest.fixture
def run(variables: dict[str, str]) -> Iterator[Run]:
    """Run a command in this process; its exit code must be the expected one."""

    def invoke(*arguments: str, code: int = 0, input: str | None = None, **more: str) -> click.testing.Result:
        environment: dict[str, str | None] = dict.fromkeys(name for name in os.environ if name.startswith("COMPTOIR_"))
        result = click.testing.CliRunner().invoke(
            main, list(arguments), input=input, env=environment | variables | more, catch_exceptions=False
        )
        assert result.exit_code == code, result.output
        assert "Traceback" not in result.output
        return result

    yield invoke
    close()
