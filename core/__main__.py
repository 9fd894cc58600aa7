"""`comptoir`: the command line."""

import gc
import signal

# Ctrl-C during the imports below ends the program without a traceback
signal.signal(signal.SIGINT, signal.SIG_DFL)
# Everything that they make stays: collections would take a sixth of the time
gc.disable()

from core.commands import main  # noqa: E402

gc.enable()
__all__ = ["main"]

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    main(prog_name="comptoir")
