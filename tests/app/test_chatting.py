"""Messages edited, answered again, gone on with, deleted; options of a chat; files; a full context: with the real starter model."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit, QPlainTextEdit, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from app.chats.options import ChatOptions
from app.chats.records import Attached
from app.settings import Settings
from app.state import Phase
from engine.config import Sampling
from engine.requests import CountTokens, Generate, LoadModel, Message
from tests.app.window import Driver, opened

LONG = "Write a very long story about a river."  # its answers are cut long before they end
SHORT = ChatOptions(max_tokens=6, seed=3)


@pytest.fixture
def d(qtbot: QtBot, starter_home: Path) -> Iterator[Driver]:
    with opened(qtbot) as driver:
        driver.wait_ready()
        yield driver


def request(d: Driver) -> Generate:
    found = d.last(Generate)
    assert isinstance(found, Generate)
    return found


def spoken(d: Driver) -> list[tuple[str, str]]:
    return [(m.role, m.content) for m in request(d).messages]


def texts(d: Driver) -> list[str]:
    return [t.text for t in d.main.transcript.turns]


def act(d: Driver, number: int, name: str) -> None:
    """Click an action of a message, as with the keyboard on it."""
    view = d.main.transcript
    d.wait(lambda: view.settled)  # a busy machine builds it over several turns of the event loop
    view.message_actions.hover(number)
    button = view.bar.buttons[name]
    assert button.isVisible() and button.isEnabled(), name
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def until_answered(d: Driver, before: int) -> None:
    d.wait(lambda: len(d.finished) > before and d.phase is Phase.READY)


def numbers(d: Driver) -> list[int]:
    return [t.number for t in d.main.transcript.turns]


def begin(d: Driver, options: ChatOptions = SHORT) -> None:
    """A new chat with these options."""
    d.click(d.main.sidebar.new_button)
    d.chats.set_options(options)


def test_that_messages_are_edited_answered_again_gone_on_with_and_deleted(d: Driver) -> None:
    begin(d)
    d.ask("One")
    first = texts(d)[1]
    d.ask(LONG)
    one, answer, two, last = numbers(d)

    # Answer again: the same question, another version beside the first.
    d.chats.set_options(replace(SHORT, seed=4, temperature=1.5))
    before = len(d.finished)
    act(d, last, "again")
    until_answered(d, before)
    assert spoken(d) == [("user", "One"), ("assistant", first), ("user", LONG)] and request(d).sampling.seed == 4
    d.wait(lambda: d.main.transcript.settled)
    assert d.main.transcript.turns[-1].branch == (2, 2) and "2 of 2" in d.main.transcript.toPlainText()
    newer = numbers(d)[-1]
    d.main.transcript.branch_asked.emit(numbers(d)[-1], -1)
    assert d.main.transcript.turns[-1].branch == (1, 2) and numbers(d)[-1] == last != newer

    # Edit the first message: a new branch; the old one stays.
    act(d, one, "edit")
    assert d.main.composer.edit_cancel.isVisible() and d.main.composer.field.toPlainText() == "One"
    QTest.keyClicks(d.main.composer.field, " more")
    before = len(d.finished)
    QTest.keyClick(d.main.composer.field, Qt.Key.Key_Return)
    until_answered(d, before)
    assert spoken(d) == [("user", "One more")] and texts(d)[0] == "One more" and len(texts(d)) == 2
    assert d.main.transcript.turns[0].branch == (2, 2) and not d.main.composer.edit_cancel.isVisible()
    d.main.transcript.branch_asked.emit(numbers(d)[0], -1)
    assert texts(d)[:3] == ["One", first, LONG]

    # Go on with an answer that was cut: the model gets it as its own beginning, and what comes is put behind it.
    cut = texts(d)[-1]
    before = len(d.finished)
    act(d, last, "continue")
    until_answered(d, before)
    assert request(d).continued and spoken(d)[-1] == ("assistant", cut)
    assert texts(d)[-1].startswith(cut) and len(texts(d)[-1]) > len(cut) and numbers(d)[-1] == last

    # Delete takes what follows with it, and comes back.
    act(d, two, "delete")
    assert texts(d) == ["One", first]
    d.click(d.main.notice.action)
    assert len(texts(d)) == 4 and numbers(d)[1] == answer


def test_that_a_cut_answer_gone_on_with_is_the_whole_one(d: Driver) -> None:
    begin(d, ChatOptions(max_tokens=24, seed=9))
    whole = d.ask(LONG)
    begin(d, ChatOptions(max_tokens=10, seed=9))
    part = d.ask(LONG)
    assert whole.startswith(part) and part != whole and "Cut" in d.main.transcript.turns[-1].note
    d.chats.set_options(ChatOptions(max_tokens=14, seed=9))
    before = len(d.finished)
    act(d, numbers(d)[-1], "continue")
    until_answered(d, before)
    assert texts(d)[-1] == whole and "24 tokens" in d.main.transcript.turns[-1].note
    assert [m.content for m in d.chats.messages()] == texts(d)


def test_that_escape_and_up_arrow_begin_and_end_an_edit_without_losing_what_was_written(d: Driver) -> None:
    begin(d)
    d.ask("A question")
    field = d.main.composer.field
    QTest.keyClick(field, Qt.Key.Key_Up)
    assert field.toPlainText() == "A question" and d.main.composer.replaces == numbers(d)[0]
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert field.toPlainText() == "" and d.main.composer.replaces is None
    QTest.keyClicks(field, "half a thought")
    act(d, numbers(d)[0], "edit")
    d.click(d.main.composer.edit_cancel)
    assert field.toPlainText() == "half a thought"
    chat = d.chats.current
    d.click(d.main.sidebar.new_button)
    assert field.toPlainText() == ""
    d.chats.open_chat(chat or 0)
    assert field.toPlainText() == "half a thought", "each chat keeps its own draft"


def set_field(dialog: QWidget, name: str, value: str) -> None:
    """Type into a field as a person does."""
    field = dialog.fields[name]  # type: ignore[attr-defined]
    field.setFocus()
    if isinstance(field, QLineEdit):
        field.selectAll()
        QTest.keyClicks(field, value)
        QTest.keyClick(field, Qt.Key.Key_Return)
    elif isinstance(field, QPlainTextEdit):
        QTest.keyClicks(field, value)


VALUES = {
    "temperature": ("0.35", 0.35),
    "top_p": ("0.8", 0.8),
    "top_k": ("12", 12),
    "min_p": ("0.1", 0.1),
    "repetition_penalty": ("1.25", 1.25),
    "max_tokens": ("5", 5),
    "seed": ("11", 11),
    "stop": ("zebra", ("zebra",)),
}


def test_that_each_option_of_a_chat_reaches_its_requests_and_no_other_chats(d: Driver) -> None:
    begin(d, ChatOptions())
    d.click(d.main.composer.options)
    dialog = d.main.desk.dialog
    assert dialog is not None
    defaults = d.engine.defaults
    for name in ("temperature", "top_p", "top_k", "min_p", "repetition_penalty"):
        field = dialog.fields[name]
        assert isinstance(field, QLineEdit) and field.placeholderText() == f"{getattr(defaults, name):g}" and field.text() == ""
    for name, (typed, _) in VALUES.items():
        set_field(dialog, name, typed)
    set_field(dialog, "system_prompt", "Be brief.")
    dialog.close()
    d.ask("hi")
    sampling = request(d).sampling
    assert {name: getattr(sampling, name) for name in VALUES} == {name: value for name, (_, value) in VALUES.items()}
    assert spoken(d)[0] == ("system", "Be brief.") and d.finished[-1].answer_tokens <= 5 and d.finished[-1].seed == 11
    chat = d.chats.current
    d.click(d.main.sidebar.new_button)
    assert d.chats.options == ChatOptions() and request(d).sampling != ChatOptions().sampling(d.engine.settings, defaults)
    d.chats.open_chat(chat or 0)
    assert d.chats.options.temperature == 0.35


def test_that_a_stop_string_ends_the_answer_and_presets_bring_options_back(d: Driver) -> None:
    begin(d, ChatOptions(max_tokens=30, seed=9))
    whole = d.ask(LONG)
    word = whole.split()[3]
    begin(d, ChatOptions(max_tokens=30, seed=9))
    d.click(d.main.composer.options)
    dialog = d.main.desk.dialog
    assert dialog is not None
    set_field(dialog, "stop", word)
    dialog.keep_preset("Short ones")
    dialog.close()
    assert d.ask(LONG) == whole[: whole.index(word)] and d.finished[-1].reason == "stop"
    begin(d, ChatOptions())
    d.click(d.main.composer.options)
    dialog = d.main.desk.dialog
    assert dialog is not None
    box: QComboBox = dialog.presets
    box.setFocus()
    QTest.keyClick(box, Qt.Key.Key_Down)
    box.activated.emit(box.currentIndex())
    assert d.chats.options == ChatOptions(max_tokens=30, seed=9, stop=(word,))
    d.click(dialog.remove_preset)
    assert d.chats.store.presets() == {}
    dialog.close()


@pytest.mark.parametrize(("typed", "taken"), [("0,5", 0.5), ("", None), ("abc", None), ("99", None), ("-1", None)])
def test_that_an_impossible_number_is_not_taken(qtbot: QtBot, typed: str, taken: float | None) -> None:
    from app.views.chat_options import ChatOptionsDialog

    dialog = ChatOptionsDialog(ChatOptions(), Settings(), Sampling(), False, {})
    qtbot.addWidget(dialog)
    dialog.show()
    field = dialog.fields["temperature"]
    assert isinstance(field, QLineEdit)
    field.setText(typed)
    field.editingFinished.emit()
    assert dialog.options.temperature == taken and field.text() == ("" if taken is None else "0.5")


def counted(d: Driver) -> int:
    """The tokens that the meter shows, once nothing is being counted."""
    d.wait(lambda: not d.main.desk.count._timer.isActive() and not d.main.desk.count._request and d.main.composer.meter.isVisible())
    return int(d.main.composer.meter.text.split(" of ")[0].replace(",", ""))


def test_that_the_meter_shows_what_the_model_will_read(d: Driver) -> None:
    begin(d)
    d.main.composer.field.setPlainText("How many tokens are these?")
    before = counted(d)
    d.ask("")  # Return sends what is there
    assert d.finished[-1].prompt_tokens == before
    after = counted(d)
    assert after > before
    QTest.keyClicks(d.main.composer.field, "And these?")
    d.wait(lambda: counted(d) > after)
    before = counted(d)
    d.ask("")
    assert d.finished[-1].prompt_tokens == before
    info = d.engine.state.info
    assert info is not None and d.main.composer.meter.text.endswith(f" of {info.context:,} tokens")
    assert f"{info.context:,}" in d.main.composer.meter.accessibleDescription()


def drop(d: Driver, *paths: Path) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(p)) for p in paths])
    event = QDropEvent(QPoint(30, 20), Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    d.main.composer.dropEvent(event)


def paste(d: Driver, *paths: Path) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(p)) for p in paths])
    QGuiApplication.clipboard().setMimeData(mime)
    d.main.composer.field.setFocus()
    QTest.keyClick(d.main.composer.field, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    QGuiApplication.clipboard().clear()  # it must not outlive Python's end


@pytest.mark.parametrize("way", [drop, paste])
def test_that_files_reach_the_model_with_their_cost_told_before(d: Driver, way: Callable[..., None], tmp_path: Path) -> None:
    begin(d)
    notes, picture = tmp_path / "notes é.txt", tmp_path / "picture.png"
    notes.write_text("The ouzel walks under water.\n", encoding="utf-8")
    picture.write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    way(d, notes, picture)
    d.wait(lambda: d.main.composer.files == (Attached("notes é.txt", "The ouzel walks under water.\n"),))
    assert "picture.png" in d.main.notice.label.text()
    d.wait(lambda: d.main.desk.count._costs.get(d.main.composer.files[0], 0) > 5)
    cost = d.main.desk.count._costs[d.main.composer.files[0]]
    chip = d.main.composer.chips.findChild(QWidget, "chip")
    assert chip is not None and any(f"{cost} tokens" in label.text() for label in chip.children() if hasattr(label, "text"))
    QTest.keyClicks(d.main.composer.field, "What is it about?")
    before = counted(d)
    d.ask("")
    assert d.finished[-1].prompt_tokens == before > cost
    assert spoken(d)[-1][1] == "notes é.txt:\n```\nThe ouzel walks under water.\n```\n\nWhat is it about?"
    assert "notes é.txt" in d.main.transcript.toPlainText() and d.main.composer.files == ()
    act(d, numbers(d)[0], "edit")
    assert len(d.main.composer.files) == 1, "an edit has the files too"
    remove = d.main.composer.chips.findChild(QToolButton)
    assert remove is not None
    d.click(remove)
    assert d.main.composer.files == ()


def test_that_a_full_context_is_a_choice_and_nothing_is_cut_unasked(d: Driver) -> None:
    d.engine.change_settings(replace(d.engine.settings, context=256))
    d.press("Reload", d.main.model_bar)
    d.wait_ready()
    begin(d)
    for n in range(3):
        d.ask(f"Number {n}: " + "river stone " * 8)
    d.main.composer.field.setPlainText("water " * 150)
    bar = d.main.context_bar
    d.wait(bar.isVisible)
    assert [b.isVisible() for b in (bar.shorten, bar.new, bar.larger)] == [True, True, True] and "256" in bar.label.text()
    sent = len([r for r in d.requests if isinstance(r, Generate)])
    QTest.keyClick(d.main.composer.field, Qt.Key.Key_Return)
    d.wait(lambda: d.main.notice.isVisible() and d.phase is Phase.READY)
    assert bar.isVisible() and d.main.composer.field.toPlainText() == "water " * 150, "it is refused, and goes back"
    assert len(request(d).messages) == 7 and len([r for r in d.requests if isinstance(r, Generate)]) == sent + 1
    d.main.notice.hide()
    d.main.composer.field.setPlainText("water " * 60)
    d.wait(lambda: not d.main.desk.count._timer.isActive() and not d.main.desk.count._request)
    d.main.desk.choice.offer(True)
    d.click(bar.shorten)
    d.wait(lambda: d.chats.start is not None and d.main.transcript.settled)
    assert "no longer given" in d.main.transcript.toPlainText() and not bar.isVisible()
    d.ask("")
    assert len(request(d).messages) < 7 and request(d).messages[0].content.startswith("Number"), "the oldest are left out, whole"
    assert len(texts(d)) == 8, "all are still shown"
    d.main.transcript.all_asked.emit()
    d.wait(lambda: d.main.transcript.settled)
    assert d.chats.start is None and "no longer given" not in d.main.transcript.toPlainText()
    d.main.composer.field.setPlainText("water " * 300)
    d.wait(bar.isVisible)
    d.click(bar.larger)
    d.wait_ready()
    loaded = d.last(LoadModel)
    assert isinstance(loaded, LoadModel) and loaded.config.context == 512
    d.main.composer.field.setPlainText("water " * 600)
    d.wait(bar.isVisible)
    d.click(bar.new)
    assert d.chats.current is None and d.main.composer.field.toPlainText() == "water " * 600


def test_that_thinking_reaches_the_request(d: Driver) -> None:
    begin(d)
    assert not d.main.composer.thinking.isVisible(), "the starter has no such switch"
    info = d.engine.state.info
    assert info is not None
    d.engine.state = replace(d.engine.state, info=replace(info, can_think=True))
    d.engine.changed.emit()
    d.click(d.main.composer.thinking)
    assert d.chats.options.thinking is False
    d.ask("hi")
    assert request(d).thinking is False
    d.main.desk.show_options()
    assert d.main.desk.dialog is not None and "thinking" in d.main.desk.dialog.fields
    d.main.desk.dialog.close()
    d.click(d.main.composer.thinking)
    d.ask("hi")
    assert request(d).thinking is True


def test_that_counts_never_get_in_the_way_of_an_answer(d: Driver) -> None:
    begin(d)
    d.main.composer.field.setPlainText("hello " * 50)
    d.main.desk.count._ask()
    d.ask("")
    assert any(isinstance(r, CountTokens) for r in d.requests) and d.finished[-1].reason in ("length", "end")
    assert request(d).messages[-1] == Message("user", "hello " * 50)
    QApplication.processEvents()
