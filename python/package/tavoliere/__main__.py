"""The program: ``tavoliere``, and the same as ``python -m tavoliere``."""

from __future__ import annotations

import os
import signal
import sys

from . import _native


def main() -> int:
    """Runs the program with the arguments of the command line, and returns its exit status."""
    # The program saves its work at Ctrl-C. Python would raise an exception when it has done so.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    words, arguments = sys.argv[:1], sys.argv[1:]
    if os.path.basename(words[0]) == "__main__.py":
        # `python -m tavoliere`: what starts it again.
        words = sys.orig_argv[: len(sys.orig_argv) - len(arguments)]
    return _native.main(words, arguments)


if __name__ == "__main__":
    sys.exit(main())
