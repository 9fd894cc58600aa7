"""The declarations of a module's API classes: annotations, routes, converters and the catalogue."""
