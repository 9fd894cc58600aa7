"""gunicorn around the application: workers, logs."""
