"""The processes of a server: gunicorn, its workers, connections, logs and metrics."""
