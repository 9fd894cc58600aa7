"""From files to the catalogue in force: folders, imports, failures, reloads, and what `check` and `new` do."""
