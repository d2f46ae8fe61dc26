"""Settings with which a model is opened."""

from PySide6.QtWidgets import QWidget

from app.views.settings.page import SettingsPage
from engine import paths

LEAST_CONTEXT, MOST_CONTEXT = 256, 1_000_000
GB = 1_000_000_000


class EnginePage(SettingsPage):
    """How models are opened."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Engine"))
        tip, usual = self.tr("Tokens that a conversation can have"), self.tr("What fits the memory limit")
        self.whole("context", self.tr("Context"), LEAST_CONTEXT, MOST_CONTEXT, usual, tip, self.tr(" tokens"))
        kinds = (("auto", self.tr("In full")), ("q8", self.tr("In 8 bits: half the memory for the same context")))
        self.choice("kv", self.tr("Memory of the conversation"), kinds, expert=True)
        sizes = ((n * GB, self.tr("Up to {0} GB").format(n)) for n in (1, 2, 5, 20))
        none = (0, self.tr("None: read again"))
        self.choice("states_bytes", self.tr("Chats ready to go on, on disk"), (none, *sizes), expert=True)
        self.whole("threads", self.tr("Threads"), 1, 256, self.tr("One per core"), self.tr("Threads that compute"), expert=True)
        tip = self.tr("Faster where text repeats; the answer is the same")
        self.flag("draft", self.tr("Draft ahead from what was written already"), tip, expert=True)
        tip = self.tr("A small model with the same tokenizer, in memory beside models that it fits; asked where that is measured to gain")
        there = ((str(path), path.name.removesuffix(paths.SUFFIX)) for path in paths.installed_models())
        self.choice("draft_model", self.tr("Draft model"), (("", self.tr("None")), *there), tip, expert=True)
        tip = self.tr("Slower, and without rounding of activations to 8 bits")
        self.flag("exact", self.tr("Exact arithmetic"), tip, expert=True)
        self.hint(self.tr("These take effect when the model is loaded again; the model bar says so."))
