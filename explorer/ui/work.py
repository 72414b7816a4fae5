"""Scripts and long computations of many viewers: one at a time, in turn.

A script runs while it holds the baton, and puts it down where it computes. A computation goes on
only while somebody waits for it: a viewer's own script thread waits for the turn and for the work.
Every step reports to that thread, by a Streamlit call that raises when the viewer has left or changed
a control; that ends the work at that step. No work is ever left behind.
"""

import threading
from collections import deque
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from queue import SimpleQueue
from typing import TypeVar

from explorer.measure.progress import Progress

T = TypeVar("T")
POLL_SECONDS = 0.1


class Baton:
    """What a thread has to hold to run a script: they run one after the other, as they arrive.

    Python runs one thread at a time anyway. Thirty that take turns are all finished at the end, and
    who gets the next turn is left to chance; one after the other, half of them are finished by half
    of that time, and none waits for one that came later.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._free = True
        self._waiting: deque[threading.Event] = deque()
        self._mine = threading.local()

    def _held_here(self) -> bool:
        return getattr(self._mine, "held", False)

    def _take(self) -> None:
        turn = threading.Event()
        with self._lock:
            if self._free:
                self._free = False
                turn.set()
            else:
                self._waiting.append(turn)
        turn.wait()
        self._mine.held = True

    def _give(self) -> None:
        self._mine.held = False
        with self._lock:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._free = True

    @contextmanager
    def held(self) -> Iterator[bool]:
        """Wait for the baton, and hold it; a thread that holds it goes on at once.

        Yields:
            Whether it was taken: false for what runs within a script that holds it.
        """
        if self._held_here():
            yield False
            return
        self._take()
        try:
            yield True
        finally:
            self._give()

    @contextmanager
    def put_down(self) -> Iterator[None]:
        """Let others run while this thread waits for something; where it holds nothing, do nothing."""
        if not self._held_here():
            yield
            return
        self._give()
        try:
            yield
        finally:
            self._take()


BATON = Baton()
"""The one that scripts hold. Put it down before waiting for another script, or both wait for ever."""


class Workers:
    """Threads that compute for others, one of which is kept warm.

    Streamlit starts a thread for every run of a script. Memory and torch's helper threads belong to
    the thread that computes: a new one has to get both again, and when several of them have
    helpers, those sleep between operations. A forward pass takes a third longer in such a thread.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._warm: list[ThreadPoolExecutor] = []  # one at most

    @contextmanager
    def _borrowed(self) -> Iterator[ThreadPoolExecutor]:
        with self._lock:
            worker = self._warm.pop() if self._warm else ThreadPoolExecutor(1, "compute")
        try:
            yield worker
        finally:
            with self._lock:
                if self._warm:
                    worker.shutdown(wait=False)
                else:
                    self._warm.append(worker)

    def run(self, compute: Callable[[Progress], T], on_step: Progress) -> T:
        """Compute in a worker, and return or raise here what that gives.

        Args:
            compute: Told how to report its steps.
            on_step: Called here, in the caller's thread, while the work waits. What it raises is
                raised in the work.
        """
        steps: SimpleQueue[tuple[tuple[int, int, str], Future[None]] | None] = SimpleQueue()

        def report(*step: int | str) -> None:
            answer: Future[None] = Future()
            steps.put((step, answer))  # type: ignore[arg-type]
            answer.result()

        def work() -> T:
            try:
                return compute(report)
            finally:
                steps.put(None)

        with self._borrowed() as worker:
            result = worker.submit(work)
            while (reported := steps.get()) is not None:
                step, answer = reported
                try:
                    on_step(*step)
                except BaseException as error:  # noqa: BLE001  (raised in the work, and from there)
                    answer.set_exception(error)
                else:
                    answer.set_result(None)
            return result.result()


class Turnstile:
    """Let one thread through at a time, in the order of arrival."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._queue: deque[object] = deque()

    @property
    def crowded(self) -> bool:
        """Whether somebody waits for the turn that is being had."""
        with self._condition:
            return len(self._queue) > 1

    def _join(self) -> object:
        ticket = object()
        with self._condition:
            self._queue.append(ticket)
        return ticket

    def _leave(self, ticket: object) -> None:
        with self._condition:
            self._queue.remove(ticket)
            self._condition.notify_all()

    def _wait(self, ticket: object, while_waiting: Callable[[], None]) -> None:
        while True:
            with self._condition:
                if self._condition.wait_for(lambda: self._queue[0] is ticket, POLL_SECONDS):
                    return
            while_waiting()

    @contextmanager
    def turn(self, while_waiting: Callable[[], None]) -> Iterator[Callable[[], None]]:
        """Wait for a turn, and give it back at the end, however that comes.

        Args:
            while_waiting: Called ten times a second; may raise to leave the queue.

        Yields:
            A function that lets the others have their turns first, if any wait, and returns when it
            is this thread's turn again.
        """
        tickets = [self._join()]

        def pass_on() -> None:
            with self._condition:
                alone = len(self._queue) == 1
            if not alone:
                tickets.append(self._join())
                self._leave(tickets.pop(0))
                self._wait(tickets[0], while_waiting)

        try:
            self._wait(tickets[0], while_waiting)
            yield pass_on
        finally:
            for ticket in tickets:
                self._leave(ticket)


class SingleFlight:
    """Let several threads that want the same thing wait for one of them to make it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._flights: dict[Hashable, tuple[threading.Lock, list[int]]] = {}

    @contextmanager
    def alone(self, key: Hashable, while_waiting: Callable[[], None]) -> Iterator[None]:
        """Hold `key` alone; those who wait look in their cache first when they get it.

        Args:
            key: What is being made.
            while_waiting: Called ten times a second; may raise to stop waiting.
        """
        with self._lock:
            flight, users = self._flights.setdefault(key, (threading.Lock(), [0]))
            users[0] += 1
        try:
            while not flight.acquire(timeout=POLL_SECONDS):
                while_waiting()
            try:
                yield
            finally:
                flight.release()
        finally:
            with self._lock:
                users[0] -= 1
                if not users[0]:
                    del self._flights[key]
