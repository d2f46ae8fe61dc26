"""Which files hold a model's experts on this machine, and which of them can be read: the table of volumes against what is there."""

from dataclasses import dataclass
from pathlib import Path

from engine.container.manifest import Manifest, read_manifest
from engine.container.strict import Malformed
from engine.container.volumes import TABLE, Folder, Table, read_table, wrong_folder
from engine.errors import BadContainer, EngineError, StorageError, typed
from engine.words import say, sentence

AGAIN = say("Run `ouzel verify` on the model to see all damage, and `ouzel repair` to mend it.")


@dataclass(frozen=True, slots=True, eq=False)
class Copy:
    """A file of a layer's experts on one volume: bytes start..start+nbytes of record e lie at e * nbytes; all of it where it is whole."""

    volume: int
    path: Path
    start: int
    nbytes: int


@dataclass(frozen=True, slots=True)
class Volume:
    """A folder of expert files. problem: why it is not read, as a sentence; empty where it is."""

    path: Path
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Placed:
    """The volumes of a model, and the copies of each layer, in manifest order."""

    volumes: tuple[Volume, ...]
    copies: tuple[tuple[Copy, ...], ...]


def table_of(path: Path, m: Manifest) -> Table:
    """Where the model's experts lie. Raises BadContainer, OSError."""
    try:
        return read_table(path, m.checksum, len(m.experts))
    except Malformed as e:
        raise BadContainer(
            say(
                "The model {path} cannot be opened: its {table} {why}. Put back the file as it was, or fetch the model again.",
                path=path,
                table=TABLE,
                why=e,
            )
        ) from None


def volume_folders(path: Path) -> list[Path]:
    """The folders of the model's volumes beside its own that are there and its own; none where it is damaged."""
    try:
        m = read_manifest(path)
        return [f.path for f in table_of(path, m).folders if not wrong_folder(f, m.checksum)]
    except (OSError, EngineError):
        return []


def all_copies(path: Path, m: Manifest, table: Table) -> list[list[Copy]]:
    """The files that should be there by layer, whether they are or not."""
    paths = table.paths(path)
    out = []
    for i, e in enumerate(m.experts):
        home, place = path / m.volumes[e.volume] / e.file, table.placement(i)
        copies = [Copy(v, place.file(v, paths[v], home, e.layer), *place.piece(v, e.layout.stride)) for v in place.volumes]
        out.append([c for c in copies if c.nbytes])
    return out


def find(path: Path, m: Manifest) -> Placed:
    """The volumes and copies that can be read. Raises BadContainer, StorageError where a record has no copy left, OSError."""
    table = table_of(path, m)
    problems: list[EngineError | None] = [None, *(_lost(path, f, wrong_folder(f, m.checksum)) for f in table.folders)]
    found = []
    for e, wanted in zip(m.experts, all_copies(path, m, table), strict=True):
        there, wrong = [], None
        for copy in wanted:
            problem = problems[copy.volume]
            if problem is None:
                problem = wrong_file(path, copy.path, e.n_experts * copy.nbytes)
            if problem is None:
                there.append(copy)
            else:
                wrong = wrong or problem
                problems[copy.volume] = problem
        if wrong is not None and sum(c.nbytes for c in there) < e.layout.stride:
            raise wrong
        found.append(tuple(there))
    volumes = [Volume(p, sentence(problem) if problem else "") for p, problem in zip(table.paths(path), problems, strict=True)]
    return Placed(tuple(volumes), tuple(found))


def _lost(path: Path, folder: Folder, wrong: str) -> EngineError | None:
    if not wrong:
        return None
    return StorageError(
        say(
            "{folder}, which holds experts of {path}, {wrong}. Connect its drive, or say where the folder lies now: {command}",
            folder=folder.path,
            path=path,
            wrong=wrong,
            command=typed("ouzel", "volumes", path, "--locate", folder.path, "NEW"),
        )
    )


def wrong_file(path: Path, file: Path, nbytes: int) -> BadContainer | None:
    """What is wrong with a file of the model `path` at first sight. Raises OSError."""
    if not file.is_file():
        return BadContainer(
            say("The model {path} is incomplete: {file} is missing. Connect its drive, or fetch the model again.", path=path, file=file)
        )
    if (size := file.stat().st_size) != nbytes:
        what = say("truncated") if size < nbytes else say("longer than it should be")
        return BadContainer(
            say(
                "The model {path} is damaged: {file} is {what} ({size} bytes instead of {nbytes}). {again}",
                path=path,
                file=file,
                what=what,
                size=size,
                nbytes=nbytes,
                again=AGAIN,
            )
        )
    return None
