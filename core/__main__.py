"""`comptoir`: the command line."""

import signal

# Ctrl-C during the imports below ends the program without a traceback
signal.signal(signal.SIGINT, signal.SIG_DFL)

from core.commands import main  # noqa: E402

__all__ = ["main"]

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    main(prog_name="comptoir")
