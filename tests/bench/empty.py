"""An empty falcon application on the gunicorn settings of `comptoir serve`: what every measure is a share of."""

import sys

import falcon
from gunicorn.app.base import BaseApplication

from core.common.settings import Settings, current_settings
from core.serving.gunicorn import Application, options


class Nothing:
    """Answers an empty object."""

    def on_get(self, req, resp):
        """Answer."""
        resp.media = {}


def make_app():
    """The application."""
    app = falcon.App()
    app.add_route("/nothing", Nothing())
    return app


class Empty(Application):
    """gunicorn over the empty application; it has no modules to follow."""

    def __init__(self, configuration):
        super().__init__(None, configuration, None, None, lambda addresses: None)

    def load_config(self):
        """The same settings without the hooks."""
        for name, value in options(self._configuration).items():
            self.cfg.set(name, value)

    def load(self):
        """The application."""
        return make_app()

    def run(self):
        """Serve, with gunicorn's own master."""
        BaseApplication.run(self)


if __name__ == "__main__":
    configuration = Settings(bind=sys.argv[1], workers=2)
    current_settings.value = configuration
    Empty(configuration).run()
