"""One window a home folder: later starts, kills, other folders."""

import json
import signal
from pathlib import Path

import pytest
from PySide6.QtNetwork import QLocalSocket
from pytestqt.qtbot import QtBot

from app.single import LONGEST, Single, socket_name, take_or_hand_over
from tests.app.processes import begin, end, line


@pytest.fixture(autouse=True)
def short_sockets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)


def test_that_later_starts_hand_over_also_after_a_kill(ouzel_home: Path, starter_home: Path) -> None:
    first = begin(ouzel_home, "stay")
    assert line(first) == "started"
    second = begin(ouzel_home, "open", starter_home)
    out, err = second.communicate(timeout=100)
    assert second.returncode == 0 and out == "", err
    assert [line(first), line(first)] == [f"opened {starter_home}", f"came {starter_home}"]
    first.send_signal(signal.SIGKILL)
    first.communicate(timeout=100)
    third = begin(ouzel_home, "stay")
    assert line(third) == "started"
    fourth = begin(ouzel_home, "open")
    fourth.communicate(timeout=100)
    assert fourth.returncode == 0 and line(third) == "came "
    end(third)


def test_that_another_home_is_another_ouzel(tmp_path: Path) -> None:
    ours, others = Single(tmp_path / "a"), Single(tmp_path / "b")
    assert take_or_hand_over(ours, "", 0) and take_or_hand_over(others, "", 0) and ours.name != others.name
    ours.close()
    others.close()
    assert socket_name(tmp_path / "a" / ".." / "a") == ours.name


def test_that_a_holder_that_does_not_answer_is_told(tmp_path: Path) -> None:
    deaf = Single(tmp_path)
    assert take_or_hand_over(deaf, "") is True
    assert take_or_hand_over(Single(tmp_path), "/m/a.ouzel", patience=0.2) is None
    deaf.close()
    later = Single(tmp_path)
    assert take_or_hand_over(later, "", patience=0.2) is True
    later.close()


def test_that_a_folder_that_cannot_be_written_opens_a_window_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    single = Single(tmp_path / "file")
    assert single.take() is True
    single.listen()
    single.close()


@pytest.mark.parametrize("sent", [b"\xff\xfe\n", b"[]\n", b'{"open": 7, "token": ""}\n', b"x" * (LONGEST + 1)])
def test_that_nonsense_is_not_opened(qtbot: QtBot, tmp_path: Path, sent: bytes) -> None:
    single, asked = Single(tmp_path), []
    assert single.take()
    single.listen()
    single.asked.connect(lambda path, token: asked.append(path))
    for message in (sent, json.dumps({"open": "/good", "token": "t"}).encode() + b"\n"):
        socket = QLocalSocket()
        socket.connectToServer(single.name)
        socket.write(message)
        qtbot.waitUntil(lambda s=socket: s.state() == QLocalSocket.LocalSocketState.UnconnectedState, timeout=60_000)
    assert asked == ["/good"]
    single.close()
