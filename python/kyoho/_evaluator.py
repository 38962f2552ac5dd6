"""The engine that calls on arrays keep between them, and the bodies that they give it: arrays of the host or of a device."""
import atexit
import os
import threading

import numpy as np

from . import _arrays
from ._aside import call_aside
from ._library import NULL, call, ffi, lib, struct
from ._on_device import NUMBERS, OF_THREAD, Array, empty_like, engine_for, is_on_device
from .errors import UsageError

COLUMNS = {"position": 3, "mass": 1, "softening": 1, "acceleration": 3, "potential": 1}


def _opened():
    handle = ffi.new("struct ky_evaluator **")
    call(lib.ky_evaluator_open, handle)
    return ffi.gc(handle[0], lib.ky_evaluator_close)


class _Kept:
    """The evaluator of this process. Where another thread uses it, a call has one of its own."""

    def __init__(self):
        self.lock, self.evaluator = threading.Lock(), None

    def run(self, use):
        """use(evaluator)."""
        if not self.lock.acquire(blocking=False):
            own = _opened()
            try:
                return use(own)
            finally:
                ffi.release(own)
        try:
            if self.evaluator is None:
                self.evaluator = _opened()
            return use(self.evaluator)
        finally:
            self.lock.release()

    def release(self):
        with self.lock:
            if self.evaluator is not None:
                ffi.release(self.evaluator)
            self.evaluator = None


_kept = [_Kept()]


def _begin_anew():
    """A child of the process has no device of its parent, and its lock may be held by a thread that is not here."""
    _kept[0] = _Kept()


os.register_at_fork(after_in_child=_begin_anew)
atexit.register(lambda: _kept[0].release())


def release():
    """
    Frees the memory of a device that kyoho.gravity, accelerations, potential and field keep for their next call.

    Arguments: none.
    Example:
      kyoho.release()

    They keep the engine of their last call, so that the next one with as many bodies and the same options begins at once.
    """
    _kept[0].release()


class ArrayBodies:
    """A struct ky_array_bodies as `values`, of arrays of one device or of the host, and the results that the library fills."""

    def __init__(self, given, units, wanted, names=None):
        """`given` has the position of all bodies or points, and mass and softening where there are such: arrays or one number.
        `names` has other names for error texts."""
        self.names = names or {}
        self.values, self.arrays, self.results, self.keep = struct("ky_array_bodies"), [], {}, []
        self.on_device = is_on_device(given["position"])
        self.values.on_device = self.on_device
        self.n = 0
        for name, value in given.items():
            self._give(name, value, units)
        self.values.n = self.n
        for name in wanted:
            self._want(name, given["position"])

    def _give(self, name, value, units):
        called = self.names.get(name, name)
        if is_on_device(value) != self.on_device and not _arrays.single(value):
            raise UsageError(f"{called} and the positions must both be on the device or both on the host")
        if self.on_device and not _arrays.single(value):
            array = Array(value, called, COLUMNS[name])
            self.n = self.n if self.arrays else array.shape[0]
            if array.shape[0] != self.n:
                raise UsageError(f"{called} has the shape {array.shape}; it must be ({self.n},), {self.n} numbers in a row")
            self._put(name, array)
            return
        kind = "mass" if name == "mass" else "length"
        value = units.number(value, kind, called)
        if name == "position":
            value = _arrays.vectors(value, called, _arrays.real_kind(value))
            self.n = len(value)
        elif _arrays.single(value):
            self.values.equal_mass = _arrays.number(value, called)  # one softening is an option
            return
        else:
            value = _arrays.scalars(value, called, self.n, _arrays.real_kind(value))
        self._put_host(name, value)

    def _put(self, name, array):
        self.arrays.append(array)
        array.put(getattr(self.values, name))

    def _put_host(self, name, array):
        self.keep.append(array)
        numbers = getattr(self.values, name)
        numbers.data, numbers.number = _arrays.pointer(array, "void *"), NUMBERS[array.dtype.str[1:]]

    def _want(self, name, like):
        shape = (self.n, 3) if COLUMNS[name] == 3 else (self.n,)
        if self.on_device:
            self.results[name] = empty_like(like, shape)
            self._put(name, Array(self.results[name], name, COLUMNS[name]))
        else:
            self.results[name] = np.empty(shape)
            self._put_host(name, self.results[name])


def engine_of(options, *bodies):
    """The options, with the engine of the device where the arrays of these ArrayBodies are on one."""
    arrays = [array for each in bodies for array in each.arrays]
    return {**options, "engine": engine_for(options.get("engine"), arrays)} if arrays else options


def evaluate(function, parameters, bodies, *more):
    """Calls ky_evaluator_forces or ky_evaluator_field for these Parameters and ArrayBodies. `more` may hold the ArrayBodies of points."""
    every = [bodies, *(each for each in more if isinstance(each, ArrayBodies))]
    arguments = [each.values if isinstance(each, ArrayBodies) else each for each in (bodies, *more)]
    streams = [array.stream for each in every for array in each.arrays]
    of_thread = OF_THREAD in streams  # the default stream of this thread has no number in another one

    def use(evaluator):
        if of_thread:
            call(function, evaluator, parameters.values, *arguments)
        else:
            call_aside(parameters.values, function, evaluator, parameters.values, *arguments)
    _kept[0].run(use)


__all__ = ["NULL", "ArrayBodies", "engine_of", "evaluate", "release"]
