"""How byte-level tokenizers cut text into pieces before they merge, by the name that GGUF has for it (tokenizer.ggml.pre).

The patterns are those of the families' published tokenizers; the names are llama.cpp's.
"""

from dataclasses import dataclass

from engine.text.ranks import PATTERN

_SHORT = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_SPACES = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
_LLAMA3 = rf"{_SHORT}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_SPACES}"
_QWEN2 = rf"{_SHORT}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_SPACES}"
_QWEN35 = rf"{_SHORT}|[^\r\n\p{{L}}\p{{N}}]?[\p{{L}}\p{{M}}]+|\p{{N}}| ?[^\s\p{{L}}\p{{M}}\p{{N}}]+[\r\n]*|{_SPACES}"
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_GPT4O = (
    rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+{_SHORT}?|[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*{_SHORT}?|"
    rf"\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_SPACES}"
)
_DEEPSEEK3 = (
    r"\p{N}{1,3}",
    "[一-龥぀-ゟ゠-ヿ]+",
    r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|"""
    rf"{_SPACES}",
)
# Cased letters as DeepSeek's first tokenizers list them, by code points: written as characters some of them do not survive an editor.
_CASED = """
    41-5A 61-7A B5 C0-D6 D8-F6 F8-1BA 1BC-1BF 1C4-293 295-2AF 370-373 376 377 37B-37D 37F 386 388-38A 38C 38E-3A1 3A3-3F5 3F7-481 48A-52F
    531-556 10A0-10C5 13A0-13F5 13F8-13FD 1C90-1CBA 1CBD-1CBF 1D00-1D2B 1D6B-1D77 1D79-1D9A 1E00-1F15 1F18-1F1D 1F20-1F45 1F48-1F4D
    1F50-1F57 1F59 1F5B 1F5D 1F5F-1F7D 1F80-1FB4 1FB6-1FBC 1FBE 1FC2-1FC4 1FC6-1FCC 1FD0-1FD3 1FD6-1FDB 1FE0-1FEC 1FF2-1FF4 1FF6-1FFC
    2102 2107 210A-2113 2115 2119-211D 2124 2126 2128 212A-212D 212F-2134 2139 213C-213F 2145-2149 214E 2183 2184 2C00-2C7B 2C7E-2CE4
    2CEB-2CEE 2CF2 2CF3 A640-A66D A680-A69B A722-A76F A771-A787 A78B-A78E AB70-ABBF FB00-FB06 FB13-FB17 FF21-FF3A FF41-FF5A
    10400-1044F 104B0-104D3 104D8-104FB 10C80-10CB2 10CC0-10CF2 118A0-118DF 1E900-1E943
"""
_DEEPSEEK = (
    r"[\r\n]",
    rf"\s?[{''.join('-'.join(chr(int(end, 16)) for end in span.split('-')) for span in _CASED.split())}]+",
    r"\s?[!-/:-~！-／：-～‘-‟　-。]+",
    r"\s+$",
    "[一-龥ࠀ-一가-\ud7ff]+",
    r"\p{N}+",
)
_DEEPSEEK_CODER = (r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", "[一-龥ࠀ-一가-\ud7ff]+", r"\p{N}")


@dataclass(frozen=True)
class Pre:
    """patterns: cuts, one after the other. composed: text is brought into Unicode's form C first. whole_words: a piece that is a token is
    taken as it is. starts: a text begins with the first token, where the file does not say."""

    patterns: tuple[str, ...]
    composed: bool = False
    whole_words: bool = False
    starts: bool = False


PRE: dict[str, Pre] = {
    **dict.fromkeys(("gpt-2", "gpt2"), Pre((_GPT2,))),
    "olmo": Pre((_GPT2,), composed=True),
    **dict.fromkeys(("smollm", "starcoder"), Pre((r"\p{N}", _GPT2))),
    **dict.fromkeys(("llama-bpe", "llama3", "llama-v3"), Pre((_LLAMA3,), whole_words=True, starts=True)),
    **dict.fromkeys(("glm4", "chatglm-bpe", "dbrx", "smaug-bpe"), Pre((_LLAMA3,))),
    "qwen2": Pre((_QWEN2,), composed=True),
    "qwen35": Pre((_QWEN35,), composed=True),
    **dict.fromkeys(("gpt-4o", "llama4", "minimax-m2"), Pre((_GPT4O,))),
    "deepseek-v3": Pre(_DEEPSEEK3),
    "deepseek-llm": Pre(_DEEPSEEK),
    "deepseek-coder": Pre(_DEEPSEEK_CODER),
    "kimi-k2": Pre((PATTERN,)),
}
