"""Work in the background: in order, finished at the end, and no reason to stay where a drive never answers."""

import threading

from app.background import Background


def test_that_work_is_done_in_order_and_finished_at_the_end() -> None:
    done: list[int] = []
    background = Background()
    for n in range(50):
        background.run(lambda n=n: done.append(n))
    background.run(lambda: 1 // 0)  # is logged
    assert background.close(60) and done == list(range(50))
    assert background.close(0)


def test_that_a_drive_that_does_not_answer_is_not_waited_for() -> None:
    answers = threading.Event()
    background = Background()
    background.run(answers.wait)
    assert not background.close(0.01)
    answers.set()
    assert background.close(60)
