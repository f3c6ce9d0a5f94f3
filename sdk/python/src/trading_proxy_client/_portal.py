"""What the synchronous client runs on: an event loop in a thread of its own."""

from __future__ import annotations

import asyncio
import os
import threading
import weakref
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def _end(loop: asyncio.AbstractEventLoop) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(loop.stop)


class Portal:
    """Runs coroutines for threads that wait for them. The thread begins with the first call and ends with `close`."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._process = os.getpid()

    def loop(self) -> asyncio.AbstractEventLoop:
        if self._process != os.getpid():
            raise RuntimeError("this client was made before a fork: make one in each process")
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, name="trading-proxy-client", daemon=True)
                self._thread.start()
                weakref.finalize(self, _end, self._loop)
            return self._loop

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """What `work` gives; whoever interrupts the wait ends the work."""
        try:
            loop = self.loop()
            if threading.current_thread() is self._thread:
                raise RuntimeError("a hook cannot call the client that it belongs to")
            future = asyncio.run_coroutine_threadsafe(work, loop)
        except BaseException:
            work.close()
            raise
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def close(self, ending: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run `ending`, end what still runs, and the thread."""
        loop, thread = self._loop, self._thread
        if loop is None or thread is None or not thread.is_alive():
            return
        self.run(_ended(ending))
        _end(loop)
        thread.join(5)
        if not thread.is_alive():
            loop.close()


async def _ended(ending: Callable[[], Coroutine[Any, Any, None]]) -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    await ending()
