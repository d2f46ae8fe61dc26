"""Which format each role of tensor gets: `--trunk` and `--experts` of the command line, spelled out."""

from engine.container.format import PARTS, VECTOR
from engine.errors import BadRequest

TRUNK = ("q4", "q4-all", "q8", "bf16", "f32")
EXPERTS = ("q4", "q8", "bf16", "f32", "mxfp4")
ROLES = ("embed", "head", "attn", "ffn", "ffn_down", "shared", "shared_down")
WIDER = frozenset({"embed", "head", "shared_down"})  # 8 bits where the trunk is q4: they cost the most in perplexity


def trunk_formats(choice: str) -> dict[str, str]:
    """{role: format} of the trunk's matrices but "router". "q4" spares the roles of WIDER, "q4-all" none. Raises BadRequest."""
    if choice not in TRUNK:
        raise BadRequest(f"'{choice}' is no format for the trunk; choose {', '.join(TRUNK)}.")
    if choice == "q4-all":
        return dict.fromkeys(ROLES, "q4")
    return {role: "q8" if choice == "q4" and role in WIDER else choice for role in ROLES}


def expert_formats(choice: str) -> dict[str, str]:
    """{part: format} of experts. Raises BadRequest."""
    if choice not in EXPERTS:
        raise BadRequest(f"'{choice}' is no format for experts; choose {', '.join(EXPERTS)}.")
    return {part: "q8" if choice == "q4" and part == "down" else choice for part in PARTS}


def format_of(role: str, formats: dict[str, str], dtype: str) -> str:
    """The format of a trunk tensor; dtype is what the checkpoint stores. A router is never quantized."""
    if role == "vector":
        return VECTOR
    if role == "router":
        return "bf16" if dtype == "BF16" else "f32"
    return formats[role]
