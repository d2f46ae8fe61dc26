"""The gauges of the engine side by side, and what their tool tips add."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from app import gauge_details
from app.looks.theme import Theme
from app.rates import Rates
from app.readings import DASH, Reading, flow, kept, memory, percent, speed
from app.views.tile import Form, Tile
from engine.events import ModelInfo
from engine.stats import Snapshot, VolumeCounters

LEAST = 2  # gauges that are always there


class GaugeStrip(QFrame):
    """Speed, cache hits, disk, memory and drafts side by side."""

    _snapshot: Snapshot | None
    _volumes: tuple[VolumeCounters, ...]
    _info: ModelInfo | None

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("strip")
        make = self._tile(theme)
        self.speed, self.hits, self.disk = make(speed, None), make(percent, 1.0), make(flow, None)
        self.memory, self.drafts = make(flow, None), make(percent, 1.0)
        self._clear()
        self.tiles = (self.speed, self.hits, self.disk, self.memory, self.drafts)
        self._button: QWidget | None = None
        self._row = row = QHBoxLayout(self)
        row.setContentsMargins(14, 6, 8, 6)
        row.setSpacing(10)
        for tile in self.tiles:
            row.addWidget(tile, 5 if tile is self.memory else 4)
        self.retranslate()

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Room for what matters most."""
        return QSize(self._needed(self._ranked()[:LEAST]), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """See _fit."""
        super().resizeEvent(event)
        self._fit()

    def _ranked(self) -> tuple[Tile, ...]:
        """What matters most comes first."""
        return (self.speed, self.memory, self.hits, self.disk, self.drafts)

    def _needed(self, tiles: Sequence[Tile]) -> int:
        margins, spacing = self._row.contentsMargins(), self._row.spacing()
        width = sum(t.minimumSizeHint().width() + spacing for t in tiles) + margins.left() + margins.right()
        return width + (self._button.sizeHint().width() if self._button else -spacing)

    def _fit(self) -> None:
        """Where there is no room for all, the last of them are left out; the engine page has them all."""
        ranked = self._ranked()
        count = next((n for n in range(len(ranked), LEAST, -1) if self._needed(ranked[:n]) <= self.width()), LEAST)
        for n, tile in enumerate(ranked):
            if tile.isHidden() != (n >= count):
                tile.setVisible(n < count)

    def _tile(self, theme: Theme) -> Callable[[Form, float | None], Tile]:
        return lambda form, ceiling: Tile("", "", form, ceiling, theme, self)

    def retranslate(self) -> None:
        """Say all in the language of the window."""
        self.setAccessibleName(self.tr("Engine gauges"))
        spoken = (
            (self.speed, self._speed_name(), self.tr("Tokens per second: written ones, or read ones while the prompt is read")),
            (self.hits, self.tr("Cache hits"), self.tr("Share of the experts that were in memory when they were needed")),
            (self.disk, self.tr("Disk"), self.tr("Bytes of experts read from disk per second")),
            (self.memory, self.tr("Memory"), self.tr("Memory that the engine has allocated by its plan, against its limit")),
            (
                self.drafts,
                self.tr("Drafts kept"),
                self.tr("Share of the drafted tokens that the model agreed with, and what that gains, by the engine's estimate"),
            ),
        )
        readings = self._readings()
        for tile, label, help_text in spoken:
            tile.retranslate(label, help_text, readings[tile])
        if self._snapshot is not None:
            self.show_counters(self._snapshot)
        self.show_drives(self._volumes)
        self.show_model(self._info)
        self._fit()

    def _speed_name(self) -> str:
        return self.tr("Reading the prompt") if self._reads else self.tr("Speed")

    def _readings(self) -> dict[Tile, Reading]:
        r, (used, budget) = self._rates, self._memory
        return {
            self.speed: speed(r.prompt if self._reads else r.tokens),
            self.hits: percent(r.hits),
            self.disk: flow(r.disk),
            self.memory: memory(used, budget) if budget else Reading(None, DASH),
            self.drafts: kept(r.accepted, r.gain),
        }

    def add_button(self, button: QWidget) -> None:
        """Put a button at the end of the row."""
        self._button = button
        self._row.addWidget(button, 0, Qt.AlignmentFlag.AlignBottom)  # where it stays when the gauges grow

    def set_tall(self, tall: bool) -> None:
        """Give the lines more room, or less."""
        for tile in self.tiles:
            tile.set_tall(tall)

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        for tile in self.tiles:
            tile.set_theme(theme)
        self._fit()

    def show_rates(self, rates: Rates, live: bool, reading_prompt: bool = False) -> None:
        """Show rates; live: they are of this moment, else averages over the last answer."""
        self._rates, self._reads = rates, reading_prompt
        self.speed.set_label(self._speed_name())
        for tile, reading in self._readings().items():
            if tile is not self.memory:
                tile.show_reading(reading, live)
        self.show_memory(rates)

    def show_counters(self, snapshot: Snapshot) -> None:
        """Say in the tool tip what reading ahead does."""
        self._snapshot = snapshot
        self.hits.set_details(gauge_details.ahead(snapshot))

    def show_drives(self, volumes: Sequence[VolumeCounters]) -> None:
        """Say in the tool tip what each drive does."""
        self._volumes = tuple(volumes)
        self.disk.set_details(gauge_details.drives(volumes))

    def show_model(self, info: ModelInfo | None) -> None:
        """Say in the tool tip how memory is held."""
        self._info = info
        self.memory.set_details(gauge_details.held(info))

    def show_memory(self, rates: Rates) -> None:
        """Show memory alone, which is also known while the engine rests."""
        if rates.memory is not None and rates.budget:
            self._memory = rates.memory, rates.budget
            self.memory.show_reading(memory(rates.memory, rates.budget), False)
            self._fit()

    def clear(self) -> None:
        """A model was closed: nothing is measured."""
        self._clear()
        for tile in self.tiles:
            tile.clear()
            tile.set_details("")

    def _clear(self) -> None:
        self._rates, self._reads, self._memory = Rates(), False, (0, 0)
        self._snapshot, self._volumes, self._info = None, (), None
