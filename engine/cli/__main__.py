"""`python -m engine.cli` is the same as `ouzel`."""

from engine.cli import main

main()
