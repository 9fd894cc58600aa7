"""Running commands."""

import os

import click.testing
import pytest

from core.__main__ import main
from core.storage.database import close


@pytest.fixture
def variables(tmp_path, folder, loyalty):
    """The environment of a command: a database, a store and module folders of its own."""
    return {
        "COMPTOIR_DATABASE": f"sqlite:///{tmp_path}/commands.db",
        "COMPTOIR_DOCUMENTS": str(tmp_path / "documents"),
        "COMPTOIR_MODULES": f"{folder}:{loyalty}",
    }


@pytest.fixture
def run(variables):
    """Run a command in this process; its exit code must be the expected one."""

    def invoke(*arguments, code=0, input=None, **more):
        environment = dict.fromkeys(name for name in os.environ if name.startswith("COMPTOIR_"))
        result = click.testing.CliRunner().invoke(
            main, list(arguments), input=input, env=environment | variables | more, catch_exceptions=False
        )
        assert result.exit_code == code, result.output
        assert "Traceback" not in result.output
        return result

    yield invoke
    close()
