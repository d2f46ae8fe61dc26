"""The worker's fixture, for batches too."""

from tests.worker.conftest import driver

__all__ = ["driver"]
