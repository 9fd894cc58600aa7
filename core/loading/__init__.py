"""From files to the active catalogue: folders, imports, failures, reloads, and the commands `check` and `new`."""
