"""The command line: one file a group of commands; the answer goes to standard output, everything else to standard error.

Exit codes: 0 done, 1 an error with a sentence, 2 wrong usage, 130 stopped by Ctrl-C.
"""

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command in sys.argv and exit."""
    try:
        from engine.cli.main import main as run  # noqa: PLC0415  reading all commands in takes a while, in which Ctrl-C counts too

        run()
    except KeyboardInterrupt:  # also while it ends
        sys.stderr.write("Stopped.\n")
        sys.exit(130)
