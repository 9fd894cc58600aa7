"""Code that every package uses: errors, settings, profiles, readers, the clock. It imports no other package."""
