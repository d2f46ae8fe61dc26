"""Configs as they are published, with all that stands in them, and as transformers 5 writes them again, are read as what they are."""

import json
from pathlib import Path
from typing import Any

import pytest

from engine.arch import families, read_arch
from engine.setup.catalogue import find
from tests.arch import real
from tests.oracle.checkpoint import DATA

REWRITTEN = Path(__file__).parents[1] / "data" / "rewritten"
USUAL = {"attention_dropout": 0.0, "initializer_range": 0.02, "use_cache": True}
GEMMA_TEXT = {**USUAL, "attention_bias": False, "dtype": "bfloat16", "eos_token_id": 1, "tie_word_embeddings": True,
              "vocab_size_per_layer_input": 262144}  # fmt: skip
GEMMA = {
    "architectures": ["Gemma4ForConditionalGeneration"], "audio_config": None, "audio_token_id": 258881, "boa_token_id": 256000,
    "boi_token_id": 255999, "dtype": "bfloat16", "eoa_token_id": 258883, "eoa_token_index": 258883, "eoi_token_id": 258882,
    "image_token_id": 258880, "initializer_range": 0.02, "transformers_version": "5.5.0.dev0", "video_token_id": 258884,
    "vision_config": {"model_type": "gemma4_vision"}, "vision_soft_tokens_per_image": 280,
}  # fmt: skip
QWEN = {**USUAL, "output_router_logits": False, "router_aux_loss_coef": 0.001, "torch_dtype": "bfloat16"}


def gemma(base: dict[str, Any], **text: Any) -> dict[str, Any]:
    """`base` as published."""
    return base | GEMMA | {"text_config": base["text_config"] | GEMMA_TEXT | text}


GEMMA_31B = {**real.GEMMA_4, "text_config": real.GEMMA_4["text_config"] | {
    "hidden_size": 5376, "num_hidden_layers": 60, "num_attention_heads": 32, "num_key_value_heads": 16, "num_global_key_value_heads": 4,
    "intermediate_size": 21504, "enable_moe_block": False, "num_experts": None, "top_k_experts": None, "moe_intermediate_size": None,
    "layer_types": (["sliding_attention"] * 5 + ["full_attention"]) * 10,
}}  # fmt: skip
QWEN3_NEXT = dict(find("Qwen/Qwen3-Next-80B-A3B-Instruct").config) | {"bos_token_id": 151643, "eos_token_id": 151645}
GLM_4_5_AIR = dict(find("zai-org/GLM-4.5-Air").config) | {"eos_token_id": [151329, 151336, 151338]}
DEEPSEEK = dict(find("deepseek-ai/DeepSeek-V3.1").config) | {"bos_token_id": 0, "eos_token_id": 1}
# As published, and the keys that say as much.
PUBLISHED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "Gemma 4 26B-A4B": (gemma(real.GEMMA_4), real.GEMMA_4),
    "Gemma 4 31B": (gemma(GEMMA_31B, expert_intermediate_size=None), GEMMA_31B),
    "Qwen3-30B-A3B": (
        real.QWEN3_30B_A3B | QWEN | {"architectures": ["Qwen3MoeForCausalLM"], "transformers_version": "4.51.0"}, real.QWEN3_30B_A3B,
    ),
    "Qwen3-Next-80B-A3B": (
        QWEN3_NEXT | QWEN | {"architectures": ["Qwen3NextForCausalLM"], "transformers_version": "4.57.0.dev0",
                                  "use_sliding_window": False}, QWEN3_NEXT,
    ),
    "gpt-oss-20b": (
        real.GPT_OSS_20B | USUAL | {
            "architectures": ["GptOssForCausalLM"], "experts_per_token": 4, "initial_context_length": 4096, "output_router_logits": False,
            "pad_token_id": 199999, "router_aux_loss_coef": 0.9, "transformers_version": "4.55.0.dev0",
            "quantization_config": {"modules_to_not_convert": ["model.layers.*.self_attn", "model.embed_tokens", "lm_head"],
                                    "quant_method": "mxfp4"},
        }, real.GPT_OSS_20B,
    ),
    "GLM-4.5-Air": (
        GLM_4_5_AIR | USUAL | {"architectures": ["Glm4MoeForCausalLM"], "pad_token_id": 151329, "torch_dtype": "bfloat16",
                                    "transformers_version": "4.54.0"}, GLM_4_5_AIR,
    ),
    "DeepSeek V3.1": (
        DEEPSEEK | USUAL | {
            "architectures": ["DeepseekV3ForCausalLM"], "auto_map": {"AutoConfig": "configuration_deepseek.DeepseekV3Config"},
            "aux_loss_alpha": 0.001, "ep_size": 1, "seq_aux": True, "torch_dtype": "bfloat16", "transformers_version": "4.44.2",
            "quantization_config": {"activation_scheme": "dynamic", "fmt": "e4m3", "quant_method": "fp8", "scale_fmt": "ue8m0",
                                    "weight_block_size": [128, 128]},
        }, DEEPSEEK,
    ),
    "Qwen3-0.6B": (
        real.QWEN3_0_6B | USUAL | {"architectures": ["Qwen3ForCausalLM"], "torch_dtype": "bfloat16", "transformers_version": "4.51.0"},
        real.QWEN3_0_6B,
    ),
}  # fmt: skip


@pytest.mark.parametrize("model", PUBLISHED)
def test_that_what_says_nothing_about_the_maths_changes_nothing(model: str) -> None:
    whole, bare = PUBLISHED[model]
    assert read_arch(whole) == read_arch(bare)


def test_that_the_earlier_word_for_the_width_of_experts_is_read() -> None:
    text = {k: v for k, v in real.GEMMA_4["text_config"].items() if k != "moe_intermediate_size"}
    earlier = real.GEMMA_4 | {"text_config": text | {"expert_intermediate_size": 704}}
    assert read_arch(earlier) == read_arch(real.GEMMA_4)


@pytest.mark.parametrize("family", sorted(set(families()) - {"kimi_k3"}))
def test_that_a_config_that_was_written_again_is_the_same_model(family: str) -> None:
    published, again = (json.loads(p.read_text()) for p in (DATA / family / "config.json", REWRITTEN / f"{family}.json"))
    assert published != again
    assert read_arch(published) == read_arch(again)
