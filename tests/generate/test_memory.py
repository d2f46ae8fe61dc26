"""Remembered turns: ids stay as drawn where the text is the same, else the text is encoded anew."""

from engine.generate.memory import Memory, tokens_of


class Encoder:
    """One id a character, and a note of what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, bool]] = []

    def __call__(self, text: str, mark: str, continued: bool) -> list[int]:
        self.asked.append((text, continued))
        return [ord(c) for c in text]


def test_that_drawn_ids_stay_and_only_the_rest_is_encoded() -> None:
    memory, encode = Memory(), Encoder()
    prompt = memory.encode("ab", "m", encode)
    memory.keep("ab", "m", prompt, [("cd", 1)], [1000])
    assert memory.encode("abcdef", "m", encode) == [97, 98, 1000, 101, 102]
    assert encode.asked[-1] == ("ef", True)


def test_that_another_text_or_mark_is_encoded_whole() -> None:
    memory, encode = Memory(), Encoder()
    memory.keep("ab", "m", [97, 98], [("cd", 1)], [1000])
    for text, mark in (("abxd", "m"), ("abcd", "n"), ("abc", "m")):
        assert memory.encode(text, mark, encode) == [ord(c) for c in text]


def test_that_a_template_that_trims_an_answer_finds_it_too() -> None:
    memory, encode = Memory(), Encoder()
    memory.keep("ab", "m", [97, 98], [("cd\n", 2), ("cd", 1)], [1000, 1001])
    assert memory.encode("abcd\nX", "m", encode) == [97, 98, 1000, 1001, 88]
    assert memory.encode("abcdX", "m", encode) == [97, 98, 1000, 88]


def test_that_an_answer_that_is_asked_for_again_keeps_earlier_turns() -> None:
    memory, encode = Memory(), Encoder()
    memory.keep("ab", "m", [97, 98], [("cd", 1)], [1000])
    second = memory.encode("abcd?", "m", encode)
    memory.keep("abcd?", "m", second, [("no", 1)], [2000])
    assert memory.encode("abcd?", "m", encode) == second == [97, 98, 1000, 63]
    memory.keep("abcd?", "m", second, [("yes", 1)], [3000])
    assert memory.encode("abcd?yes!", "m", encode) == [97, 98, 1000, 63, 3000, 33]
    assert memory.encode("abcd?no!", "m", encode) == [97, 98, 1000, 63, 110, 111, 33]


def test_that_an_answer_without_text_is_not_remembered() -> None:
    memory, encode = Memory(), Encoder()
    memory.keep("ab", "m", [97, 98], [], [])
    assert memory.encode("ab", "m", encode) == [97, 98]


def test_that_only_whole_tokens_make_a_cut() -> None:
    ends = [2, 2, 5, 5, 6]
    assert [tokens_of(n, ends) for n in (2, 3, 5, 6, 7)] == [1, None, 3, 5, None]
