"""Container: an open NAME.ouzel/. Opening checks all that is cheap: the manifest, the sizes of all files, the trunk's header."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import xxhash

from engine.arch.spec import ArchSpec
from engine.cancel import CancelToken
from engine.container.format import MANIFEST, VECTOR, EmbedEntry, RecordLayout, TensorEntry
from engine.container.load import read_spans
from engine.container.manifest import Manifest, read_manifest
from engine.container.placed import AGAIN, Copy, Placed, find, wrong_file
from engine.container.spans import Span, shift, spans_of
from engine.container.storage import Hold
from engine.container.strict import Malformed, read_limited
from engine.container.trunk import header
from engine.errors import BadContainer, StorageError
from engine.words import joined, say
from kernels_pyx.linear import Matrix

if TYPE_CHECKING:
    from engine.container.making import Making

SUFFIX = ".ouzel"


def being_moved(path: Path) -> str:
    """What is said where another process changes a model."""
    return say("{path} is being moved to other drives, or removed, by another Ouzel right now. Wait until that ends.", path=path)


@dataclass(frozen=True, slots=True, eq=False)
class ExpertFile:
    """One layer's experts. Record e has xxh3_64 checksums[e] over its stride bytes, and lies in each of `copies` that names e.

    path: a file of them, for people. copies: empty where all records lie in `path`, one after the other.
    """

    layer: int
    path: Path
    n_experts: int
    layout: RecordLayout
    checksums: npt.NDArray[np.uint64]
    copies: tuple[Copy, ...] = ()


class Container:
    """A converted model on disk, held so that nobody moves its files until `close`. Make one with `open`.

    arch: the architecture of its config. experts: in the order of the MoE layers. volumes: folders of experts, the first its own.
    defaults: the publisher's sampling. embed_checksums: xxh3_64 of each panel of the embedding, where it has a file of its own.
    making: who still writes it. beside_bytes: memory that this takes.
    """

    making: "Making | None" = None
    beside_bytes: int = 0

    def __init__(
        self, path: Path, manifest: Manifest, arch: ArchSpec, checksums: list[npt.NDArray[np.uint64]], placed: Placed, hold: Hold
    ) -> None:
        self.path, self.manifest, self.arch, self.volumes = path, manifest, arch, placed.volumes
        self._hold = hold
        self.experts = tuple(
            ExpertFile(e.layer, copies[0].path, e.n_experts, e.layout, sums, copies)
            for e, sums, copies in zip(manifest.experts, checksums, placed.copies, strict=False)
        )
        self.embed_checksums = checksums[-1] if manifest.embed else np.zeros(0, np.uint64)
        self.name = path.name.removesuffix(SUFFIX)

    @property
    def here(self) -> Path:
        """Its folder by now."""
        return self.path

    @classmethod
    def open(cls, path: Path) -> "Container":
        """The container at `path`. Raises BadContainer, UnsupportedModel, StorageError (a drive that does not answer)."""
        path = path.expanduser().absolute()
        try:
            must_be_container(path)
            with ExitStack() as undo:
                hold = Hold(path / MANIFEST, False, being_moved(path))
                undo.callback(hold.close)
                manifest = read_manifest(path)
                arch = manifest.arch
                must_fit(path, manifest, arch)
                _check_sizes(path, manifest)
                placed = find(path, manifest)
                _check_header(path, manifest)
                out = cls(path, manifest, arch, _checksums(path, manifest), placed, hold)
                undo.pop_all()
                return out
        except OSError as e:
            raise StorageError(
                say(
                    "The model {path} cannot be read ({why}). Check its permissions and that its drive is connected.",
                    path=path,
                    why=e.strerror or e,
                ),
                repr(e),
            ) from e

    @property
    def config(self) -> Mapping[str, Any]:
        """config.json of the checkpoint."""
        return self.manifest.config

    @property
    def defaults(self) -> dict[str, float]:
        """The publisher's sampling: any of temperature, top_k, top_p, min_p, repetition_penalty."""
        return dict(self.manifest.defaults)

    @property
    def tensors(self) -> Mapping[str, TensorEntry]:
        """The trunk's tensors by canonical name."""
        return self.manifest.trunk.tensors

    @property
    def embed(self) -> EmbedEntry | None:
        """The embedding, where it is read from a file row by row instead of lying in the trunk."""
        return self.manifest.embed

    @property
    def trunk_bytes(self) -> int:
        """Memory that `load_trunk` fills with all of it."""
        return self.manifest.trunk.data_bytes

    def spans(self, without: Collection[str] = ()) -> tuple[Span, ...]:
        """What of the trunk comes into memory where these tensors are not needed."""
        return spans_of(self.tensors, without)

    def load_trunk(
        self, buffer: memoryview, progress: Callable[[float], None], cancel: CancelToken, direct: bool = True,
        spans: Sequence[Span] | None = None,
    ) -> None:
        """Fill the buffer, which begins at a multiple of PAGE, with these spans of the trunk, None: all of it, and compare the checksum;
        direct: past the page cache.

        Raises BadContainer, StorageError, Cancelled.
        """
        t = self.manifest.trunk
        path = self.path / t.file
        try:
            found = read_spans(path, t.data_start, t.data_bytes, spans or self.spans(), buffer, direct, progress, cancel)
        except OSError as e:
            raise StorageError(
                say("{path} cannot be read ({why}). Check that its drive is connected and try again.", path=path, why=e.strerror or e),
                repr(e),
            ) from e
        if found != t.data_xxh3:
            raise BadContainer(say("{path} is damaged: its checksum differs from the one in the model. {again}", path=path, again=AGAIN))

    def has(self, name: str) -> bool:
        """Whether the trunk has a tensor of this name."""
        return name in self.tensors

    def matrix(self, name: str, trunk: npt.NDArray[np.uint8], spans: Sequence[Span] | None = None) -> Matrix:
        """A packed matrix of the trunk that was loaded into `trunk` u8, which begins at a multiple of 64. A view."""
        t = self.tensors[name]
        if t.fmt == VECTOR:
            raise ValueError(f"{name} is a vector, not a matrix")
        at = t.offset - shift(spans or self.spans(), t)
        return Matrix(t.fmt, t.shape[0], t.shape[1], trunk[at : at + t.nbytes])

    def vector(self, name: str, trunk: npt.NDArray[np.uint8], spans: Sequence[Span] | None = None) -> npt.NDArray[np.float32]:
        """A plain f32 tensor of the loaded trunk in its own shape. A view."""
        t = self.tensors[name]
        if t.fmt != VECTOR:
            raise ValueError(f"{name} is a matrix, not a vector")
        at = t.offset - shift(spans or self.spans(), t)
        return trunk[at : at + t.nbytes].view(np.float32).reshape(t.shape)

    def close(self) -> None:
        """Let others move its files; views into a loaded trunk stay valid. Idempotent."""
        self._hold.close()


def must_be_container(path: Path) -> None:
    """Raises BadContainer where the folder is no container at first sight."""
    if not path.exists():
        raise BadContainer(say("There is no model at {path}. Check the path, or that its drive is connected.", path=path))
    if not path.is_dir():
        raise BadContainer(
            say("{path} is a file, but a model is a folder. Choose a folder that ends with {suffix}.", path=path, suffix=SUFFIX)
        )
    if not (path / MANIFEST).exists():
        if (path / "config.json").exists():
            raise BadContainer(say("{path} is a checkpoint that is not converted yet. Run `ouzel convert` on it first.", path=path))
        raise BadContainer(
            say("{path} is no model: it has no {manifest}. Choose a folder that `ouzel convert` made.", path=path, manifest=MANIFEST)
        )


def must_fit(path: Path, manifest: Manifest, arch: ArchSpec) -> None:
    """Every tensor and expert that the architecture needs is there in its shape, and no other. Raises BadContainer."""
    wanted = {t.name: (t.shape, t.role == "vector") for t in arch.tensors}
    found: dict[str, tuple[tuple[int, ...], bool]] = {name: (t.shape, t.fmt == VECTOR) for name, t in manifest.trunk.tensors.items()}
    if manifest.embed and not arch.tied and "embed" not in found:
        found["embed"] = (manifest.embed.rows, manifest.embed.cols), False
    elif manifest.embed:
        found["embed.bin"] = (), False
    wrong = sorted(name for name in wanted.keys() | found.keys() if wanted.get(name) != found.get(name))
    experts = [(e.layer, e.n_experts, e.d_in, e.d_hidden, e.d_out, "gate_bias" in e.parts) for e in arch.experts]
    stored = [
        (e.layer, e.n_experts, e.layout.d_in, e.layout.d_hidden, e.layout.d_out, e.layout.biases is not None) for e in manifest.experts
    ]
    if experts != stored:
        wrong.append(say("the experts"))
    if wrong:
        raise BadContainer(
            say(
                "The model {path} cannot be opened: {wrong} in its manifest do not fit its own config. Fetch or convert the model again.",
                path=path,
                wrong=joined(", ", wrong[:5]),
            )
        )


def _check_sizes(path: Path, m: Manifest) -> None:
    """All files but the experts' are there in their sizes."""
    wanted = [(m.trunk.file, m.trunk.nbytes), (m.checksums_file, m.checksums.nbytes)]
    wanted += [(name, f.nbytes) for name, f in m.files.items()]
    wanted += [(m.embed.file, m.embed.nbytes)] if m.embed else []
    for name, nbytes in wanted:
        if wrong := wrong_file(path, path / name, nbytes):
            raise wrong


def _check_header(path: Path, m: Manifest) -> None:
    """The trunk's header is the one that the manifest's tensors make."""
    with (path / m.trunk.file).open("rb") as file:
        data = file.read(m.trunk.data_start)
    if xxhash.xxh3_128_hexdigest(data) != m.trunk.header_xxh3 or data != header(m.trunk.tensors):
        raise BadContainer(
            say(
                "The model {path} is damaged: the header of {file} differs from the manifest. {again}",
                path=path,
                file=path / m.trunk.file,
                again=AGAIN,
            )
        )


def read_checksums(path: Path, m: Manifest) -> list[npt.NDArray[np.uint64]]:
    """xxh3_64 of each record: one array an expert file, and one of the embedding's panels. Raises Malformed, OSError."""
    data = read_limited(path / m.checksums_file, m.checksums.nbytes)
    if len(data) != m.checksums.nbytes or xxhash.xxh3_128_hexdigest(data) != m.checksums.xxh3:
        raise Malformed(say("is damaged: its checksum differs from the one in the manifest"))
    ends = np.cumsum(m.checksum_counts)
    return np.split(np.frombuffer(data, "<u8"), ends[:-1].tolist()) if m.checksum_counts else []


def _checksums(path: Path, m: Manifest) -> list[npt.NDArray[np.uint64]]:
    try:
        return read_checksums(path, m)
    except Malformed as e:
        raise BadContainer(
            say(
                "The model {path} cannot be opened: {checksums_file} {why}. {again}",
                path=path,
                checksums_file=m.checksums_file,
                why=e,
                again=AGAIN,
            )
        ) from None
