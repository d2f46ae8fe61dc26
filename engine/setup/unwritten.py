"""A model that is not converted yet, known by its config.json alone: what a conversion would write."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from engine.arch import read_arch
from engine.arch.spec import with_mtp
from engine.container.format import EmbedEntry
from engine.container.manifest import ExpertEntry
from engine.container.spans import Span, spans_of
from engine.container.storage import reading
from engine.container.strict import Malformed, parse_object, read_limited
from engine.errors import BadCheckpoint
from engine.setup.layout import Layout, arrange
from engine.setup.mlx import plain_config
from engine.setup.roles import expert_formats, trunk_formats
from engine.words import say

CONFIG_LIMIT = 64 * 2**20
ROUTER_DTYPE = "BF16"  # as nearly all checkpoints store it


class Unwritten:
    """The container that `config` (config.json) would become in these formats; plans as an open one does.

    layout: where the tensors are known, what they would be laid out as. mtp: with the layer for further tokens,
    where such a model has one. Raises UnsupportedModel, BadRequest (no such format).
    """

    def __init__(
        self, name: str, config: dict[str, Any], experts: str = "q4", trunk: str = "q4", layout: Layout | None = None,
        mtp: bool = True,
    ) -> None:
        self.name = name
        self.arch = with_mtp(read_arch(config)) if mtp else read_arch(config)
        self.layout: Layout = layout or arrange(self.arch, trunk_formats(trunk), expert_formats(experts), lambda tensor: ROUTER_DTYPE)

    @property
    def experts(self) -> Sequence[ExpertEntry]:
        """In the order of the MoE layers."""
        return self.layout.entries

    @property
    def embed(self) -> EmbedEntry | None:
        """The embedding, where it would be read from a file."""
        return self.layout.embed

    def spans(self, without: Collection[str] = ()) -> tuple[Span, ...]:
        """What would stay in memory of the trunk where these tensors are not needed."""
        return spans_of(self.layout.tensors, without)

    @property
    def trunk_bytes(self) -> int:
        """Bytes that would stay in memory."""
        return sum(t.nbytes for t in self.layout.tensors.values())


def read_config(path: Path) -> dict[str, Any]:
    """The config.json at `path` or in the folder `path`. Raises BadCheckpoint, StorageError."""
    path = path.expanduser().absolute()
    path = path / "config.json" if path.is_dir() else path
    try:
        with reading(path):
            return plain_config(parse_object(read_limited(path, CONFIG_LIMIT)))[0]
    except Malformed as e:
        raise BadCheckpoint(say("{path} {why}. Give the config.json of a model as published, or its folder.", path=path, why=e)) from None
