"""Pages that `make docs` generates from the code."""
