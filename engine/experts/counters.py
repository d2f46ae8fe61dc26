"""What a streamer has done since opening."""

from dataclasses import dataclass

from engine.stats import VolumeCounters


@dataclass(frozen=True, slots=True)
class Counters:
    """Since opening. hits, misses: expert accesses; read_seconds: with at least one read in flight.

    Of the reads ahead of their layer (in bytes_read too): how many, and what became of them; seconds_saved and active as in Lookahead.
    """

    hits: int
    misses: int
    evictions: int
    bytes_read: int
    read_seconds: float
    ahead_reads: int
    ahead_used: int
    ahead_late: int
    ahead_wasted: int
    ahead_seconds_saved: float
    ahead_settled: bool
    volumes: tuple[VolumeCounters, ...] = ()
