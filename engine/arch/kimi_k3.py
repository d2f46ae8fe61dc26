"""Kimi K3, the text of it. Read from: the released `configuration_kimi_k3.py` and `modeling_kimi_linear.py`.

Kimi-Linear's layers with attention residuals, latent experts in MXFP4, SiTU activations, bounded decay and output gates on
both mixers. Traps: the text's config is wrapped and calls itself kimi_linear; which tensors are MXFP4 is told by their names
(.weight_packed), not by the ignore list; the end token of the outer config is the end of a message, not the tokenizer's [EOS].
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from engine.arch.kimi import text_spec
from engine.arch.read import ConfigReader
from engine.arch.spec import ArchSpec
from engine.words import say

MXFP4 = "mxfp4-pack-quantized"


def spec(config: Mapping[str, Any]) -> ArchSpec:
    """The architecture of a kimi_k3 config.json. Raises UnsupportedModel."""
    r, prefix = ConfigReader.text(config, "language_model.")
    quantization = r.may("quantization_config", dict, None)
    if quantization is not None and quantization.get("format") != MXFP4:
        r.fault(
            say(
                "says that the experts are stored as {stored}; only '{mxfp4}' is read",
                stored=f"{quantization.get('format')!r:.60}",
                mxfp4=MXFP4,
            ),
            "quantization_config",
        )
    out = text_spec(r, "kimi_k3", prefix)
    return replace(out, skipped=("vision_tower.", "mm_projector."))
