"""Many systems of few bodies, each integrated for itself."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import _arrays
from ._aside import call_aside
from ._library import NULL, ffi, lib, struct
from ._options import MOTION, Parameters, documented, table
from ._progress import Progress
from ._words import counted, hinted, no_option
from .errors import UsageError
from .units import Units

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._option_types import FewOptions

OPTIONS = ("engine", "threads", "isa", "orbit_steps", "tolerance", "slow_down", "stop_escape", "stop_collision", "body_radius")
ENDS = {lib.KY_FEW_AT_TIME: "time", lib.KY_FEW_ESCAPE: "escape", lib.KY_FEW_COLLISION: "collision", lib.KY_FEW_LOST: "lost"}


def _options():
    known = table(lib.KY_OPTIONS_PARAMETERS, MOTION)
    return [known[keyword] for keyword in OPTIONS]


class Systems:
    """What kyoho.few returns: the bodies at the asked times, and the ends of the systems.

    `position` and `velocity` are (k, n, 3) for one time, and (times, k, n, 3) for an array of times. At times after its end a system
    is as it was then. For each of the k systems: `end` ("time", "escape", "collision", or "lost": its numbers became infinite and
    are NaN), `time` of its last state, `touching` (k, 2), the bodies of the collision or -1, `energy_change`, (E - E0)/|E0| of the
    last state, and `steps`.
    """

    position: np.ndarray
    velocity: np.ndarray
    time: np.ndarray
    end: np.ndarray
    touching: np.ndarray
    energy_change: np.ndarray
    steps: np.ndarray

    def __init__(self, times, count, n):
        self.position, self.velocity = (np.empty((times, count, n, 3)) for _ in range(2))
        self.time, self.energy_change, self.steps = (np.empty(count) for _ in range(3))
        self.touching, self._ends = np.empty((count, 2), "i4"), np.empty(count, "i4")

    def _put(self, values):
        """Lets the struct ky_few_systems point at the arrays."""
        for member, array, kind in (("positions", self.position, "double (*)[3]"), ("velocities", self.velocity, "double (*)[3]"),
                                    ("ended", self.time, "double *"), ("energy_change", self.energy_change, "double *"),
                                    ("steps", self.steps, "double *"), ("touching", self.touching, "int (*)[2]"), ("end", self._ends, "int *")):
            setattr(values, member, _arrays.pointer(array, kind))

    def _close(self, single):
        """Makes the results from what the library has filled; `single`: for one time."""
        self.end = np.array([ENDS[k] for k in sorted(ENDS)])[self._ends]
        if single:
            self.position, self.velocity = self.position[0], self.velocity[0]
        return self

    def __len__(self):
        return len(self.time)

    def __repr__(self):
        ends = ", ".join(f"{np.sum(self.end == end)} {end}" for end in ENDS.values() if np.any(self.end == end))
        return f"<kyoho.Systems, {len(self)} of {counted(self.position.shape[-2])}: {ends}>"


def _vectors(value, unit, name, units, shape=None):
    array = _arrays.numbers(units.number(value, unit, name), name)
    if array.ndim != 3 or array.shape[2] != 3 or shape not in (None, array.shape):
        raise UsageError(f"{name} has the shape {array.shape}; it must be {shape or '(k, n, 3), k systems of n bodies'}")
    return array


def _each(value, unit, name, units, shape):
    """An array with a number for each body, from one, from n for all systems, or from (k, n)."""
    array = _arrays.numbers(units.number(value, unit, name), name)
    if array.shape not in ((), shape[1:], shape):
        raise UsageError(f"{name} has the shape {array.shape}; it must be {shape}, or {shape[1:]} for all systems")
    return np.ascontiguousarray(np.broadcast_to(array, shape))


def _call(parameters, values, progress):
    raised = []

    def failed(kind, why, trace):
        raised.append(why)
        parameters.values.stop[0] = 1

    with Progress(progress) as shown:
        @ffi.callback("void(void *, double)", onerror=failed)
        def tell(context, done):
            shown(done, f"{100 * done:.0f} % of the work{shown.left(done)}")
        values.tell = tell if shown else NULL
        try:
            call_aside(parameters.values, lib.ky_few_integrate, parameters.values, values)
        finally:
            if raised:
                raise raised[0]


@documented(None, more=_options)
@hinted
def few(position, velocity, mass, time, *, begin=0.0, radius=None, units=None, progress=False, **options: Unpack[FewOptions]) -> Systems:
    """
    Integrates many systems of few bodies, at most 100 each, without softening; systems do not act on each other.

    Arguments:
      position, velocity   (k, n, 3): k systems of n bodies each [length], [velocity]
      mass     (k, n), or (n) for all systems [mass]
      time     the time at which the bodies are wanted, or an array of such times, which ascend, or descend from begin [time]
      begin    the time of these bodies [time]
      radius   as mass, for stop_collision [length]
      units    of the numbers: "nbody" (G = 1, the default), "galaxy", "cluster", "cosmic", "planets" or kyoho.Units
      progress   True shows it; or a function of the part that is done and a text
    Example:
      pairs = kyoho.few([[[1, 0, 0], [-1, 0, 0]]], [[[0, 0.5, 0], [0, -0.5, 0]]], [1, 1], [1, 2, 3])
      print(pairs.position[:, 0, 0], pairs.energy_change)

    Returns kyoho.Systems. With stop_escape a system ends when its two outermost parts, bodies or groups, are unbound, recede and
    are farther from each other than this. Results do not depend on the number of threads or on the other systems.
    """
    for keyword in options:
        if keyword not in OPTIONS:
            raise no_option(keyword, OPTIONS)
    units = Units.of(units)
    parameters = Parameters(options, MOTION, units)
    position = _vectors(position, "length", "position", units)
    shape = position.shape
    times = _arrays.row(units.number(time, "time", "time"), "time")
    arrays = {"position": position, "velocity": _vectors(velocity, "velocity", "velocity", units, shape),
              "mass": _each(mass, "mass", "mass", units, shape[:2]), "time": times,
              "radius": None if radius is None else _each(radius, "length", "radius", units, shape[:2])}
    values = struct("ky_few_systems", count=shape[0], bodies=shape[1], times=len(times),
                    begin=_arrays.number(units.number(begin, "time", "begin"), "begin"))
    for name, array in arrays.items():
        setattr(values, name, _arrays.pointer(array, "double (*)[3]" if name in ("position", "velocity") else "double *"))
    found = Systems(len(times), *shape[:2])
    found._put(values)
    _call(parameters, values, progress)
    return found._close(_arrays.single(units.number(time, "time", "time")))
