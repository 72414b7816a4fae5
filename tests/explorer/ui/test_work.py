"""One computation at a time, in turn, and nothing left behind."""

import threading
import time
from itertools import pairwise

import pytest

from explorer.measure.progress import Progress, silent
from explorer.ui.work import Baton, SingleFlight, Turnstile, Workers


def nothing() -> None:
    pass


def wait_for(condition: "threading.Event") -> None:
    assert condition.wait(10)


def test_two_threads_are_never_inside_at_once() -> None:
    turnstile, inside, most = Turnstile(), [0], [0]

    def work() -> None:
        with turnstile.turn(nothing) as pass_on:
            for _ in range(50):
                inside[0] += 1
                most[0] = max(most[0], inside[0])
                inside[0] -= 1
                pass_on()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert most == [1]


def test_steps_of_two_workers_alternate() -> None:
    turnstile, order = Turnstile(), []
    both = threading.Barrier(2)

    def work(name: str) -> None:
        both.wait()
        with turnstile.turn(nothing) as pass_on:
            for _ in range(20):
                order.append(name)
                time.sleep(0.002)
                pass_on()

    threads = [threading.Thread(target=work, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    together = order[2:-2]
    assert sum(a == b for a, b in pairwise(together)) <= 2


def test_who_leaves_the_queue_holds_nobody_up() -> None:
    turnstile = Turnstile()
    entered, leave = threading.Event(), threading.Event()

    def first() -> None:
        with turnstile.turn(nothing):
            entered.set()
            wait_for(leave)

    def give_up() -> None:
        raise InterruptedError

    holder = threading.Thread(target=first)
    holder.start()
    wait_for(entered)
    with pytest.raises(InterruptedError), turnstile.turn(give_up):
        pytest.fail("got a turn that another held")
    leave.set()
    holder.join(10)
    with turnstile.turn(give_up):
        pass  # free again: waiting would have raised


def test_work_that_fails_gives_its_turn_back() -> None:
    turnstile = Turnstile()
    with pytest.raises(ZeroDivisionError), turnstile.turn(nothing):
        _ = 1 / 0
    with turnstile.turn(nothing):
        pass


def test_one_of_many_makes_it_and_the_rest_find_it() -> None:
    flights, made, cache = SingleFlight(), [], {}

    def want() -> None:
        with flights.alone("key", nothing):
            if "key" not in cache:
                made.append(1)
                time.sleep(0.05)
                cache["key"] = 1

    threads = [threading.Thread(target=want) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert made == [1]
    assert not flights._flights


def test_when_the_maker_gives_up_the_next_takes_over() -> None:
    flights = SingleFlight()
    with pytest.raises(InterruptedError), flights.alone("key", nothing):
        raise InterruptedError
    with flights.alone("key", nothing):
        pass
    assert not flights._flights


def test_thirty_who_change_their_minds_leave_no_queue() -> None:
    turnstile, flights = Turnstile(), SingleFlight()
    stop = time.monotonic() + 3
    finished: list[int] = []

    class ChangedMindError(Exception):
        pass

    def viewer(n: int) -> None:
        choice = 0
        while time.monotonic() < stop:
            until = time.monotonic() + 0.3  # then the next control is moved
            choice += 1

            def here(until: float = until) -> None:
                if time.monotonic() > until:
                    raise ChangedMindError

            try:
                with flights.alone((n, choice), here), turnstile.turn(here) as pass_on:
                    for _ in range(20):
                        time.sleep(0.01)
                        here()
                        pass_on()
                    finished.append(n)
            except ChangedMindError:
                continue

    threads = [threading.Thread(target=viewer, args=(n,)) for n in range(30)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert not any(thread.is_alive() for thread in threads)
    assert not turnstile._queue
    assert not flights._flights
    start = time.monotonic()
    with turnstile.turn(nothing):
        pass
    assert time.monotonic() - start < 0.1


def test_who_comes_after_many_have_left_waits_for_one_step_at_most() -> None:
    turnstile = Turnstile()
    entered, left = threading.Event(), threading.Event()

    class LeftError(Exception):
        pass

    def here() -> None:
        if left.is_set():
            raise LeftError

    def long_work() -> None:
        try:
            with turnstile.turn(here) as pass_on:
                for _ in range(1_000):
                    entered.set()
                    time.sleep(0.05)
                    here()
                    pass_on()
        except LeftError:
            pass

    threads = [threading.Thread(target=long_work) for _ in range(30)]
    for thread in threads:
        thread.start()
    wait_for(entered)
    left.set()
    start = time.monotonic()
    with turnstile.turn(nothing):
        waited = time.monotonic() - start
    for thread in threads:
        thread.join(10)
    assert waited < 1.0  # 30 × 1,000 steps would be 25 minutes
    assert not turnstile._queue


def test_work_is_done_in_one_thread_for_all_who_come_after_one_another() -> None:
    workers, found = Workers(), []

    def ask() -> None:
        found.append(workers.run(lambda _: threading.get_ident(), silent))

    for _ in range(5):
        thread = threading.Thread(target=ask)
        thread.start()
        thread.join(10)
    assert len(found) == 5
    assert len(set(found)) == 1
    assert found[0] != threading.get_ident()


def test_steps_are_reported_in_the_thread_that_asked_and_while_the_work_waits() -> None:
    told: list[tuple[object, ...]] = []
    reached = [0]

    def count(on_step: Progress) -> str:
        for reached[0] in range(1, 4):
            on_step(reached[0], 3, "step")
        return "done"

    def on_step(*step: object) -> None:
        told.append((*step, reached[0], threading.get_ident()))

    here = threading.get_ident()
    assert Workers().run(count, on_step) == "done"
    assert told == [(n, 3, "step", n, here) for n in (1, 2, 3)]


def test_who_leaves_at_a_step_ends_the_work_there_and_the_worker_serves_the_next() -> None:
    workers, reached, ended = Workers(), [0], []

    def count(on_step: Progress) -> None:
        try:
            for reached[0] in range(1, 100):
                on_step(reached[0], 100, "step")
        finally:
            ended.append(reached[0])

    class LeftError(BaseException):
        pass

    def leave_at_three(done: int, *_: object) -> None:
        if done == 3:
            raise LeftError

    with pytest.raises(LeftError):
        workers.run(count, leave_at_three)
    assert ended == [3]
    with pytest.raises(ZeroDivisionError):
        workers.run(lambda _: 1 / 0, silent)
    assert workers.run(lambda _: 4, silent) == 4


def test_many_at_once_have_a_worker_each_and_one_is_kept() -> None:
    workers, all_there = Workers(), threading.Barrier(4)

    def meet(_: Progress) -> None:
        all_there.wait(10)

    threads = [threading.Thread(target=workers.run, args=(meet, silent)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert not all_there.broken
    assert len(workers._warm) == 1


def test_scripts_run_one_after_the_other_in_the_order_of_arrival() -> None:
    baton, order = Baton(), []
    threads = []

    def script(name: int) -> None:
        with baton.held():
            order.append(name)
            time.sleep(0.005)
            order.append(name)

    with baton.held():
        for name in range(8):
            threads.append(threading.Thread(target=script, args=(name,)))
            threads[-1].start()
            while len(baton._waiting) <= name:
                time.sleep(0.001)
    for thread in threads:
        thread.join(10)
    assert order == [name for name in range(8) for _ in range(2)]


def test_another_script_runs_while_one_has_put_the_baton_down() -> None:
    baton, waits, ran = Baton(), threading.Event(), threading.Event()

    def computes() -> None:
        with baton.held(), baton.put_down():
            waits.set()
            wait_for(ran)

    first = threading.Thread(target=computes)
    first.start()
    wait_for(waits)
    with baton.held():
        ran.set()
    first.join(10)
    assert not first.is_alive()


def test_a_script_within_a_script_goes_on_and_the_baton_is_given_back_once() -> None:
    baton = Baton()
    for _ in range(2):
        with pytest.raises(ValueError, match="an end"), baton.held(), baton.held():  # noqa: PT012
            with baton.put_down(), baton.put_down():
                assert baton._free
            assert not baton._free
            raise ValueError("an end")
        assert baton._free
    with baton.put_down():  # in a thread that runs no script
        assert baton._free
