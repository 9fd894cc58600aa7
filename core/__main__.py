"""`python -m core`: the command line."""

from core.commands import main

if __name__ == "__main__":
    main()
