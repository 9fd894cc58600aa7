"""`python -m core`: the command line."""

from core.commands import main

__all__ = ["main"]

if __name__ == "__main__":
    main()
