"""An empty falcon application on the gunicorn settings of `comptoir serve`: what every measure is a share of."""

from __future__ import annotations

import sys
from typing import Any

import falcon
from gunicorn.app.base import BaseApplication

from core.common.runtime import active
from core.common.settings import Settings
from core.serving.gunicorn import Application, options


class Nothing:
    """Answers an empty object."""

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        """Answer."""
        resp.media = {}


def make_app() -> Any:
    """The application."""
    app = falcon.App()
    app.add_route("/nothing", Nothing())
    return app


class Empty(Application):
    """gunicorn over the empty application; it has no modules to follow."""

    def __init__(self, configuration: Settings) -> None:
        super().__init__(None, configuration, None, lambda addresses: None)  # type: ignore[arg-type]

    def load_config(self) -> None:
        """The same settings without the hooks."""
        for name, value in options(self._configuration).items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        """The application."""
        return make_app()

    def run(self) -> None:
        """Serve, with gunicorn's own master."""
        BaseApplication.run(self)


if __name__ == "__main__":
    configuration = Settings(bind=sys.argv[1], workers=2)
    active.runtime.settings = configuration
    Empty(configuration).run()
