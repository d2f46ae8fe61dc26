"""What people give as a source: a repository's name or address, a checkpoint's folder, a file of weights, a container."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import unquote, urlsplit

from engine import paths
from engine.errors import BadRequest, typed
from engine.setup.network import ENDPOINT, endpoint
from engine.words import say

Kind = Literal["hub", "folder", "gguf", "container"]
WEB = {urlsplit(ENDPOINT).netloc, "hf.co", "www.huggingface.co"}
GGUF = ".gguf"
PART = re.compile(r"-\d{5}-of-\d{5}\Z")


@dataclass(frozen=True, slots=True)
class Source:
    """repo: of the hub, "owner/name"; path: of everything else, absolute. revision: of a repository, where one is named."""

    kind: Kind
    repo: str = ""
    path: Path = Path()
    revision: str | None = None

    @property
    def name(self) -> str:
        """What the model is called after it."""
        if self.kind == "hub":
            return self.repo.rpartition("/")[2]
        return self.path.name if self.kind == "folder" else PART.sub("", self.path.stem)


def source_of(text: str, revision: str | None = None) -> Source:
    """Read what was given; nothing is looked up but whether a local path is a folder. Raises BadRequest."""
    text = text.strip()
    if not text or "\0" in text:
        raise BadRequest(say("No model is named. Give owner/name of the hub, a model's folder, a .gguf file or a .ouzel folder."))
    if text.lower().startswith(("https://", "http://")):
        return _from_address(text, revision)
    if _is_repo(text):
        return Source("hub", text, revision=revision)
    path = Path(text).expanduser().absolute()
    if revision is not None:
        raise BadRequest(say("{path} is on this computer and has no revisions. Leave the revision out.", path=path))
    suffix = path.suffix.lower()
    if suffix == paths.SUFFIX:
        return Source("container", path=path)
    return Source("gguf" if suffix == GGUF and not path.is_dir() else "folder", path=path)


def no_config(where: str | Path, names: Iterable[str]) -> str:
    """What to say of a repository or folder that has these files and no config.json."""
    firsts = (n for n in names if n.lower().endswith(GGUF) and ((part := PART.search(n[: -len(GGUF)])) is None or part[0] < "-00002"))
    files = sorted(firsts)
    if not files:
        choose = say("Choose the folder of a model from Hugging Face.") if isinstance(where, Path) else say("Choose another repository.")
        return say("{where} is no model that can be converted: it has no config.json. {choose}", where=where, choose=choose)
    has = say("has GGUF files, each with a model of its own") if len(files) > 1 else say("has a GGUF file")
    if isinstance(where, Path):
        return say(
            "{where} {has}, and no config.json. Name the file itself: {command}",
            where=where,
            has=has,
            command=typed("ouzel", "import", where / files[0]),
        )
    return say(
        "{where} {has}, which Ouzel does not fetch. Download {file} from its page, then: {command}",
        where=where,
        has=has,
        file=files[0],
        command=typed("ouzel", "import", files[0]),
    )


def _is_repo(text: str) -> bool:
    owner, slash, name = text.partition("/")
    plain = owner.isascii() and name.isascii() and not set(text) & set("\\: ") and not name.lower().endswith((GGUF, paths.SUFFIX))
    return bool(slash and owner and name) and "/" not in name and owner[0] not in ".~" and name[0] not in ".~" and plain


def _from_address(text: str, revision: str | None) -> Source:
    parts = urlsplit(text)
    hub = urlsplit(endpoint())
    below = unquote(parts.path)
    if parts.netloc == hub.netloc:
        below = below.removeprefix(hub.path)
    elif parts.netloc.lower() not in WEB:
        raise BadRequest(
            say(
                "{netloc} is not the hub ({endpoint}). Give owner/name, or set another hub first.",
                netloc=parts.netloc.rpartition("@")[2],
                endpoint=endpoint(),
            )
        )
    names = [p for p in below.split("/") if p]
    if len(names) < 2 or not _is_repo("/".join(names[:2])):
        raise BadRequest(say("This address names no model. Give owner/name, as it stands at the top of the model's page."))
    if len(names) > 3 and names[2] in ("tree", "blob", "resolve") and revision is None:
        revision = names[3]
    return Source("hub", "/".join(names[:2]), revision=revision)
