"""German: complete, with the same places for values, and used by the window."""

import re
from collections import Counter
from pathlib import Path

import pytest
from PySide6.QtCore import QLocale, QTranslator
from pytestqt.qtbot import QtBot

from app import language, settings, translations
from app.main import SETTINGS
from app.settings import Settings
from app.translations import FILES, Text, read, unfinished
from tests.app.spoken import everything_said
from tests.app.window import opened

GERMAN = FILES / "ouzel_de.ts"
PLACES = re.compile(r"\{[^{}]*\}|%n|\n")
UNCHANGED = 45  # names, formats and words that both languages share


def test_that_german_has_every_text_of_the_source(found_texts: list[Text]) -> None:
    have = {(t.context, t.source): t for t in read(GERMAN)}
    missing = [t for t in found_texts if (t.context, t.source) not in have]
    assert [(t.context, t.source) for t in missing] == [], "run: python -m app.translations, and translate what it names"
    assert [(t.context, t.source) for t in unfinished(list(have.values()))] == []
    assert len(have) > 500


def test_that_every_translation_has_the_places_of_its_source() -> None:
    for text in read(GERMAN):
        for form in text.forms:
            assert Counter(PLACES.findall(form)) == Counter(PLACES.findall(text.source)), (text.source, form)
            assert form[:1].isspace() == text.source[:1].isspace() and form[-1:].isspace() == text.source[-1:].isspace(), text.source
            assert text.source.endswith("…") == form.endswith("…") or "…" not in text.source + form, (text.source, form)
        assert len(text.forms) == (2 if text.numerus else 1)


def test_that_german_is_german_and_addresses_nobody() -> None:
    texts = read(GERMAN)
    assert sum(t.forms == (t.source,) for t in texts) <= UNCHANGED
    words = {w for t in texts for f in t.forms for w in re.findall(r"\w+", f.lower())}
    assert words.isdisjoint({"du", "dein", "deine", "dich", "dir", "the", "your", "you"}) and {"der", "wird", "nicht"} <= words


@pytest.mark.parametrize("name", ["ouzel_de", "ouzel_en"])
def test_that_the_file_that_the_window_reads_is_made_of_the_newest_words(name: str) -> None:
    """Run python -m app.translations where this fails."""
    translator = QTranslator()
    assert translator.load(str(FILES / f"{name}.qm"))
    for text in read(FILES / f"{name}.ts"):
        for n, form in zip((1, 2) if text.numerus else (-1,), text.forms, strict=True):
            said = translator.translate(text.context, text.source, text.comment or None, n)
            assert said == form, text.source


def test_that_plurals_follow_the_number(qapp: object) -> None:
    from app.views.settings.dialog import SettingsDialog
    from engine.config import Sampling

    try:
        for spoken, one, two in (("en", "1 setting that is", "2 settings that are"), ("de", "1 Einstellung, die", "2 Einstellungen, die")):
            language.install(spoken)
            for wanted, told in ((Settings(top_k=5), one), (Settings(top_k=5, seed=1), two)):
                assert SettingsDialog(wanted, Sampling()).hidden.text().startswith(told)
    finally:
        language.install("en")


def test_that_the_window_speaks_german_with_german_numbers(qtbot: QtBot, starter_home: Path, ouzel_home: Path) -> None:
    settings.save(ouzel_home / SETTINGS, Settings(language="de"))
    try:
        with opened(qtbot) as d:
            d.wait_ready()
            assert d.main.model_bar.status.text().startswith("Bereit · ") and d.main.model_bar.button.text() == "Entladen"
            d.main.show_settings()
            english = {t.source for t in read(GERMAN) if t.forms != (t.source,) and len(t.source) > 3}
            assert [(where, text) for where, text in everything_said([d.main]) if text in english] == []
            assert QLocale().toString(1.5) == "1,5"
    finally:
        language.install("en")


def test_that_a_new_text_is_found_and_a_gone_one_goes(tmp_path: Path) -> None:
    """The tool on a small source."""
    (tmp_path / "app").mkdir()
    module = tmp_path / "app" / "page.py"
    lines = (
        "from PySide6.QtCore import QCoreApplication\n\n\ndef _tr(text: str) -> str:\n"
        '    return QCoreApplication.translate("Pages", text)\n\n\nclass Page:\n    def say(self) -> None:\n'
        '        self.tr("Hello {0}")\n        self.tr("%n file(s)", "", 2)\n        _tr("Own")\n'
    )
    module.write_text(lines, encoding="utf-8")
    target = tmp_path / "x_de.ts"
    translations.extract(target, tmp_path)
    found = {(t.context, t.source, t.numerus) for t in read(target) if t.context != "Catalogue"}
    assert found == {("Page", "Hello {0}", False), ("Page", "%n file(s)", True), ("Pages", "Own", False)}
    text = target.read_text(encoding="utf-8")
    assert text.count('<translation type="unfinished"></translation>') > 1
    module.write_text(lines.replace('        self.tr("Hello {0}")\n', ""), encoding="utf-8")
    translations.extract(target, tmp_path)
    assert "Hello {0}" not in {t.source for t in read(target)}
    module.write_text(lines.replace('_tr("Own")', "_tr(self.name)"), encoding="utf-8")
    with pytest.raises(ValueError, match="literal"):
        translations.extract(target, tmp_path)


def test_that_what_the_engine_says_is_found(tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "engine").mkdir()
    module, target = tmp_path / "engine" / "told.py", tmp_path / "x_de.ts"
    module.write_text(
        'from engine.words import plural, say\n\nA = say("{a} is " "gone", a=1)\nB = plural(2, "One", "{n} more")\n', encoding="utf-8"
    )
    translations.extract(target, tmp_path)
    assert {t.source for t in read(target) if t.context == "Engine"} == {"{a} is gone", "One", "{n} more"}
    module.write_text("from engine.words import say\n\nA = say(WORDS, a=1)\n", encoding="utf-8")
    with pytest.raises(ValueError, match="literal"):
        translations.extract(target, tmp_path)
