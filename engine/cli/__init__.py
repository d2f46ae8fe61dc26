"""The command line: one file a group of commands; the answer goes to standard output, everything else to standard error.

Exit codes: 0 done, 1 an error with a sentence, 2 wrong usage, 130 stopped by Ctrl-C.
"""

from engine.cli.main import main

__all__ = ["main"]
