"""What a source is and how it would run here, before a byte of its weights moves; and what a folder's drive and this machine can do."""

from collections.abc import Callable, Mapping
from contextlib import closing
from typing import Any

from engine.arch import read_arch
from engine.cancel import CancelToken
from engine.container.format import PARTS
from engine.container.reader import Container
from engine.container.strict import Malformed, parse_object
from engine.errors import BadCheckpoint
from engine.events import Looked, Surveyed
from engine.offers import Offer, Precision
from engine.requests import LookUp, Survey
from engine.setup.catalogue import Entry, catalogue
from engine.setup.checkpoint import CheckpointFolder
from engine.setup.convert import supported
from engine.setup.fitting import fit
from engine.setup.further import brings_mtp, chosen
from engine.setup.gguf_checkpoint import GgufCheckpoint
from engine.setup.hub import look
from engine.setup.installed import size_of
from engine.setup.judge import judge, judged_catalogue, this_machine
from engine.setup.layout import lay_out
from engine.setup.mlx import plain_config
from engine.setup.naming import Source, no_config, source_of
from engine.setup.opening import open_checkpoint
from engine.setup.ranges import Ranges
from engine.setup.remote import HubFolder
from engine.setup.repack import EXACT
from engine.setup.roles import KEEP
from engine.setup.shards import INDEX, JSON_LIMIT
from engine.setup.token import load
from engine.setup.unwritten import Unwritten
from engine.setup.verdict import Machine
from engine.words import say

Progress = Callable[[float], None]
CHOICES = (("q4", "q4"), ("q8", "q8"), ("bf16", "bf16"))  # (experts, trunk), the recommended one first
KEPT = (("mxfp4", "q4"), ("mxfp4", "q8"), ("mxfp4", "bf16"))  # of experts that are published as MXFP4


def survey(request: Survey, cancel: CancelToken, progress: Progress = lambda fraction: None) -> Surveyed:
    """Six seconds, or one where the drive was measured lately. Raises StorageError, Cancelled."""
    machine = this_machine(request.folder, cancel, progress, request.again)
    offers = tuple(
        Offer(e.name, e.repo, e.licence, e.licence_link, e.about, e.experts, e.trunk, v) for e, v in judged_catalogue(machine, cancel)
    )
    return Surveyed(
        id=request.id,
        folder=request.folder,
        free_bytes=machine.free_bytes,
        read_rate=machine.drive.rate,
        memory_rate=machine.memory.read_rate,
        memory_bytes=machine.memory_bytes,
        available_bytes=machine.available_bytes,
        direct=machine.drive.direct,
        offers=offers,
    )


def look_up(request: LookUp, cancel: CancelToken, progress: Progress = lambda fraction: None) -> Looked:
    """From the list of files and config.json alone; and a test of the drive, where it was not measured lately: progress(fraction).

    Raises BadRequest, NeedsToken, HubError, UnsupportedModel, BadCheckpoint, BadContainer, StorageError, Cancelled.
    """
    source = source_of(request.source, request.revision)
    if source.kind == "hub":
        return _on_hub(request, source, cancel, progress)
    if source.kind == "container":
        return _container(request, source, cancel, progress)
    return _local(request, source, cancel, progress)


def _on_hub(request: LookUp, source: Source, cancel: CancelToken, progress: Progress) -> Looked:
    token = load(cancel=cancel)
    value = token.value if token else None
    listing = look(source.repo, source.revision, value, cancel=cancel)
    folder = HubFolder(listing, Ranges(listing, value, lambda text: None, cancel))
    if "config.json" not in listing.files:
        raise BadCheckpoint(no_config(listing.repo, listing.files))
    config, _ = plain_config(_object(folder, "config.json", listing.repo))
    supported(config)
    nbytes = sum(listing.files[name].nbytes for name in _weights(folder, listing.repo))
    known = _known(listing.repo)
    licence = listing.licence or (known.licence if known else None)
    machine = this_machine(request.folder, cancel, progress)
    brings = request.mtp == "keep" and _brings_mtp(folder, config, listing.repo)
    precisions = _precisions(source.name, config, machine, nbytes, known, brings)
    family = str(config.get("model_type"))
    return Looked(request.id, request.source, "hub", source.name, family, listing.commit, licence, listing.gated, nbytes, precisions)


def _local(request: LookUp, source: Source, cancel: CancelToken, progress: Progress) -> Looked:
    with closing(open_checkpoint(source.path, supported)) as opened:
        folder = source.path if source.path.is_dir() else source.path.parent
        config, nbytes = dict(opened.config), sum((folder / name).stat().st_size for name in opened.shards.files)
        machine = this_machine(request.folder, cancel, progress)
        brings = request.mtp == "keep" and brings_mtp(read_arch(opened.config), opened.tensors)
        precisions = _precisions(source.name, config, machine, None, None, brings)
        if isinstance(opened, GgufCheckpoint) or opened.mlx is not None:
            precisions = (*_kept(opened, machine, request.mtp), *precisions)
        family = str(config.get("model_type"))
        return Looked(
            request.id, request.source, source.kind, opened.name, family, opened.commit, None, False, nbytes, precisions
        )


def _kept(opened: GgufCheckpoint | CheckpointFolder, machine: Machine, mtp: str) -> tuple[Precision, ...]:
    """What keeps the bits that the file has; none where its tensors do not fit, which the conversion will tell."""
    arch = chosen(read_arch(opened.config), opened.tensors, mtp)
    if fit(opened.tensors, arch).lines({}):
        return ()
    layout = lay_out(opened, arch, KEEP, KEEP)
    verdict = judge(Unwritten(opened.name, dict(opened.config), KEEP, KEEP, layout, arch.mtp is not None), machine)
    pairs = {(opened.tensors[e.source(0, p).name].dtype, layout.formats[f"experts.{p}"]) for e in arch.experts for p in PARTS}
    if not arch.experts:
        pairs = {(opened.tensors[t.source.name].dtype, layout.formats[t.role]) for t in arch.tensors if t.role in layout.formats}
    return (Precision(KEEP, KEEP, pairs <= EXACT.keys(), verdict, dense=not arch.experts),)


def _container(request: LookUp, source: Source, cancel: CancelToken, progress: Progress) -> Looked:
    container = Container.open(source.path)
    try:
        name, config, formats, family = container.name, dict(container.config), container.manifest.formats, container.arch.model_type
        commit, mtp = container.manifest.source["commit"], container.arch.mtp is not None
    finally:
        container.close()
    trunk = formats.get("attn", "q4")
    experts, dense = formats.get("experts.gate", trunk), "experts.gate" not in formats
    if trunk == "q4" == formats.get("head"):
        trunk = "q4-all"
    machine = this_machine(request.folder, cancel, progress)
    verdict = judge(Unwritten(name, config, experts, trunk, mtp=mtp), machine, installed=True)
    precisions = (Precision(experts, trunk, True, verdict, dense),)
    return Looked(request.id, request.source, "container", name, family, commit, None, False, size_of(source.path), precisions)


def usual_experts(source: Source) -> str:
    """The format that experts get where none was chosen: the catalogue's, else q4."""
    known = _known(source.repo)
    return known.experts if known else CHOICES[0][0]


def _known(repo: str) -> Entry | None:
    return next((e for e in catalogue() if e.repo.lower() == repo.lower()), None)


def _precisions(
    name: str, config: dict[str, Any], machine: Machine, download_bytes: int | None, known: Entry | None, mtp: bool
) -> tuple[Precision, ...]:
    choices: tuple[tuple[str, str], ...] = KEPT if is_mxfp4(config) or (known is not None and known.experts == "mxfp4") else CHOICES
    if known is not None:
        first = (known.experts, known.trunk)
        choices = (first, *(c for c in choices if c != first))
    out = []
    for experts, trunk in choices:
        model = Unwritten(name, config, experts, trunk, mtp=mtp)
        verdict = judge(model, machine, download_bytes=download_bytes)
        kept = experts in ("mxfp4", "bf16") and _keeps(config, experts)
        out.append(Precision(experts, trunk, kept, verdict, dense=not model.experts))
    return tuple(out)


def is_mxfp4(config: Mapping[str, Any]) -> bool:
    """Whether a config.json says that the experts are stored as MXFP4."""
    text = config.get("text_config")
    found = [c.get("quantization_config") for c in (config, text) if isinstance(c, Mapping)]
    return any("mxfp4" in str(q.get(key)) for q in found if isinstance(q, Mapping) for key in ("quant_method", "format"))


def _keeps(config: Mapping[str, Any], experts: str) -> bool:
    """Whether the experts' values stay what they are in this format."""
    return experts == "mxfp4" or not isinstance(config.get("quantization_config"), Mapping)


def _weights(folder: HubFolder, repo: str) -> list[str]:
    """The files of weights that a conversion reads."""
    names = folder.names()
    found = [n for n in names if n.endswith(".safetensors")]
    if INDEX in names:
        weight_map = _object(folder, INDEX, repo).get("weight_map")
        named = {f for f in weight_map.values() if isinstance(f, str)} if isinstance(weight_map, dict) else set()
        found = [n for n in found if n in named] or found
    elif "model.safetensors" in found:
        found = ["model.safetensors"]
    if not found:
        raise BadCheckpoint(
            say("{repo} holds no weights that are read: no safetensors file. Choose another repository of this model.", repo=repo)
        )
    return found


def _brings_mtp(folder: HubFolder, config: dict[str, Any], repo: str) -> bool:
    """Whether the index names a layer for further tokens; as the config says, where there is no index."""
    arch = read_arch(config)
    if arch.offered is None or INDEX not in folder.names():
        return arch.offered is not None
    weight_map = _object(folder, INDEX, repo).get("weight_map")
    return isinstance(weight_map, dict) and brings_mtp(arch, weight_map)


def _object(folder: HubFolder, name: str, repo: str) -> dict[str, Any]:
    try:
        return parse_object(folder.small(name, JSON_LIMIT))
    except Malformed as e:
        raise BadCheckpoint(
            say("{repo} cannot be converted: {name} {why}. Choose another repository of this model.", repo=repo, name=name, why=e)
        ) from None
