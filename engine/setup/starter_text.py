"""The tokenizer of SmolLM2, from its GGUF file's fields, as the files of a checkpoint. Made in a process of its own, see engine.apart."""

import json
from collections.abc import Mapping
from typing import Any

from engine.setup.gguf_text import CONTROL, NAMES


def tokenizer_files(fields: Mapping[str, Any], template: str, context: int) -> dict[str, bytes]:
    """tokenizer.json, tokenizer_config.json and chat_template.jinja. fields: by their names behind "tokenizer.ggml."."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers  # noqa: PLC0415  only where this is called

    tokens = fields["tokens"]
    merges = [tuple(m.split(" ")) for m in fields["merges"]]
    tk = Tokenizer(models.BPE(vocab={t: i for i, t in enumerate(tokens)}, merges=merges))
    tk.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tk.decoder = decoders.ByteLevel()
    control = [t for t, kind in zip(tokens, fields["token_type"], strict=True) if kind == CONTROL]
    tk.add_special_tokens([AddedToken(t, special=True, normalized=False) for t in control])
    config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        **{k: tokens[fields[f"{g}_token_id"]] for k, g in NAMES.items()},
        "clean_up_tokenization_spaces": False,
        "model_max_length": context,
        "chat_template": template,
    }
    return {
        "tokenizer.json": tk.to_str(pretty=True).encode(),
        "tokenizer_config.json": json.dumps(config, indent=1, ensure_ascii=False).encode(),
        "chat_template.jinja": template.encode(),
    }
