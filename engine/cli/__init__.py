"""The command line: one file a group of commands; the answer goes to standard output, everything else to standard error.

Exit codes: 0 done, 1 an error with a sentence, 2 wrong usage, 130 stopped by Ctrl-C.
"""

import os
import sys

__all__ = ["main"]


def main() -> None:
    """Run the command in sys.argv and exit."""
    try:
        import signal  # noqa: PLC0415  the less is read in before Ctrl-C is caught the better

        # An exception within an import may be lost there, or have Python end by the signal; nothing has been begun yet.
        ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if ours:
            signal.signal(signal.SIGINT, _end_at_once)
        from engine.cli.main import main as run  # noqa: PLC0415  reading all commands in takes a while

        if ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        run()
    except KeyboardInterrupt:  # at once, or while it ends
        sys.stderr.write("Stopped.\n")
        sys.exit(130)


def _end_at_once(*_: object) -> None:
    os.write(2, b"Stopped.\n")
    os._exit(130)
