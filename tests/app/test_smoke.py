"""`ouzel --smoke`, from the source: the same check that each bundle must pass."""

import os
import subprocess
import sys
from pathlib import Path

from PySide6.QtGui import QImage

ROOT = Path(__file__).parents[2]


def smoke(picture: Path, **env: str) -> subprocess.CompletedProcess[str]:
    given = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT), **env}
    command = [sys.executable, "-m", "engine.cli", "--smoke", str(picture)]
    return subprocess.run(command, env=given, cwd=picture.parent, capture_output=True, text=True, check=False)


def test_that_it_chats_and_draws_and_leaves_the_users_data_alone(starter: Path, ouzel_home: Path, tmp_path: Path) -> None:
    model = ouzel_home / "models" / "starter.ouzel"
    model.parent.mkdir()
    model.symlink_to(starter, target_is_directory=True)
    picture = tmp_path / "Bild ü.png"
    done = smoke(picture)
    assert (done.returncode, done.stderr) == (0, "")
    assert "8 tokens as they must be" in done.stdout and str(picture) in done.stdout
    image = QImage(str(picture))
    assert image.width() >= 600 and image.height() >= 400
    assert sorted(p.name for p in ouzel_home.rglob("*")) == ["models", "starter.ouzel"]


def test_that_it_says_what_failed(starter: Path, ouzel_home: Path, tmp_path: Path) -> None:
    done = smoke(tmp_path / "a.png")
    assert done.returncode == 1 and "no starter model" in done.stderr and "ouzel chat" in done.stderr
    model = ouzel_home / "models" / "starter.ouzel"
    model.mkdir(parents=True)
    for file in starter.iterdir():
        (model / file.name).symlink_to(file)
    (model / "tokenizer.json").unlink()
    (model / "tokenizer.json").write_text("{}")
    done = smoke(tmp_path / "a.png")
    assert done.returncode == 1 and "did not open" in done.stderr and not (tmp_path / "a.png").exists()
