"""Functions of Python as external fields: the library calls them for all places at once."""
import weakref

import numpy as np

from . import _arrays, _library
from ._library import NULL, ffi
from .errors import BadDataError, UsageError

# What a function returns: the name, and the columns of its array.
RETURNED = (("accelerations", 3), ("potentials", 1), ("jerks", 3))


def _rows(pointer, count, columns):
    shape = (count, columns) if columns > 1 else (count,)
    return np.frombuffer(ffi.buffer(pointer, 8 * count * columns), "f8").reshape(shape)


def _checked(value, name, shape):
    """What the function returned as an array of this shape. Potentials may be NaN where nobody asks for energies."""
    array = _arrays.numbers(value, f"what a field function returns as {name}")
    if array.shape != shape:
        raise UsageError(f"a field function returned {name} of the shape {array.shape}; for {shape[0]} places it must be {shape}")
    if name != "potentials" and not np.isfinite(array).all():
        row = int(np.flatnonzero(~np.isfinite(array).all(axis=1))[0])
        raise BadDataError(f"a field function returned {name} that are not finite, first {array[row].tolist()} for place {row}")
    return array


def _fill(function, at):
    """The arrays of a struct ky_field_places."""
    count, wants_jerk = at.count, at.jerk != NULL
    given = [_rows(at.position, count, 3).copy(), at.time]
    if wants_jerk:
        given.append(np.zeros((count, 3)) if at.velocity == NULL else _rows(at.velocity, count, 3).copy())
    found = function(*given)
    if not isinstance(found, tuple) or len(found) < 2 + wants_jerk:
        raise TypeError("a field function returns accelerations (n, 3) and potentials (n)"
                        + (", and jerks (n, 3), which hermite4 and tides need" if wants_jerk else ""))
    for value, pointer, (name, columns) in zip(found, (at.acceleration, at.potential, at.jerk), RETURNED):
        if pointer != NULL:
            rows = _rows(pointer, count, columns)
            rows[...] = _checked(value, name, rows.shape)


class Function:
    """A function of Python that the library calls as `places`. What it raises is raised by the call of the library that asked:
    it may come from several threads of that call at once, and `failure` has the last."""

    def __init__(self, function):
        self.raised, self.failure, self.stop = [], None, None
        self.places = ffi.callback("ky_field_places_function", lambda context, at: self._answer(function, at))

    def _answer(self, function, at):
        try:
            _fill(function, at)
        except BaseException as why:  # noqa: B902 - it goes on in _library.call
            self.failure = why
            self.raised.append(why)
            if self.stop is not None:
                self.stop[0] = 1  # no further steps with bodies that have no forces

    def belongs_to(self, handle):
        """Calls of the library with this struct or simulation raise what the function raises."""
        _library.functions[handle] = weakref.ref(self)


def divided(field):
    """The text and the function of an option `field`: a text, a function, or a tuple of both. TypeError for anything else."""
    if callable(field):
        return None, field
    if isinstance(field, tuple) and len(field) == 2 and callable(field[1]) and isinstance(field[0], (str, type(None))):
        return field
    if field is None or isinstance(field, str):
        return field, None
    raise TypeError(f"field is {field!r}; it must be text, a function, or a tuple of a text and a function")
