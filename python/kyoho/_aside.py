"""Calls of the library that Ctrl-C ends: they run in a thread of their own, so that Ctrl-C reaches the calling thread."""
import contextvars
import os
import queue
import sys
import threading

import numpy as np

from ._library import call, ffi

PAUSE = 0.05  # seconds: a signal that another thread has received does not wake the one that waits
_works = []  # the queue of the thread that makes the calls, if it runs: it keeps the library's threads for the next call


def _do(works):
    while True:
        works.get()()


def _is_there():
    """Whether the thread runs, which is begun here. Python begins none when it ends, and lets none go on at last."""
    if not _works:
        works = queue.SimpleQueue()
        try:
            threading.Thread(target=_do, args=(works,), name="kyoho", daemon=True).start()
        except RuntimeError:
            return False
        _works.append(works)
    return not sys.is_finalizing()


os.register_at_fork(after_in_child=_works.clear)  # it does not run in a child


def aside(work, stop):
    """What work() returns, which runs in a thread of its own.

    Where a signal raises an exception meanwhile, as Ctrl-C does, stop() is called, which makes work() end, and the exception is
    raised after its end: until then the library uses what the caller holds. In other threads, which no signal reaches, and at
    the end of Python it is work() alone.
    """
    if threading.current_thread() is not threading.main_thread() or not _is_there():
        return work()
    # A lock: the methods of threading.Event are not usable after an exception in their midst.
    taken, given, ended, result = {}, [], threading.Lock(), []
    ended.acquire()
    context = contextvars.copy_context()
    settings = np.errstate(call=np.geterrcall(), **np.geterr())  # numpy before 2 has them for each thread, not in the context

    def work_alike():
        with settings:
            return work()

    def run():
        if taken.setdefault("by", run) is not run:
            return
        try:
            result.append((context.run(work_alike), None))
        except BaseException as why:
            result.append((None, why))
        ended.release()

    def wait(raised):
        if raised and taken.setdefault("by", wait) is wait:  # work() has not begun, and never will
            result.append((None, raised[0]))
            return
        if raised:
            stop()
        elif not given:
            given.append(True)
            _works[0].put(run)
        ended.acquire(timeout=PAUSE)
    raised = _patiently(wait, result)
    found, why = result.pop()
    try:
        if raised:
            raise raised[0]
        if why is not None:
            raise why
        return found
    finally:
        del why, raised  # they know this frame, whose memory would be kept


def _nothing():
    """Where it is called, Python raises the exceptions of signals that have come."""


def _attempt(wait, raised):
    """Calls wait(raised), and adds to `raised` what a signal raises, and what a second one does meanwhile."""
    try:
        try:
            wait(raised)
        except BaseException as why:
            raised.append(why)
        _nothing()
    except BaseException as why:
        raised.append(why)


def _patiently(wait, result):
    """Calls wait(raised) until there is a result, however often Ctrl-C is pressed. Returns `raised`, the exceptions of signals."""
    raised = []
    while not result:
        _attempt(wait, raised)
    return raised


def call_aside(values, function, *arguments):
    """Calls a function of the library, which heeds the flag `stop` of these parameters, so that Ctrl-C ends it."""
    values.stop = flag = ffi.new("int *")

    def stop():
        flag[0] = 1
    try:
        aside(lambda: call(function, *arguments), stop)
    finally:
        values.stop = ffi.NULL
