"""Joins the jobs with the window: the way to them, the message when one is done, and the end."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from app.desktop import Desktop
from app.jobs.control import JobsControl
from app.views.main_window import MainWindow
from app.wizard.awake import Awake

if TYPE_CHECKING:
    from app.jobs.window import JobsWindow
    from engine.batch.jobs import Job


class JobsHost(QObject):
    """One a window. What it shows is imported when it is asked for."""

    def __init__(self, main: MainWindow, desktop: Desktop) -> None:
        super().__init__(main)
        self._main, self._desktop = main, desktop
        self.control = JobsControl(main.engine)
        self.window: JobsWindow | None = None
        self.awake = Awake(self)
        main.sidebar.jobs_asked.connect(self.show)
        main.jobs_asked.connect(self.show)
        main.closing.connect(self.close)
        main.retranslated.connect(self._retranslate)
        self.control.finished.connect(self._on_finished)
        self.control.changed.connect(self._on_changed)

    @Slot()
    def show(self) -> None:
        """Bring the jobs up."""
        from app.jobs.window import JobsWindow  # noqa: PLC0415

        if self.window is None:
            self.window = JobsWindow(self._main.engine, self.control, self._main)
        self.window.show()
        self.window.raise_()
        self.window.activateWindow()

    @Slot()
    def _retranslate(self) -> None:
        """The window is made anew of what the control knows, unless somebody is asked something in it."""
        old = self.window
        if old is None or old.form is not None or (old.box is not None and old.box.isVisible()):
            return
        place, shown = old.geometry(), old.isVisible()
        old.hide()
        old.deleteLater()
        self.window = None
        if shown:
            self.show()
            if self.window is not None:
                self.window.setGeometry(place)

    @Slot()
    def close(self) -> None:
        """Stop; what is half done is kept."""
        self.awake.close()
        self.control.close()
        if self.window is not None:
            self.window.close()

    @Slot()
    def _on_changed(self) -> None:
        self.awake.want(self.control.busy and self._main.engine.settings.keep_awake)

    @Slot(object)
    def _on_finished(self, job: "Job") -> None:
        if self._main.engine.settings.notify:
            self._desktop.tell(self.tr("The job “{0}” is done.").format(job.name), self.show)
