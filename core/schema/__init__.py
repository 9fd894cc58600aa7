"""The database schema: models, migrations, the changes they need and the lock they run under."""
