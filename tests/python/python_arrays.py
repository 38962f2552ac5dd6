#!/usr/bin/env python3
"""Arrays in the memory of a device: stand-ins everywhere, and CuPy, PyTorch and JAX where they and a card are."""
import environment

environment.enter()
import ctypes  # noqa: E402

import kyoho  # noqa: E402
import numpy as np  # noqa: E402
from kyoho import _evaluator, _on_device  # noqa: E402
from refused import refused  # noqa: E402
from tap import check, finish, skip  # noqa: E402

rng = np.random.default_rng(48)
N = 1001
X, M = rng.normal(size=(N, 3)), rng.uniform(0.5, 1.5, N) / N


class Shaped:
    def __len__(self):
        return len(self.array)

    @property
    def shape(self):
        return self.array.shape


class Lent(Shaped):
    """Numbers of numpy as an array of a device, which they are for a CPU that serves as one."""

    def __init__(self, array, **more):
        self.array = array
        self.__cuda_array_interface__ = {"version": 3, "shape": array.shape, "typestr": array.dtype.str, "strides": None,
                                         "data": (array.ctypes.data, False), "stream": None, **more}


class Tensor(Shaped):
    """The same through DLPack, with a capsule of our own."""

    class _Managed(ctypes.Structure):
        _fields_ = [("tensor", _on_device._Tensor), ("manager", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]

    def __init__(self, array, kind=_on_device.CUDA, device=0):
        self.array, self.place, self.asked = array, (kind, device), []

    def __dlpack_device__(self):
        return self.place

    def __dlpack__(self, stream=None):
        self.asked.append(stream)
        array = self.array
        self.lengths = (ctypes.c_int64 * array.ndim)(*array.shape)
        self.steps = (ctypes.c_int64 * array.ndim)(*(step // array.itemsize for step in array.strides))
        self.managed = Tensor._Managed()
        tensor = self.managed.tensor
        tensor.data, tensor.device_type, tensor.device, tensor.ndim = array.ctypes.data, *self.place, array.ndim
        tensor.code, tensor.bits, tensor.lanes = {"f": 2, "i": 0}[array.dtype.kind], 8 * array.itemsize, 1
        tensor.shape, tensor.strides, tensor.offset = self.lengths, self.steps, 0
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
        return new(ctypes.addressof(self.managed), b"dltensor", None)


_on_device.KINDS["__main__"] = _on_device.Kind(lambda like, shape: Lent(np.full(shape, np.nan, like.array.dtype)), lambda value: value.array,
                                               lambda like, array: Lent(array))


def described():
    """What the package reads from an array, without a device."""
    array = _on_device.Array(Lent(X, stream=7), "x", 3)
    check((array.address, array.shape, array.letters, array.stream) == (X.ctypes.data, X.shape, "f8", 7), "__cuda_array_interface__ is read")
    tensor = Tensor(X[1:].astype("f4"), device=2)
    array = _on_device.Array(tensor, "x", 3)
    check((array.address, array.shape, array.letters, array.device) == (tensor.array.ctypes.data, (N - 1, 3), "f4", 2) and tensor.asked == [1] and
          array.stream == 1, "DLPack is read, and the array's stream has to make the default stream wait", array.__dict__)
    array = _on_device.Array(Lent(X, version=2), "x", 3)
    check(array.stream == 1, "an array that names no stream waits for the default stream")
    check(not _on_device.is_on_device(Tensor(X, kind=1)) and not _on_device.is_on_device(X) and not _on_device.is_on_device(1.0)
          and _on_device.is_on_device(Tensor(X)) and _on_device.is_on_device(Lent(X)), "arrays of the host are told from those of a device")
    check(_on_device.engine_for(None, [array]) == "cuda" and _on_device.engine_for("auto", [_on_device.Array(tensor, "x", 3)]) == "cuda:2"
          and _on_device.engine_for("opencl", [array]) == "opencl", "the engine is that of the device")


def refusals():
    def gravity(*given, **more):
        return lambda: kyoho.gravity(*given, **{"engine": "cuda", **more})
    transposed = np.asfortranarray(X)
    refused(TypeError, "a device array of whole numbers", ["float64 or float32, not of i8"], gravity(Lent(X.astype("i8")), 1.0, 0.1))
    refused(TypeError, "a device array of half precision", ["not of f2"], gravity(Lent(X.astype("f2")), 1.0, 0.1))
    refused(kyoho.UsageError, "a device array of two columns", ["has the shape (1001, 2)"], gravity(Lent(X[:, :2].copy()), 1.0, 0.1))
    refused(kyoho.UsageError, "a device array in the order of Fortran", ["not contiguous"], gravity(Lent(transposed, strides=transposed.strides), 1.0, 0.1))
    refused(kyoho.UsageError, "a slice of a tensor", ["not contiguous"], gravity(Tensor(np.zeros((N, 4))[:, :3]), 1.0, 0.1))
    refused(kyoho.UsageError, "masses of another number", ["it must be (1001,)"], gravity(Lent(X), Lent(M[1:].copy()), 0.1))
    refused(kyoho.UsageError, "masses on the host", ["both be on the device or both on the host"], gravity(Lent(X), M, 0.1))
    refused(kyoho.UsageError, "softenings on the device", ["both be on the device or both on the host"], gravity(X, M, Lent(M)))
    refused(kyoho.UsageError, "a mask", ["has a mask"], gravity(Lent(X, mask=Lent(M)), 1.0, 0.1))
    refused(Exception, "two devices", ["on different devices"], gravity(Tensor(X), Tensor(M, device=1), 0.1, engine=None))
    refused(kyoho.UnsupportedError, "another kind of device", ["another kind"], gravity(Tensor(X, kind=10), 1.0, 0.1))
    refused(kyoho.UnsupportedError, "the engine of the CPU", ["use engine cuda"], gravity(Lent(X), 1.0, 0.1, engine="cpu"))
    _on_device.KINDS["other"] = _on_device.KINDS.pop("__main__")
    refused(kyoho.UnsupportedError, "results of an unknown kind", ["CuPy, PyTorch or JAX"], gravity(Lent(X), 1.0, 0.1))
    _on_device.KINDS["__main__"] = _on_device.KINDS.pop("other")


def opencl_on_cpu():
    """The name of an OpenCL device that is a CPU, or None."""
    return next((device.engine for device in kyoho.devices() if device.engine.startswith("opencl") and device.usable and "a CPU" in device.reason), None)


def computed(engine):
    """Forces and fields through stand-ins: the numbers of numpy's arrays."""
    for options in ({"force": "direct"}, {"force": "tree", "alpha": 0.002}):
        acc, pot = kyoho.gravity(X, M, 0.05, engine=engine, **options)
        found = kyoho.gravity(Lent(X), Lent(M), 0.05, engine=engine, **options)
        check(np.array_equal(found[0].array, acc) and np.array_equal(found[1].array, pot), f"gravity of device arrays with {options} has the bits of that of numpy")
    narrow = kyoho.gravity(Lent(X.astype("f4")), 1 / N, 0.05, engine=engine, force="direct")[0].array
    wide = kyoho.gravity(X.astype("f4"), 1 / N, 0.05, engine=engine, force="direct")[0]
    check(narrow.dtype == "f4" and np.array_equal(narrow, wide.astype("f4")), "results of positions of float32 are float32")
    each = rng.uniform(0.01, 0.1, N)
    check(np.array_equal(kyoho.accelerations(Lent(X), Lent(M), Lent(each), engine=engine).array, kyoho.accelerations(X, M, each, engine=engine)) and
          np.array_equal(kyoho.potential(Lent(X), Lent(M), Lent(each), engine=engine).array, kyoho.potential(X, M, each, engine=engine)),
          "accelerations and potential take softenings on the device")
    points = rng.normal(size=(40, 3))
    acc, pot = kyoho.field(points, X, M, 0.05, engine=engine)
    found = kyoho.field(Lent(points), Lent(X), Lent(M), 0.05, engine=engine)
    mixed = kyoho.field(points, Lent(X), Lent(M), 0.05, engine=engine)
    check(np.array_equal(found[0].array, acc) and np.array_equal(found[1].array, pot) and np.array_equal(mixed[0], acc), "so does field")
    wrong = X.copy()
    wrong[17, 1] = np.nan
    refused(kyoho.BadDataError, "a position on the device that is not finite", ["body 17"], lambda: kyoho.gravity(Lent(wrong), Lent(M), 0.05, engine=engine))


def narrow(engine):
    """Arrays of numpy of float32, which the library reads where they are."""
    x, m, each = X.astype("f4"), M.astype("f4"), rng.uniform(0.01, 0.1, N).astype("f4")
    wide = x.astype("f8"), m.astype("f8")
    for eps, same in ((0.05, 0.05), (each, each.astype("f8"))):
        found, expected = kyoho.gravity(x, m, eps, engine=engine), kyoho.gravity(*wide, same, engine=engine)
        check(found[0].dtype == "f8" and all(np.array_equal(one, other) for one, other in zip(found, expected)), f"numpy's float32 has the bits of the same numbers in float64 ({engine})")
    for given in (np.asfortranarray(x), x.astype(">f4")):
        check(np.array_equal(kyoho.accelerations(given, M, 0.05, engine=engine), kyoho.accelerations(wide[0], M, 0.05, engine=engine)), f"also in another layout ({engine})", given.dtype)
    found = kyoho.field(x[:40], x, m, 0.05, engine=engine)[0]
    check(np.array_equal(found, kyoho.field(wide[0][:40], *wide, 0.05, engine=engine)[0]), f"so has field ({engine})")
    taken = _evaluator.ArrayBodies({"position": x, "mass": m, "softening": each}, kyoho.Units.of(None), ())
    check(all(any(one is given for one in taken.keep) for given in (x, m, each)), "arrays of float32 are not copied")


def searched(engine):
    """Searches and simulations, which take copies of the host and give arrays of the same kind."""
    near, expected = kyoho.neighbours(Lent(X), 0.3), kyoho.neighbours(X, 0.3)
    check(isinstance(near.body, Lent) and np.array_equal(near.body.array, expected.body) and np.array_equal(near.offset.array, expected.offset) and
          near.body.array.dtype == "i8", "neighbours are arrays of the same kind")
    found, expected = kyoho.nearest(Lent(X), 5), kyoho.nearest(X, 5)
    check(all(np.array_equal(one.array, other) for one, other in zip(found, expected)), "nearest too")
    found, expected = kyoho.density(Lent(X), Lent(M)), kyoho.density(X, M)
    check(all(np.array_equal(one.array, other) for one, other in zip(found, expected)), "density too")
    options = {"softening": 0.05, "engine": engine, "step": 1 / 64, "theta": 0.5}
    with kyoho.Simulation(position=Lent(X), velocity=Lent(0 * X), mass=Lent(M), **options) as sim, \
            kyoho.Simulation(position=X, velocity=0 * X, mass=M, **options) as plain:
        sim.advance(2)
        plain.advance(2)
        for name in ("position", "velocity", "mass", "acceleration", "potential"):
            check(np.array_equal(getattr(sim, name).array, getattr(plain, name)), f"{name} of a simulation of device arrays")
        check(np.array_equal(sim.snapshot().position, plain.position) and np.array_equal(sim.id, plain.id), "its snapshot is one of the host")
        sim.position, plain.position = Lent(2 * X), 2 * X
        sim.kick(Lent(X))
        plain.kick(X)
        check(np.array_equal(sim.acceleration.array, plain.acceleration) and np.array_equal(sim.velocity.array, plain.velocity), "it takes device arrays again")
        copy = sim.copy()
        check(isinstance(copy.position, np.ndarray), "its copy has arrays of numpy")
    with kyoho.Simulation(position=Lent(X.astype("f4")), velocity=Lent(0 * X), mass=1 / N, integrator="block", **options) as sim:
        check(sim.acceleration.array.dtype == "f4", "a simulation of float32 positions gives float32")
    for name in ("hermite4",):
        with kyoho.Simulation(position=Lent(X), velocity=Lent(0 * X), mass=Lent(M), softening=0.05, engine=engine, integrator=name) as sim, \
                kyoho.Simulation(position=X, velocity=0 * X, mass=M, softening=0.05, engine=engine, integrator=name) as plain:
            check(np.array_equal(sim.potential.array, plain.potential) and np.array_equal(sim.acceleration.array, plain.acceleration), f"so does {name}")


def kept(engine):
    """Engines that are kept change no bits."""
    first = kyoho.gravity(X, M, 0.05, engine=engine)
    kyoho.gravity(3 * X, M, 0.05, engine=engine)
    kyoho.gravity(X[:500], M[:500], 0.05, engine=engine)
    again = kyoho.gravity(X, M, 0.05, engine=engine)
    kyoho.release()
    kyoho.release()
    last = kyoho.gravity(X, M, 0.05, engine=engine)
    check(all(np.array_equal(first[k], again[k]) and np.array_equal(first[k], last[k]) for k in (0, 1)), f"calls do not depend on earlier ones, nor on kyoho.release ({engine})")
    with kyoho.Simulation(position=X, velocity=0 * X, mass=M, softening=0.05, engine=engine) as sim:
        check(np.array_equal(sim.acceleration, first[0]), f"a simulation begins with the same forces ({engine})")


def packages():
    """{name: function of numpy's array} of the packages that are here with a CUDA device."""
    found = {}
    if not any(device.engine.startswith("cuda:") and device.usable for device in kyoho.devices()):
        return found
    try:
        import cupy
        found["cupy"] = cupy.asarray
    except ImportError:
        pass
    try:
        import torch
        if torch.cuda.is_available():
            found["torch"] = lambda array: torch.from_numpy(array).cuda()
    except ImportError:
        pass
    try:
        import jax
        jax.config.update("jax_enable_x64", True)
        if jax.default_backend() == "gpu":
            found["jax"] = jax.numpy.asarray
    except ImportError:
        pass
    return found


def on_host(array):
    """The numbers of an array of one of these packages."""
    return array.get() if hasattr(array, "get") else array.cpu().numpy() if hasattr(array, "cpu") else np.asarray(array)


def with_package(name, make):
    acc, pot = kyoho.gravity(X, M, 0.05, engine="cuda")
    found = kyoho.gravity(make(X), make(M), 0.05)
    check(type(found[0]) is type(make(X)) and np.array_equal(on_host(found[0]), acc) and np.array_equal(on_host(found[1]), pot),
          f"gravity takes and returns arrays of {name}", type(found[0]))
    narrow = kyoho.accelerations(make(X.astype("f4")), make(M.astype("f4")), 0.05)
    check(on_host(narrow).dtype == "f4" and np.allclose(on_host(narrow), acc, rtol=1e-3, atol=1e-4), f"{name} of float32")
    points = rng.normal(size=(2000, 3))
    check(np.array_equal(on_host(kyoho.field(make(points), make(X), make(M), 0.05)[0]), kyoho.field(points, X, M, 0.05, engine="cuda")[0]), f"field with {name}")
    near = kyoho.neighbours(make(X), 0.3)
    check(np.array_equal(on_host(near[5]), kyoho.neighbours(X, 0.3)[5]), f"neighbours with {name}")
    with kyoho.Simulation(position=make(X), velocity=make(0 * X), mass=make(M), softening=0.05, step=1 / 64) as sim:
        sim.advance(3)
        check(type(sim.position) is type(make(X)) and np.array_equal(on_host(sim.position), sim.snapshot().position), f"a simulation with {name}")
    n = 200_000
    big, mass = rng.normal(size=(n, 3)), np.full(n, 1 / n)
    on_device = make(big)
    expected = kyoho.accelerations(2 * big + 1, mass, 0.05, engine="cuda")
    for _ in range(20):  # the sum is still being computed when the call begins
        late = kyoho.accelerations(2 * on_device + 1, make(mass), 0.05)
        if not np.array_equal(on_host(late), expected):
            check(False, f"the library waits for the stream of {name}")
            return
    check(True, f"the library waits for the stream of {name}")


described()
refusals()
device = opencl_on_cpu()
if device:
    computed(device)
    searched(device)
    kept(device)
    narrow(device)
else:
    skip("stand-ins for arrays of a device", "there is no OpenCL device that is a CPU")
kept("cpu")
narrow("cpu")
here = packages()
for name in ("cupy", "torch", "jax"):
    if name in here:
        with_package(name, here[name])
    else:
        skip(f"arrays of {name}", f"{name} or a CUDA device is not here")
if here:
    kept("cuda")
    narrow("cuda")
finish()
