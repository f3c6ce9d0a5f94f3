"""What the synchronous client runs on: an event loop in a thread of its own."""

from __future__ import annotations

import asyncio
import os
import threading
import weakref
from collections.abc import AsyncIterator, Coroutine, Iterator
from typing import Any, TypeVar

T = TypeVar("T")


class Portal:
    """Runs coroutines for threads that wait for them."""

    def __init__(self) -> None:
        self._loop, self._process = asyncio.new_event_loop(), os.getpid()
        self._thread = threading.Thread(target=self._loop.run_forever, name="trading-proxy-client", daemon=True)
        self._thread.start()
        self._stop = weakref.finalize(self, self._loop.call_soon_threadsafe, self._loop.stop)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """What `work` gives; whoever interrupts the wait ends the work."""
        try:
            if self._process != os.getpid():
                raise RuntimeError("this client was made before a fork: make one in each process")
            if threading.current_thread() is self._thread:
                raise RuntimeError("a hook cannot call the client that it belongs to")
            future = asyncio.run_coroutine_threadsafe(work, self._loop)
        except BaseException:
            work.close()
            raise
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def iterate(self, source: AsyncIterator[T]) -> Iterator[T]:
        """The items of `source`, each read when it is asked for."""

        async def following() -> list[T]:
            async for item in source:
                return [item]
            return []

        while found := self.run(following()):
            yield found[0]

    def close(self, ending: Coroutine[Any, Any, None]) -> None:
        """Run `ending`, end what still runs, and the thread."""
        if self._stop.detach() is None:
            ending.close()  # Another thread is at it, or was.
            return
        self.run(_ended(ending))
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _ended(ending: Coroutine[Any, Any, None]) -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    await ending
