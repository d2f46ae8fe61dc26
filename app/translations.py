"""Brings resources/i18n up to date with the words of the source, and tells what is left to translate: python -m app.translations.

Qt's lupdate finds the words and keeps what was translated before, its lrelease makes the files that the window reads. lupdate knows
self.tr("words") in a class and translate("Context", "words"); modules with a `tr` of their own are shown to it in that form, and so is
what the catalogue says about its models.
"""

import ast
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree

import PySide6

from app.language import NAMES
from app.wizard.catalogue_view import CATALOGUE
from engine.setup.catalogue import catalogue

ROOT = Path(__file__).parent.parent
FILES = ROOT / "resources" / "i18n"
TOOLS = Path(PySide6.__file__).parent  # lupdate and lrelease come with Qt's wheels
PLURALS_ONLY = "en"


@dataclass(frozen=True, slots=True)
class Text:
    """A text of the window. forms: its translations, more than one where they depend on a number; none where there is none yet."""

    context: str
    source: str
    comment: str
    numerus: bool
    forms: tuple[str, ...]


def sources(root: Path = ROOT) -> Iterator[Path]:
    """The window's modules."""
    return (p for p in sorted((root / "app").rglob("*.py")) if p.name != Path(__file__).name)


def wrappers(root: Path = ROOT) -> dict[tuple[str, str], str]:
    """The functions that translate with a context of their own: (module, name) to the context."""
    found = {}
    for path in sources(root):
        module = ".".join(path.relative_to(root).with_suffix("").parts)
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name in ("tr", "_tr"):
                calls = (n for n in ast.walk(node) if isinstance(n, ast.Call) and ast.unparse(n.func) == "QCoreApplication.translate")
                context = next(calls).args[0]
                assert isinstance(context, ast.Constant)
                found[module, node.name] = str(context.value)
    return found


def for_lupdate(text: str, module: str, known: Mapping[tuple[str, str], str]) -> str:
    """A module's text with every call of such a function written as QCoreApplication.translate. Raises ValueError: words not literal."""
    tree = ast.parse(text)
    names = {name: context for (owner, name), context in known.items() if owner == module}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            names |= {a.asname or a.name: known[node.module or "", a.name] for a in node.names if (node.module or "", a.name) in known}
    inside = {id(n) for f in tree.body if isinstance(f, ast.FunctionDef) and f.name in ("tr", "_tr") for n in ast.walk(f)}
    lines = text.encode().splitlines(keepends=True)
    noops = (n for n in ast.walk(tree) if isinstance(n, ast.Call) and ast.unparse(n.func) == "QT_TRANSLATE_NOOP")
    marked = {"CATALOGUE", *(ast.unparse(n.args[0]) for n in noops)}
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and id(n) not in inside]
    for call in sorted(calls, key=lambda n: (n.func.lineno, n.func.col_offset), reverse=True):
        function, name = call.func, ast.unparse(call.func)
        own = isinstance(function, ast.Name) and function.id in names
        if not own and name not in ("self.tr", "QCoreApplication.translate"):
            if name.endswith(".tr"):
                raise ValueError(f"{module}, line {call.lineno}: {name} is found under no class; use QCoreApplication.translate")
            continue
        if name == "QCoreApplication.translate" and ast.unparse(call.args[0]) in marked:
            continue  # its words are marked elsewhere
        if not all(isinstance(a, ast.Constant) and isinstance(a.value, str) for a in call.args[: 2 if name.endswith("translate") else 1]):
            raise ValueError(f"{module}, line {call.lineno}: only literal words can be translated")
        if own:
            at, end = function.col_offset, function.end_col_offset or 0
            line = lines[function.lineno - 1]
            call_words = f'QCoreApplication.translate("{names[name]}", '.encode()
            lines[function.lineno - 1] = line[:at] + call_words + line[end:].replace(b"(", b"", 1)
    return b"".join(lines).decode()


def extract(target: Path, root: Path = ROOT, plurals_only: bool = False) -> None:
    """Bring the file `target` (.ts) up to date with the source; what was translated stays, what is gone goes."""
    known = wrappers(root)
    with TemporaryDirectory() as folder:
        shown = []
        for path in sources(root):
            module = path.relative_to(root).with_suffix("").parts
            copy = Path(folder, *module).with_suffix(".py")
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(for_lupdate(path.read_text(encoding="utf-8"), ".".join(module), known), encoding="utf-8")
            shown.append(str(copy))
        abouts = Path(folder, "catalogue.py")
        calls = (f"QCoreApplication.translate({CATALOGUE!r}, {json.dumps(e.about, ensure_ascii=False)})\n" for e in catalogue())
        abouts.write_text("".join(calls), encoding="utf-8")
        shown.append(str(abouts))
        options = ["-silent", "-no-obsolete", "-locations", "none", "-disable-heuristic", "similartext", "-source-language", "en"]
        _run("lupdate", *(["-pluralonly"] if plurals_only else []), *options, *shown, "-ts", str(target))


def release(source: Path, target: Path) -> None:
    """Make of a .ts file the .qm file that the window reads."""
    _run("lrelease", "-silent", str(source), "-qm", str(target))


def read(path: Path) -> list[Text]:
    """What a .ts file holds."""
    found = []
    for context in ElementTree.parse(path).getroot().iter("context"):
        for message in context.iter("message"):
            translation, numerus = message.find("translation"), message.get("numerus") == "yes"
            forms: tuple[str, ...] = ()
            if translation is not None and translation.get("type") is None:
                forms = tuple(f.text or "" for f in translation.iter("numerusform")) if numerus else (translation.text or "",)
            name, source, comment = (e.findtext(t) or "" for e, t in ((context, "name"), (message, "source"), (message, "comment")))
            found.append(Text(name, source, comment, numerus, forms))
    return found


def unfinished(texts: list[Text]) -> list[Text]:
    """Those without a translation, or with a form that is empty."""
    return [t for t in texts if not t.forms or not all(t.forms)]


def _run(tool: str, *arguments: str) -> None:
    done = subprocess.run([TOOLS / tool, *arguments], capture_output=True, text=True, check=False)
    if done.returncode or done.stderr.strip():
        raise RuntimeError(f"{tool}: {done.stderr or done.stdout}")


def main() -> int:
    """Bring all languages up to date; 1 where something is left to translate."""
    FILES.mkdir(exist_ok=True)
    left = 0
    for language in NAMES:
        source = FILES / f"ouzel_{language}.ts"
        extract(source, plurals_only=language == PLURALS_ONLY)
        release(source, source.with_suffix(".qm"))
        for text in unfinished(read(source)):
            left += 1
            sys.stdout.write(f"{source.name}: {text.context}: {text.source!r} is not translated yet\n")
    return int(left > 0)


if __name__ == "__main__":
    raise SystemExit(main())
