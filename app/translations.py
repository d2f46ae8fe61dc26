"""Brings resources/i18n up to date with the words of the source, and tells what is left to translate: python -m app.translations.

Qt's lupdate keeps what was translated before, its lrelease makes the files that the window reads. lupdate is shown the words of each module
as calls of self.tr in classes, since it does not see a `tr` of a module's own, or one inside an f-string. What the engine says for people
(engine.words), and what the catalogue says about its models, is shown to it too.
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

from app.language import ENGINE, NAMES
from app.wizard.catalogue_view import CATALOGUE
from engine.setup.catalogue import catalogue

ROOT = Path(__file__).parent.parent
FILES = ROOT / "resources" / "i18n"
TOOLS = Path(PySide6.__file__).parent  # lupdate and lrelease come with Qt's wheels
PLURALS_ONLY = "en"
WRAPPERS = ("tr", "_tr")
WORDS = "engine.words"
SAYS = {"say": slice(0, 1), "plural": slice(1, 3)}  # its functions, and which of their arguments are words
TRANSLATES, NOOP = ("QCoreApplication.translate", "QApplication.translate"), "QT_TRANSLATE_NOOP"


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


def engine_sources(root: Path = ROOT) -> Iterator[Path]:
    """The modules that say something as the engine does: its own, and those of the window that know nothing of Qt."""
    modules = [*sorted((root / "engine").rglob("*.py")), *sources(root)]
    return (p for p in modules if WORDS in p.read_text(encoding="utf-8"))


def wrappers(root: Path = ROOT) -> dict[tuple[str, str], str]:
    """The functions that translate with a context of their own: (module, name) to the context."""
    found = {}
    for path in sources(root):
        module = ".".join(path.relative_to(root).with_suffix("").parts)
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name in WRAPPERS:
                calls = (n for n in ast.walk(node) if isinstance(n, ast.Call) and ast.unparse(n.func) == "QCoreApplication.translate")
                context = next(calls).args[0]
                assert isinstance(context, ast.Constant)
                found[module, node.name] = str(context.value)
    return found


class _Finder(ast.NodeVisitor):
    """Collects the calls of one module; `names`: functions with a context of their own."""

    def __init__(self, module: str, names: Mapping[str, str], marked: set[str]) -> None:
        self.calls: list[str] = []
        self._module, self._names, self._marked = module, names, marked
        self._classes: list[str] = []

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Its name is the context of what it says."""
        self._classes.append(node.name)
        self.generic_visit(node)
        self._classes.pop()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """What translates for a module has no words of its own."""
        if self._classes or node.name not in WRAPPERS:
            self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        """Take its words, where it translates."""
        name, args = ast.unparse(node.func), node.args
        if name == "self.tr" and self._classes:
            self._take(node, self._classes[-1], args)
        elif name in self._names:
            self._take(node, self._names[name], args)
        elif name == NOOP or (name in TRANSLATES and ast.unparse(args[0]) not in self._marked):
            self._take(node, _literal(args[0]) or "", args[1:])
        elif name.endswith(".tr"):
            raise ValueError(f"{self._module}, line {node.lineno}: {name} is found under no class; use QCoreApplication.translate")
        self.generic_visit(node)

    def _take(self, node: ast.Call, context: str, args: list[ast.expr]) -> None:
        words = [_literal(a) for a in args[:2]]
        if not context or not words or None in words:
            raise ValueError(f"{self._module}, line {node.lineno}: only literal words can be translated")
        shown = [*(json.dumps(w, ensure_ascii=False) for w in words), *(["n"] if len(args) > 2 else [])]
        self.calls.append(f"class {context}:\n    def say(self, n):\n        self.tr({', '.join(shown)})\n")


def for_lupdate_of_engine(text: str, module: str) -> str:
    """The same for what a module says as the engine does. Raises ValueError: words that are not literal."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in SAYS:
            for word in map(_literal, node.args[SAYS[node.func.id]]):
                if not word:
                    raise ValueError(f"{module}, line {node.lineno}: only literal words can be translated")
                found.append(f"        self.tr({json.dumps(word, ensure_ascii=False)})\n")
    return "".join([f"class {ENGINE}:\n    def say(self):\n", *found]) if found else ""


def _literal(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def for_lupdate(text: str, module: str, known: Mapping[tuple[str, str], str]) -> str:
    """All that a module translates, in the form that lupdate reads. Raises ValueError: words that are not literal."""
    tree = ast.parse(text)
    names = {name: context for (owner, name), context in known.items() if owner == module}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            names |= {a.asname or a.name: known[node.module or "", a.name] for a in node.names if (node.module or "", a.name) in known}
    noops = (n for n in ast.walk(tree) if isinstance(n, ast.Call) and ast.unparse(n.func) == NOOP)
    finder = _Finder(module, names, {"CATALOGUE", "ENGINE", *(ast.unparse(n.args[0]) for n in noops)})  # whose words are marked elsewhere
    finder.visit(tree)
    return "".join(finder.calls)


def extract(target: Path, root: Path = ROOT, plurals_only: bool = False) -> None:
    """Bring the file `target` (.ts) up to date with the source; what was translated stays, what is gone goes."""
    known = wrappers(root)
    with TemporaryDirectory() as folder:
        shown = []
        for path, of_engine in [*((p, False) for p in sources(root)), *((p, True) for p in engine_sources(root))]:
            parts = path.relative_to(root).with_suffix("").parts
            text, module = path.read_text(encoding="utf-8"), ".".join(parts)
            copy = Path(folder, "engine" if of_engine else "window", *parts).with_suffix(".py")
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(for_lupdate_of_engine(text, module) if of_engine else for_lupdate(text, module, known), encoding="utf-8")
            shown.append(str(copy))
        abouts = Path(folder, "catalogue.py")
        told = (f"        self.tr({json.dumps(e.about, ensure_ascii=False)})\n" for e in catalogue())
        abouts.write_text("".join([f"class {CATALOGUE}:\n    def say(self):\n", *told]), encoding="utf-8")
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
