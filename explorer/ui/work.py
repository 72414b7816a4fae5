"""Long computations for many viewers: one at a time, in turn, and only while somebody waits.

Work runs in the viewer's own script thread. Every step reports progress through a Streamlit call,
which raises when the viewer has left or changed a control; that ends the work at that step. No
thread is ever left behind.
"""

import threading
from collections import deque
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")
POLL_SECONDS = 0.1


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
