"""The type of what runs a command in this process."""

from __future__ import annotations

from collections.abc import Callable

import click.testing

#: runs a command over the environment of the fixture `variables`; its exit code must be the expected one
Run = Callable[..., click.testing.Result]
