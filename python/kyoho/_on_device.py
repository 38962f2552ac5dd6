"""Arrays of CuPy, PyTorch, JAX and others in the memory of a CUDA device: they come to the library by their addresses, without a copy,
and results are arrays of the same kind.

An array says where it is by __cuda_array_interface__ or DLPack. Both name the stream whose work the library has to wait for.
"""
import ctypes
import sys
from collections import namedtuple

import numpy as np

from ._library import ffi, lib
from .errors import UnsupportedError, UsageError

CPU, CUDA, PINNED, MANAGED = 1, 2, 3, 13  # DLDeviceType of DLPack
LEGACY, OF_THREAD = 1, 2  # the default streams of CUDA, as both interfaces count them
NUMBERS = {"f8": lib.KY_FLOAT64, "f4": lib.KY_FLOAT32}
CODES = {0: "i", 1: "u", 2: "f", 4: "bf", 5: "c", 6: "b"}  # DLDataTypeCode as letters of numpy


class _Tensor(ctypes.Structure):
    """struct DLTensor."""
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64)]


_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype, _pointer_of.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)


def _interface(value):
    """__cuda_array_interface__, or None. PyTorch raises where a tensor records gradients."""
    try:
        return getattr(value, "__cuda_array_interface__", None)
    except (RuntimeError, TypeError):
        return None


def _place(value):
    """(kind, number) of the device of DLPack, or None."""
    try:
        kind, number = value.__dlpack_device__()
        return int(kind), int(number)
    except (AttributeError, TypeError, ValueError, RuntimeError, BufferError):
        return None


def is_on_device(value):
    """Whether the value is an array in the memory of a device. Those of the host become arrays of numpy."""
    own = type(value).__module__
    if own in ("builtins", "numpy"):
        return False
    place = _place(value)
    if place is not None:
        return place[0] not in (CPU, PINNED)
    return _interface(value) is not None


class Array:
    """An array as the library sees it: `address`, `shape`, `letters` of its type, `stream`, `device` (None: not known)."""

    def __init__(self, value, name, columns):
        self.name, self.value, self.device = name, value, None
        place, interface = _place(value), _interface(value)
        if place is not None:
            self.device = place[1]
            if place[0] not in (CUDA, MANAGED):
                raise UnsupportedError(f"{name} is in the memory of a device of another kind than CUDA's: give an array of the host")
        if interface is not None and interface.get("version", 0) >= 3 and interface.get("stream") != OF_THREAD:
            self._by_interface(interface)
        elif hasattr(value, "__dlpack__"):
            self._by_dlpack(value)
        elif interface is not None:
            self._by_interface({**interface, "stream": LEGACY})
        else:
            raise UsageError(f"{name} does not say where its numbers are: it has neither __dlpack__ nor __cuda_array_interface__")
        self._check(columns)

    def _by_interface(self, interface):
        self.address, self.shape = interface["data"][0], tuple(interface["shape"])
        self.letters, self.strides = interface["typestr"].lstrip("<=|"), interface.get("strides")
        self.stream = interface.get("stream") or 0
        if interface.get("mask") is not None:
            raise UsageError(f"{self.name} has a mask: leave the masked bodies out")

    def _by_dlpack(self, value):
        """The array's own stream makes the default stream wait, for which the library waits."""
        try:
            self.capsule = value.__dlpack__(stream=LEGACY)
        except (BufferError, RuntimeError) as why:
            raise UsageError(f"{self.name} cannot be read: {why}") from None
        tensor = _Tensor.from_address(_pointer_of(self.capsule, b"dltensor"))
        size = tensor.bits // 8
        self.address, self.stream = (tensor.data or 0) + tensor.offset, LEGACY
        self.shape = tuple(tensor.shape[k] for k in range(tensor.ndim))
        self.letters = CODES.get(tensor.code, "?") + str(size)
        self.strides = tuple(tensor.strides[k] * size for k in range(tensor.ndim)) if tensor.strides else None

    def _check(self, columns):
        if self.letters not in NUMBERS:
            raise TypeError(f"{self.name} on a device must be an array of float64 or float32, not of {self.letters}")
        n = self.shape[0] if self.shape else 0
        if self.shape != ((n, 3) if columns == 3 else (n,)):
            raise UsageError(f"{self.name} has the shape {self.shape}; it must be {'(n, 3), a row for each body' if columns == 3 else '(n,)'}")
        step, size = int(self.letters[1:]), 1
        for length, stride in reversed(list(zip(self.shape, self.strides or ()))):
            if length > 1 and stride != step * size:
                raise UsageError(f"{self.name} is not contiguous in C order: give a contiguous copy, such as cupy.ascontiguousarray(x) or x.contiguous()")
            size *= length

    def put(self, numbers):
        """Fills a struct ky_numbers."""
        numbers.data = ffi.cast("void *", self.address)
        numbers.stream, numbers.number = self.stream, NUMBERS[self.letters]


def _empty_of_cupy(like, shape):
    with like.device:
        return sys.modules["cupy"].empty(shape, like.dtype)


def _cupy_of(like, array):
    with like.device:
        return sys.modules["cupy"].asarray(array)


def _empty_of_jax(like, shape):
    """A new array, which nothing else knows yet: so the library may write to it."""
    jax = sys.modules["jax"]
    return jax.block_until_ready(_jax_of(like, jax.numpy.empty(shape, like.dtype)))


def _jax_of(like, array):
    return sys.modules["jax"].device_put(array, next(iter(like.devices())))


# How to make an array of the type and device of another one, to copy an array to the host, and an array of numpy to the device of
# another array.
Kind = namedtuple("Kind", "empty to_host of_host")
_JAX = Kind(_empty_of_jax, np.asarray, _jax_of)
KINDS = {"cupy": Kind(_empty_of_cupy, lambda value: value.get(), _cupy_of),
         "torch": Kind(lambda like, shape: like.new_empty(shape, requires_grad=False), lambda value: value.detach().cpu().numpy(),
                       lambda like, array: sys.modules["torch"].as_tensor(array, device=like.device)),
         "jax": _JAX, "jaxlib": _JAX}  # by the package of an array


def _kind_of(value):
    kind = KINDS.get(type(value).__module__.partition(".")[0])
    if kind is None:
        raise UnsupportedError(f"there is no way to make a {type(value).__module__}.{type(value).__name__} for the results: give arrays of CuPy, PyTorch or JAX")
    return kind


def empty_like(value, shape):
    """A new array of the kind, type and device of the value."""
    return _kind_of(value).empty(value, shape)


def on_host(value):
    """The value; an array on a device as an array of numpy, which is a copy."""
    return _kind_of(value).to_host(value) if is_on_device(value) else value


def of_host(like, array):
    """The array of numpy as one of the kind and the device of `like`; whole numbers become int64, which all kinds have."""
    return _kind_of(like).of_host(like, array if array.dtype.kind == "f" else array.astype("i8"))


def engine_for(engine, arrays):
    """The name of the engine of the device of these arrays."""
    devices = {array.device for array in arrays if array.device is not None}
    if len(devices) > 1:
        raise UsageError("the arrays are on different devices: " + ", ".join(f"{array.name} on {array.device}" for array in arrays))
    if engine not in (None, "auto", "cuda"):
        return engine  # the library says what is wrong with another
    return f"cuda:{devices.pop()}" if devices else "cuda"
