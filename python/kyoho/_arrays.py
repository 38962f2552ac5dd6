"""Arrays of numpy and the library's pointers.

An array of C-contiguous float64 goes to the library as it is. Every other array is copied once. Memory of the library becomes
an array without a copy, and lives as long as the array.
"""
import operator

import numpy as np

from ._library import NULL, ffi
from .errors import UsageError


class _Memory:
    """Memory of the library as numpy sees it. `owner` frees it when no array uses it any more."""

    def __init__(self, pointer, shape, kind, owner):
        self.owner = owner
        self.__array_interface__ = {"data": (int(ffi.cast("uintptr_t", pointer)), False), "shape": shape,
                                    "typestr": np.dtype(kind).str, "version": 3}


def view(pointer, shape, kind, owner):
    """The array at `pointer`, which is not copied; None for NULL."""
    if 0 in shape:
        return np.empty(shape, kind)
    return None if pointer == NULL else np.asarray(_Memory(pointer, shape, kind, owner))


def numbers(value, name, kind="f8"):
    """The value as a C-contiguous, aligned array of this type, copied only where it is not one. TypeError for what is no numbers."""
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise UsageError(f"{name} has masked elements; leave those bodies out")
    try:
        array = np.asarray(value)
    except ValueError as why:  # rows of different lengths
        raise TypeError(f"{name} must be an array: {why}") from None
    good = "iuf" if kind[0] == "f" else "iu"
    if array.dtype.kind not in good and array.size:
        raise TypeError(f"{name} must be an array of {'real numbers' if kind == 'f8' else 'whole numbers'}, not of {array.dtype}")
    if kind == "u8" and array.dtype.kind == "i" and array.size and array.min() < 0:
        raise UsageError(f"{name} must not be negative")
    if kind == "u1" and array.size and not 0 <= array.min() <= array.max() <= 255:
        raise UsageError(f"{name} must be from 0 to 255")
    return np.require(array, kind, ("C_CONTIGUOUS", "ALIGNED"))


def real_kind(value):
    """The type in which the library takes these real numbers: "f4" of an array of float32, which need not be converted, else "f8"."""
    return "f4" if getattr(value, "dtype", None) == np.float32 else "f8"


def single(value):
    """Whether the value is one number or text, and not an array."""
    return isinstance(value, (str, bytes)) or not hasattr(value, "__len__") or getattr(value, "shape", None) == ()


def row(value, name, kind="f8"):
    """The value, an array or one number, as an array of one dimension."""
    return numbers([value] if single(value) else value, name, kind).reshape(-1)


def _is_truth(value):
    return isinstance(value, bool) or getattr(getattr(value, "dtype", None), "kind", "") == "b"


def number(value, name):
    """The value as float."""
    try:
        if not _is_truth(value):
            return float(value)
    except (TypeError, ValueError, OverflowError):
        pass
    raise TypeError(f"{name} must be a number, not {value!r}")


def whole(value, name, most=2 ** 63 - 1, least=0):
    """The value as a whole number from `least` to `most`."""
    if _is_truth(value):
        raise TypeError(f"{name} must be a whole number, not {value!r}")
    try:
        found = operator.index(int(value) if isinstance(value, (float, np.floating)) and value == int(value) else value)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{name} must be a whole number, not {value!r}") from None
    if not least <= found <= most:
        raise UsageError(f"{name} is {found}; it must be from {least} to {most}")
    return found


def vectors(value, name, kind="f8"):
    """The value as an array (n, 3)."""
    array = numbers(value, name, kind)
    if array.size == 0 and array.ndim < 2:
        array = array.reshape(0, 3)
    if array.ndim != 2 or array.shape[1] != 3:
        hint = "; give its transpose, array.T" if array.ndim == 2 and array.shape[0] == 3 else ""
        raise UsageError(f"{name} has the shape {array.shape}; it must be (n, 3), a row for each body{hint}")
    return array


def scalars(value, name, n, kind="f8"):
    """The value as an array (n,): a number for each of n bodies."""
    array = numbers(value, name, kind)
    if array.shape != (n,):
        raise UsageError(f"{name} has the shape {array.shape}; it must be ({n},), {n} numbers in a row")
    return array


def pointer(array, kind):
    """The pointer to the elements of an array; NULL for None. The array must live as long as the pointer is used."""
    return NULL if array is None else ffi.cast(kind, array.ctypes.data)
