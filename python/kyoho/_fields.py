"""Functions of Python as external fields: the library calls them for all places at once."""
import numpy as np

from . import _library
from ._library import NULL, ffi


def _rows(pointer, count, columns):
    shape = (count, columns) if columns > 1 else (count,)
    return np.frombuffer(ffi.buffer(pointer, 8 * count * columns), "f8").reshape(shape)


def _fill(function, at):
    """The arrays of a struct ky_field_places."""
    count, wants_jerk = at.count, at.jerk != NULL
    given = [_rows(at.position, count, 3).copy(), at.time]
    if wants_jerk:
        given.append(np.zeros((count, 3)) if at.velocity == NULL else _rows(at.velocity, count, 3).copy())
    found = function(*given)
    if not isinstance(found, tuple) or len(found) < 2 + wants_jerk:
        raise TypeError("a field function returns accelerations (n, 3) and potentials (n)"
                        + (", and jerks (n, 3), which hermite4 needs" if wants_jerk else ""))
    for value, pointer, columns in zip(found, (at.acceleration, at.potential, at.jerk), (3, 1, 3)):
        if pointer != NULL:
            _rows(pointer, count, columns)[...] = value


def callback(function):
    """The function as the library calls it. What it raises is raised by the call of the library that asked."""
    @ffi.callback("ky_field_places_function")
    def places(context, at):
        try:
            _fill(function, at)
        except BaseException as why:  # noqa: B902 - it goes on in _library.call
            _library.raised.append(why)
    return places


def divided(field):
    """The text and the function of an option `field`: a text, a function, or a tuple of both."""
    if callable(field):
        return None, field
    if isinstance(field, tuple) and len(field) == 2 and callable(field[1]):
        return field
    return field, None
