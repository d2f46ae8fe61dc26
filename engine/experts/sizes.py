"""What a model's experts take of memory, told before anything is opened."""

from collections.abc import Sequence
from typing import Protocol

from engine.container.format import RecordLayout
from engine.experts.store import READ_THREADS
from kernels_pyx.slots import SlotTable

SLOT_BYTES = 416  # of a slot: address, pending read and its place in the reader's queue


class Records(Protocol):
    """One layer's experts as far as memory is concerned; an `ExpertFile` is one."""

    @property
    def n_experts(self) -> int:
        """Experts of the layer."""

    @property
    def layout(self) -> RecordLayout:
        """Of each of its records."""


class HasExperts(Protocol):
    """A container, or a model that is not written yet."""

    @property
    def experts(self) -> Sequence[Records]:
        """In the order of the MoE layers."""


def width_of(container: HasExperts) -> int:
    """Experts of the layer that has most of them, by which keys are counted."""
    return max((f.n_experts for f in container.experts), default=0)


def slot_bytes(container: HasExperts) -> int:
    """Bytes of a slot, which takes the largest record."""
    return max((f.layout.stride for f in container.experts), default=0)


def streamer_bytes(container: HasExperts, n_slots: int) -> int:
    """Bytes that an ExpertStreamer with n_slots slots allocates."""
    n_layers, width, n_volumes = len(container.experts), width_of(container), len(getattr(container, "volumes", ()))
    checked = n_layers * width * (1 + (8 * n_volumes if n_volumes > 1 else 0))
    return n_slots * (slot_bytes(container) + SLOT_BYTES) + SlotTable.nbytes_for(n_layers, width) + checked


def spare_slots(container: HasExperts) -> int:
    """Slots that drives which never answer can keep, where others have the same records: reading goes on with what is beyond."""
    copies = [getattr(e, "copies", ()) for e in container.experts]
    most = max((len(c) for c, e in zip(copies, container.experts, strict=True) if c and c[0].nbytes == e.layout.stride), default=1)
    return READ_THREADS * (most - 1)
