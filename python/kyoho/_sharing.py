"""Simulations that several threads use, and children of the process (fork)."""
import functools
import os
import threading
import weakref

from ._aside import aside
from ._library import ffi

_all = weakref.WeakSet()


def alone(method):
    """The method of a Shared, while no other thread uses that."""
    @functools.wraps(method)
    def method_alone(shared, *arguments, **more):
        def work():
            with shared._lock:
                return method(shared, *arguments, **more)
        return shared._apart(work)
    return method_alone


class Shared:
    """What a simulation is with regard to threads."""

    _view = None  # what Simulation.view() has opened

    def _share(self):
        """To be called once, when there is a simulation."""
        self._lock = threading.RLock()
        self._busy = False  # a call of the library is at work
        self._lost = None  # why the bodies are not what they should be
        _all.add(self)

    def _apart(self, work):
        """work(), which calls the library: aside where that calls a function of Python, which Ctrl-C would end in the calling
        thread, so that the bodies had no forces."""
        return aside(work, self.stop) if self._parameters.asked else work()

    def _inherit(self):
        """Makes a simulation of the parent one of this process, a child. Threads of the parent, and its pages, are not here."""
        if self._view is not None:
            ffi.release(self._view)
        self._view = None
        if self._lock.acquire(blocking=False):
            self._lock.release()
        else:  # by a thread of the parent
            self._lock, self._busy = threading.RLock(), False
            self._lost = "another thread used the simulation when the process forked"


def _in_child():
    for shared in list(_all):
        shared._inherit()


os.register_at_fork(after_in_child=_in_child)
