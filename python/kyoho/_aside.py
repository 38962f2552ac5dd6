"""Calls of the library that Ctrl-C ends: they run in a thread of their own, so that Ctrl-C reaches the calling thread."""
import contextvars
import os
import queue
import threading

from ._library import call, ffi

_works = []  # the queue of the thread that makes the calls, if it runs: it keeps the library's threads for the next call


def _do(works):
    while True:
        works.get()()


def _begin(work):
    """Has the thread call work(), after what it was given before."""
    if not _works:
        works = queue.SimpleQueue()
        threading.Thread(target=_do, args=(works,), name="kyoho", daemon=True).start()
        _works.append(works)
    _works[0].put(work)


os.register_at_fork(after_in_child=_works.clear)  # it does not run in a child


def aside(work, stop):
    """What work() returns, which runs in a thread of its own.

    Where a signal raises an exception meanwhile, as Ctrl-C does, stop() is called, which makes work() end, and the exception is
    raised after its end: until then the library uses what the caller holds. In other threads, which no signal reaches, it is
    work() alone.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    turn, ended, result = threading.Lock(), threading.Event(), []
    context = contextvars.copy_context()  # of numpy.errstate, say

    def run():
        if not turn.acquire(blocking=False):
            return
        try:
            result.append((context.run(work), None))
        except BaseException as why:
            result.append((None, why))
        ended.set()
    try:
        _begin(run)
        ended.wait()
    except BaseException:
        if turn.acquire(blocking=False):
            raise  # work() has not begun, and never will
        _end(stop, ended)
        raise
    found, why = result.pop()
    if why is None:
        return found
    try:
        raise why
    finally:
        del why  # it knows this frame, whose memory would be kept


def _end(stop, ended):
    """Calls stop(), and waits, however often Ctrl-C is pressed."""
    while not ended.is_set():
        try:
            stop()
            ended.wait()
        except BaseException:
            continue


def call_aside(values, function, *arguments):
    """Calls a function of the library, which heeds the flag `stop` of these parameters, so that Ctrl-C ends it."""
    values.stop = flag = ffi.new("int *")

    def stop():
        flag[0] = 1
    try:
        aside(lambda: call(function, *arguments), stop)
    finally:
        values.stop = ffi.NULL
