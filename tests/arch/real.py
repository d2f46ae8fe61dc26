"""config.json of released models, as far as the maths needs them: the sizes that memory plans must be right for."""

from typing import Any

_KDA = [i for i in range(1, 94) if i % 4 and i != 93]

KIMI_K3: dict[str, Any] = {
    "architectures": ["KimiK3ForConditionalGeneration"], "model_type": "kimi_k3", "bos_token_id": 163584, "eos_token_id": 163586,
    "pad_token_id": 163839, "tie_word_embeddings": False, "vision_config": {"depth": 27},
    "text_config": {
        "model_type": "kimi_linear", "vocab_size": 163840, "hidden_size": 7168, "num_hidden_layers": 93, "intermediate_size": 33792,
        "first_k_dense_replace": 1, "moe_layer_freq": 1, "num_experts": 896, "num_experts_per_token": 16, "moe_intermediate_size": 3072,
        "routed_expert_hidden_size": 3584, "latent_moe_use_norm": True, "num_shared_experts": 2, "moe_router_activation_func": "sigmoid",
        "moe_renormalize": True, "routed_scaling_factor": 1.0, "num_expert_group": 1, "topk_group": 1, "topk_method": "noaux_tc",
        "use_grouped_topk": True, "hidden_act": "situ", "activation_situ_beta": 4.0, "activation_situ_linear_beta": 25.0,
        "attn_res_block_size": 12, "rms_norm_eps": 1e-5, "num_attention_heads": 96, "num_key_value_heads": 96, "q_lora_rank": 1536,
        "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "mla_use_nope": True,
        "mla_use_output_gate": True, "num_nextn_predict_layers": 0, "max_position_embeddings": 1048576,
        "linear_attn_config": {
            "num_heads": 96, "head_dim": 128, "short_conv_kernel_size": 4, "gate_lower_bound": -5.0, "use_full_rank_gate": True,
            "kda_layers": _KDA, "full_attn_layers": [i for i in range(1, 94) if i not in _KDA],
        },
        "quantization_config": {"quant_method": "compressed-tensors", "format": "mxfp4-pack-quantized"},
    },
}  # fmt: skip

KIMI_LINEAR: dict[str, Any] = {
    "model_type": "kimi_linear", "vocab_size": 163840, "hidden_size": 2304, "num_hidden_layers": 27, "intermediate_size": 9216,
    "first_k_dense_replace": 1, "moe_layer_freq": 1, "num_experts": 256, "num_experts_per_token": 8, "moe_intermediate_size": 1024,
    "num_shared_experts": 1, "moe_router_activation_func": "sigmoid", "moe_renormalize": True, "routed_scaling_factor": 2.446,
    "num_expert_group": 1, "topk_group": 1, "use_grouped_topk": True, "hidden_act": "silu", "rms_norm_eps": 1e-5,
    "num_attention_heads": 32, "num_key_value_heads": 32, "q_lora_rank": None, "kv_lora_rank": 512, "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64, "v_head_dim": 128, "mla_use_nope": True, "head_dim": 72, "rope_theta": 10000.0, "rope_scaling": None,
    "model_max_length": 1048576, "tie_word_embeddings": False, "eos_token_id": 163586,
    "linear_attn_config": {
        "num_heads": 32, "head_dim": 128, "short_conv_kernel_size": 4, "full_attn_layers": [4, 8, 12, 16, 20, 24, 27],
        "kda_layers": [i for i in range(1, 27) if i % 4],
    },
}  # fmt: skip

GEMMA_4: dict[str, Any] = {
    "model_type": "gemma4", "tie_word_embeddings": True, "eos_token_id": [1, 106], "vision_config": {}, "image_token_id": 258880,
    "boi_token_id": 255999,
    "text_config": {
        "model_type": "gemma4_text", "hidden_size": 2816, "num_hidden_layers": 30, "num_attention_heads": 16, "num_key_value_heads": 8,
        "head_dim": 256, "global_head_dim": 512, "num_global_key_value_heads": 2, "attention_k_eq_v": True, "sliding_window": 1024,
        "layer_types": (["sliding_attention"] * 5 + ["full_attention"]) * 5, "intermediate_size": 2112, "enable_moe_block": True,
        "num_experts": 128, "top_k_experts": 8, "moe_intermediate_size": 704, "hidden_activation": "gelu_pytorch_tanh",
        "final_logit_softcapping": 30.0, "rms_norm_eps": 1e-6, "vocab_size": 262144, "hidden_size_per_layer_input": 0,
        "num_kv_shared_layers": 0, "use_double_wide_mlp": False, "use_bidirectional_attention": "vision",
        "max_position_embeddings": 262144, "pad_token_id": 0, "bos_token_id": 2,
        "rope_parameters": {
            "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0},
            "full_attention": {"rope_type": "proportional", "rope_theta": 1000000.0, "partial_rotary_factor": 0.25},
        },
    },
}  # fmt: skip

GPT_OSS_20B: dict[str, Any] = {
    "model_type": "gpt_oss", "hidden_size": 2880, "num_hidden_layers": 24, "num_attention_heads": 64, "num_key_value_heads": 8,
    "head_dim": 64, "intermediate_size": 2880, "num_local_experts": 32, "num_experts_per_tok": 4, "vocab_size": 201088,
    "rms_norm_eps": 1e-5, "attention_bias": True, "sliding_window": 128, "swiglu_limit": 7.0, "hidden_act": "silu",
    "layer_types": ["sliding_attention", "full_attention"] * 12, "tie_word_embeddings": False, "eos_token_id": 200002,
    "max_position_embeddings": 131072, "rope_theta": 150000,
    "rope_scaling": {
        "rope_type": "yarn", "factor": 32.0, "beta_fast": 32.0, "beta_slow": 1.0, "original_max_position_embeddings": 4096,
        "truncate": False,
    },
    "quantization_config": {"quant_method": "mxfp4"},
}  # fmt: skip

QWEN3_30B_A3B: dict[str, Any] = {
    "model_type": "qwen3_moe", "hidden_size": 2048, "num_hidden_layers": 48, "num_attention_heads": 32, "num_key_value_heads": 4,
    "head_dim": 128, "intermediate_size": 6144, "moe_intermediate_size": 768, "num_experts": 128, "num_experts_per_tok": 8,
    "norm_topk_prob": True, "decoder_sparse_step": 1, "mlp_only_layers": [], "vocab_size": 151936, "rms_norm_eps": 1e-6,
    "attention_bias": False, "rope_theta": 1000000.0, "rope_scaling": None, "sliding_window": None, "use_sliding_window": False,
    "max_window_layers": 48, "hidden_act": "silu", "max_position_embeddings": 40960, "tie_word_embeddings": False,
    "bos_token_id": 151643, "eos_token_id": 151645,
}  # fmt: skip

QWEN3_0_6B: dict[str, Any] = {
    "model_type": "qwen3", "attention_bias": False, "bos_token_id": 151643, "eos_token_id": 151645, "head_dim": 128, "hidden_act": "silu",
    "hidden_size": 1024, "intermediate_size": 3072, "max_position_embeddings": 40960, "max_window_layers": 28, "num_attention_heads": 16,
    "num_hidden_layers": 28, "num_key_value_heads": 8, "rms_norm_eps": 1e-6, "rope_scaling": None, "rope_theta": 1000000,
    "sliding_window": None, "tie_word_embeddings": True, "use_sliding_window": False, "vocab_size": 151936,
}  # fmt: skip

LLAMA_3_2_1B: dict[str, Any] = {
    "model_type": "llama", "attention_bias": False, "bos_token_id": 128000, "eos_token_id": [128001, 128008, 128009], "head_dim": 64,
    "hidden_act": "silu", "hidden_size": 2048, "intermediate_size": 8192, "max_position_embeddings": 131072, "mlp_bias": False,
    "num_attention_heads": 32, "num_hidden_layers": 16, "num_key_value_heads": 8, "pretraining_tp": 1, "rms_norm_eps": 1e-5,
    "rope_theta": 500000.0, "tie_word_embeddings": True, "vocab_size": 128256,
    "rope_scaling": {
        "factor": 32.0, "high_freq_factor": 4.0, "low_freq_factor": 1.0, "original_max_position_embeddings": 8192, "rope_type": "llama3",
    },
}  # fmt: skip

MISTRAL_7B: dict[str, Any] = {
    "model_type": "mistral", "bos_token_id": 1, "eos_token_id": 2, "hidden_act": "silu", "hidden_size": 4096, "intermediate_size": 14336,
    "max_position_embeddings": 32768, "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 8, "rms_norm_eps": 1e-5,
    "rope_theta": 10000.0, "sliding_window": 4096, "tie_word_embeddings": False, "vocab_size": 32000,
}  # fmt: skip
