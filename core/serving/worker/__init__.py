"""A gunicorn worker class for any WSGI application; `README.md` says why it exists."""

from .worker import Worker

__all__ = ["Worker"]
