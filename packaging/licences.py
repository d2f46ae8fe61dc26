"""The licence texts of everything in a bundle: ours, those of the Python packages, of Python, and of the system's libraries.

Raises Missing where a package of the bundle has none: a bundle that cannot carry them must not be made.
"""

import importlib.metadata as metadata
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TEXT = re.compile(r"(LICEN[CS]E|COPYING|NOTICE|AUTHORS|COPYRIGHT)[^/]*$", re.IGNORECASE)
NO_TEXT = {  # their wheels carry no text; this is where it is, or what it is
    "PySide6_Essentials": "LGPL-3.0.txt and GPL-3.0.txt beside this folder",
    "shiboken6": "LGPL-3.0.txt and GPL-3.0.txt beside this folder",
}


class Missing(Exception):
    """Packages without a licence text."""


def runtime_packages(name: str = "ouzel") -> list[str]:
    """The distributions that ours needs at run time, by their installed names, sorted; ours is not among them."""
    found: dict[str, str] = {}
    todo = [name]
    while todo:
        for requirement in metadata.requires(todo.pop()) or []:
            wanted, _, marker = requirement.partition(";")
            needed = re.match(r"[\w.-]+", wanted)
            if needed is None or "extra ==" in marker:
                continue
            try:
                package = metadata.distribution(needed[0])
            except metadata.PackageNotFoundError:  # of another system or Python
                continue
            if package.metadata["Name"] not in found.values():
                found[needed[0]] = package.metadata["Name"]
                todo.append(needed[0])
    return sorted(set(found.values()))


def collect(folder: Path, packages: Iterable[str]) -> None:
    """Write licences/: LICENSE, NOTICE, the GPL and LGPL, and a folder a package with its texts."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for file in (ROOT / "LICENSE", ROOT / "NOTICE", *(ROOT / "resources" / "licences").glob("*.txt")):
        shutil.copyfile(file, folder / file.name)
    bare = []
    for name in packages:
        package = metadata.distribution(name)
        texts = [f for f in package.files or () if TEXT.search(f.as_posix()) and f.suffix != ".py"]
        for text in texts:
            out = folder / name / re.sub(r"^(.*\.dist-info/)?(licenses/)?", "", text.as_posix()).replace("/", "-")
            out.parent.mkdir(exist_ok=True)
            shutil.copyfile(str(package.locate_file(text)), out)
        if not texts:
            said = NO_TEXT.get(name) or _said(package)
            if said is None:
                bare.append(name)
                continue
            (folder / name).mkdir(exist_ok=True)
            (folder / name / "LICENSE.txt").write_text(f"{name} {package.version}\n{said}\n", encoding="utf-8")
    if bare:
        raise Missing(f"No licence text is known of {', '.join(bare)}. Find it, and add it to packaging/licences.py.")
    for place in (Path(sysconfig.get_path("stdlib")) / "LICENSE.txt", Path(sys.base_prefix) / "LICENSE.txt"):
        if place.is_file():
            (folder / "Python").mkdir(exist_ok=True)
            shutil.copyfile(place, folder / "Python" / "LICENSE.txt")


def _said(package: metadata.Distribution) -> str | None:
    """What a package's metadata say of its licence, where it has no file."""
    fields = package.metadata
    said = [fields.get("License-Expression"), fields.get("License"), *(c for c in fields.get_all("Classifier") or [] if "License ::" in c)]
    told = [s for s in said if s and s.strip()]
    home = fields.get("Home-page") or next((u for u in fields.get_all("Project-URL") or []), "")
    return "\n".join([*told, *([f"Source: {home}"] if home else [])]) if told else None


def system_libraries(inner: Path, folder: Path) -> list[str]:
    """On Debian: the copyright files of the packages whose libraries were bundled, into `folder`; their names."""
    if shutil.which("dpkg-query") is None:
        return []
    owners, place = set(), sysconfig.get_config_var("MULTIARCH") or "lib"
    for library in sorted(p for p in inner.glob("*.so*") if not p.is_symlink()):
        asked = subprocess.run(["dpkg-query", "-S", f"*/{place}/{library.name}"], capture_output=True, text=True, check=False)
        owners |= {line.split(":")[0] for line in asked.stdout.splitlines()}
    for name in owners:
        text = Path("/usr/share/doc") / name / "copyright"
        if text.is_file():
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(text, folder / f"{name}.txt")
    return sorted(owners)
