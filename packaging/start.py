"""What the bundle's executables run: the same program as `ouzel`, or a process that it has beside it."""

import os
import sys

if sys.platform.startswith("linux"):
    # The bundle's libraries are for this process, which has found them by now; a browser that it opens has its own.
    before = os.environ.pop("LD_LIBRARY_PATH_ORIG", None)
    if before is None:
        os.environ.pop("LD_LIBRARY_PATH", None)
    else:
        os.environ["LD_LIBRARY_PATH"] = before

try:
    from engine.apart import ARGUMENT, serve

    if sys.argv[1:] == [ARGUMENT]:
        serve()

    from engine.cli import main
except KeyboardInterrupt:
    sys.exit(130)

main()
