"""Which format each role of tensor gets: `--trunk` and `--experts` of the command line, spelled out."""

from collections.abc import Iterable

from engine.container.format import PARTS, VECTOR
from engine.errors import BadRequest
from engine.setup.source import CODED, widest
from engine.words import say

KEEP = "keep"  # as many bits as the source has, in the same blocks where ours are the same; q4 for what it has in full precision
TRUNK = ("q4", "q4-all", "q8", "bf16", "f32", KEEP)
EXPERTS = ("q4", "q8", "bf16", "f32", "mxfp4", KEEP)
ROLES = ("embed", "head", "attn", "ffn", "ffn_down", "shared", "shared_down")
WIDER = frozenset({"embed", "head", "shared_down"})  # 8 bits where the trunk is q4: they cost the most in perplexity


def trunk_formats(choice: str) -> dict[str, str]:
    """{role: format} of the trunk's matrices but "router". "q4" spares the roles of WIDER, "q4-all" none. "keep": `kept`."""
    if choice not in TRUNK:
        raise BadRequest(say("'{choice}' is no format for the trunk; choose {trunk}.", choice=choice, trunk=", ".join(TRUNK)))
    if choice == "q4-all":
        return dict.fromkeys(ROLES, "q4")
    choice = "q4" if choice == KEEP else choice
    return {role: "q8" if choice == "q4" and role in WIDER else choice for role in ROLES}


def expert_formats(choice: str) -> dict[str, str]:
    """{part: format} of experts; "keep": those of sources in full precision. Raises BadRequest."""
    if choice not in EXPERTS:
        raise BadRequest(say("'{choice}' is no format for experts; choose {experts}.", choice=choice, experts=", ".join(EXPERTS)))
    choice = "q4" if choice == KEEP else choice
    return {part: "q8" if choice == "q4" and part == "down" else choice for part in PARTS}


def format_of(role: str, formats: dict[str, str], dtype: str) -> str:
    """The format of a trunk tensor; dtype is what the checkpoint stores. A router is never quantized."""
    if role == "vector":
        return VECTOR
    if role == "router":
        return "bf16" if dtype == "BF16" else "f32"
    return formats[role]


def kept(default: str, dtypes: Iterable[str], experts: bool) -> str:
    """The one format of tensors that a source stores in these ways, so that none loses bits; `default` where one is not quantized."""
    found = set(dtypes)
    if not found or not found <= CODED.keys():
        return default
    if found == {"MXFP4"} and experts:
        return "mxfp4"
    return "q4" if CODED[widest(*found)] <= 4 and "MXFP4" not in found else "q8"
