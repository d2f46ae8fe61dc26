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
DUMPED = {  # defaults that Kimi K3's inner config has
    "_name_or_path": "", "id2label": {"0": "LABEL_0"}, "label2id": {"LABEL_0": 0}, "length_penalty": 1.0, "max_length": 20,
    "num_beam_groups": 1, "num_beams": 1, "num_return_sequences": 1, "pruned_heads": {}, "repetition_penalty": 1.0, "return_dict": True,
    "temperature": 1.0, "top_k": 50, "top_p": 1.0, "transformers_version": "4.56.2", "typical_p": 1.0, "use_cache": True,
    **dict.fromkeys((
        "bad_words_ids", "begin_suppress_tokens", "cross_attention_hidden_size", "decoder_start_token_id",
        "exponential_decay_length_penalty", "finetuning_task", "forced_bos_token_id", "forced_eos_token_id", "prefix", "problem_type",
        "sep_token_id", "suppress_tokens", "task_specific_params", "tokenizer_class",
    )),
    **dict.fromkeys((
        "add_cross_attention", "do_sample", "early_stopping", "is_decoder", "is_encoder_decoder", "output_attentions",
        "output_hidden_states", "output_scores", "remove_invalid_values", "return_dict_in_generate", "tf_legacy_loss",
        "tie_encoder_decoder", "torchscript", "use_bfloat16",
    ), False),
    **dict.fromkeys((
        "chunk_size_feed_forward", "diversity_penalty", "encoder_no_repeat_ngram_size", "min_length", "no_repeat_ngram_size",
    ), 0),
}  # fmt: skip
QWEN = {**USUAL, "output_router_logits": False, "router_aux_loss_coef": 0.001, "torch_dtype": "bfloat16"}


def gemma(base: dict[str, Any], **text: Any) -> dict[str, Any]:
    """`base` as published."""
    return base | GEMMA | {"text_config": base["text_config"] | GEMMA_TEXT | text}


def compressed(how: str, kind: str, **more: Any) -> dict[str, Any]:
    """Weights of 4 bits in groups of 32, as compressed-tensors writes it."""
    weights = {
        "actorder": None, "block_structure": None, "dynamic": False, "group_size": 32, "num_bits": 4, "observer": "minmax",
        "observer_kwargs": {}, "strategy": "group", "symmetric": True, "type": kind, **more,
    }  # fmt: skip
    group = {"format": how, "input_activations": None, "output_activations": None, "targets": ["Linear"], "weights": weights}
    return {
        "config_groups": {"group_0": group}, "format": how, "global_compression_ratio": None, "kv_cache_scheme": None,
        "ignore": ["re:.*self_attn.*", "re:.*lm_head.*"], "quant_method": "compressed-tensors", "quantization_status": "compressed",
    }  # fmt: skip


GEMMA_31B = {**real.GEMMA_4, "text_config": real.GEMMA_4["text_config"] | {
    "hidden_size": 5376, "num_hidden_layers": 60, "num_attention_heads": 32, "num_key_value_heads": 16, "num_global_key_value_heads": 4,
    "intermediate_size": 21504, "enable_moe_block": False, "num_experts": None, "top_k_experts": None, "moe_intermediate_size": None,
    "layer_types": (["sliding_attention"] * 5 + ["full_attention"]) * 10,
}}  # fmt: skip
QWEN3_NEXT = dict(find("Qwen/Qwen3-Next-80B-A3B-Instruct").config) | {"bos_token_id": 151643, "eos_token_id": 151645}
GLM_4_5_AIR = dict(find("zai-org/GLM-4.5-Air").config) | {"eos_token_id": [151329, 151336, 151338]}
DEEPSEEK = dict(find("deepseek-ai/DeepSeek-V3.1").config) | {"bos_token_id": 0, "eos_token_id": 1}
KIMI_K2 = dict(find("moonshotai/Kimi-K2-Thinking").config) | {"bos_token_id": 163584, "eos_token_id": 163586}
MINIMAX_M2 = {
    "model_type": "minimax_m2", "head_dim": 128, "hidden_act": "silu", "hidden_size": 3072, "intermediate_size": 1536,
    "max_position_embeddings": 204800, "num_attention_heads": 48, "num_experts_per_tok": 8, "num_hidden_layers": 62,
    "num_key_value_heads": 8, "num_local_experts": 256, "qk_norm_type": "per_layer", "rms_norm_eps": 1e-6, "rope_theta": 5000000,
    "rotary_dim": 64, "scoring_func": "sigmoid", "shared_intermediate_size": 0, "tie_word_embeddings": False, "use_qk_norm": True,
    "use_routing_bias": True, "vocab_size": 200064,
}  # fmt: skip
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
    "Kimi K3": (
        real.KIMI_K3 | {
            "auto_map": {"AutoConfig": "configuration_kimi_k3.KimiK3Config"}, "dtype": "bfloat16", "ignore_index": -100,
            "image_placeholder": "<|kimi_image_placeholder|>", "media_placeholder_token_id": 163605,
            "text_config": real.KIMI_K3["text_config"] | DUMPED | {
                "architectures": ["KimiLinearForCausalLM"], "bos_token_id": 163584, "dtype": "bfloat16", "eos_token_id": 163586,
                "initializer_range": 0.02, "pad_token_id": 163839, "tie_word_embeddings": False,
                "quantization_config": compressed("mxfp4-pack-quantized", "float", scale_dtype="torch.uint8", zp_dtype=None),
            },
        }, real.KIMI_K3,
    ),
    "Kimi K2 Thinking": (
        KIMI_K2 | USUAL | {
            "architectures": ["DeepseekV3ForCausalLM"], "auto_map": {"AutoConfig": "configuration_deepseek.DeepseekV3Config"},
            "aux_loss_alpha": 0.001, "dtype": "bfloat16", "ep_size": 1, "pretraining_tp": 1, "seq_aux": True,
            "quantization_config": compressed("pack-quantized", "int"), "transformers_version": "4.57.1",
        }, KIMI_K2,
    ),
    "MiniMax-M2": (
        MINIMAX_M2 | {
            "architectures": ["MiniMaxM2ForCausalLM"], "attention_dropout": 0.0, "attn_type_list": [1] * 62, "dtype": "bfloat16",
            "auto_map": {"AutoConfig": "configuration_minimax_m2.MiniMaxM2Config"}, "mtp_transformer_layers": 1, "num_mtp_modules": 3,
            "quantization_config": {"activation_scheme": "dynamic", "fmt": "float8_e4m3fn", "quant_method": "fp8",
                                    "weight_block_size": [128, 128],
                                    "modules_to_not_convert": ["gate", "e_score_correction_bias", "lm_head"]},
            "sliding_window": None, "transformers_version": "4.46.1", "use_cache": True, "use_mtp": True,
        }, MINIMAX_M2,
    ),
    "a mirror of Qwen3-30B-A3B": (
        real.QWEN3_30B_A3B | QWEN | {"unsloth_fixed": True, "unsloth_version": "2025.6.2", "pad_token_id": 151654}, real.QWEN3_30B_A3B,
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
