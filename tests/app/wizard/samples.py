"""Values that the wizard's tables use."""

from pathlib import Path
from typing import Any

from engine.events import Looked, Surveyed
from engine.offers import Level, Offer, Precision, Verdict
from engine.words import say

GB = 10**9
PACE = say("About {slowest} to {fastest} tokens/s: {words}.", slowest=6, fastest=9, words=say("at least as fast as most people read"))


def verdict(level: Level = "good", **more: Any) -> Verdict:
    values: dict[str, Any] = {
        "level": level, "reasons": (PACE,), "helps": (), "tokens_per_second": 7.5, "slowest": 6.2, "fastest": 9.4,
        "hit_rate": 0.5, "cached_share": 0.2, "drive_bytes": 1e8, "download_bytes": 50 * GB, "disk_peak_bytes": 21 * GB,
        "disk_bytes": 20 * GB, "floor_bytes": 3 * GB, "recommended_bytes": 8 * GB, "budget_bytes": 6 * GB, "context": 4096,
        "parameters": 26 * GB, "active_parameters": 4 * GB,
    }  # fmt: skip
    return Verdict(**{**values, **more})


def offer(name: str, repo: str, v: Verdict) -> Offer:
    return Offer(name, repo, "Apache-2.0", f"https://example.org/{name}", "A model.", "q4", "q4", v)


def surveyed(*offers: Offer, id: int = 1, folder: Path = Path("/models")) -> Surveyed:
    return Surveyed(id, folder, 65 * GB, 1.4e9, 2e10, 24 * GB, 16 * GB, True, offers)


def looked(kind: Any = "hub", id: int = 2, **more: Any) -> Looked:
    values: dict[str, Any] = {
        "id": id, "source": "owner/tiny", "kind": kind, "name": "tiny", "family": "mixtral", "commit": "0123456789", "licence": "mit",
        "gated": False, "source_bytes": 50 * GB,
        "precisions": (Precision("q4", "q4", False, verdict()), Precision("q8", "q8", False, verdict("slow", slowest=0.31, fastest=0.52))),
    }  # fmt: skip
    return Looked(**{**values, **more})
