"""Which expert leaves the cache: the one that is probably needed last.

How often and how lately an expert was used tells how likely its layer's next visit uses it: the log odds are a weighted sum of the
logarithms of its frequencies of use at three time scales (a logistic regression), counts of experts that left included. As the layers
come in turn, odds give the time of the next use. Frequencies that decay are those of LRFU (Lee et al., 2001); SlotTable has the formula.
"""

from kernels_pyx.slots import SlotTable

# Fitted to four routing traces, the first half of each (benchmarks/cache_fit.py); benchmarks/NOTES.md has what the other halves say.
HALF_LIVES = (1.0, 12.0, 64.0)  # token steps
WEIGHTS = (0.39, 0.28, 0.47)
FLOORS = (-6.0, -9.0, -10.0)  # log2 of frequencies under which all are alike
BIAS = 1.57
HABIT = 4096.0  # half-life in token steps of the counts that outlive a session


def slot_table(n_layers: int, width: int) -> SlotTable:
    """An empty table for n_layers MoE layers of up to `width` experts."""
    return SlotTable(n_layers, width, HALF_LIVES, WEIGHTS, FLOORS, BIAS, HABIT)
