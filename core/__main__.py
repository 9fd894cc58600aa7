"""`comptoir`: the command line."""

import signal

# Whoever ends it while all that follows is still being imported wants no traceback
signal.signal(signal.SIGINT, signal.SIG_DFL)

from core.commands import main  # noqa: E402

__all__ = ["main"]

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    main()
