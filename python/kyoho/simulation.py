"""A simulation: bodies, a processor, an integrator and a clock."""
from __future__ import annotations

import contextlib
import math
import os
import time as clock
from collections import namedtuple
from typing import TYPE_CHECKING

import numpy as np

from . import _arrays, _picture, _view
from ._aside import aside
from ._library import NULL, call, call_file, encoded, ffi, lib, struct
from ._on_device import Array, empty_like, engine_for, is_on_device, on_host
from ._options import MOTION, Parameters, documented, table, text
from ._progress import Progress
from ._sharing import Shared, alone
from ._view import View
from ._words import Named, counted, hinted, no_option, softened
from .errors import BadDataError, StoppedError, UnsupportedError, UsageError
from .forces import Groups, Neighbours, Points, nearest_of
from .snapshot import ARRAYS, HAS_HDF5, Cosmology, Snapshot, at_rest_box, bodies_array, fill_bodies, omega_matter_of, snapshot_of, with_box
from .units import Units, WithQuantities

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._option_types import GroupOptions, SimulationOptions, SomeOptions

Sums = namedtuple("Sums", "mass centre momentum angular_momentum kinetic potential external total virial_ratio")
Sums.__doc__ = """Sums over all bodies. `potential` is the energy of the bodies in each other's fields, `external` in external fields, and
`total` the total energy. `virial_ratio` is 2T/|Σ m x·a|, which is 1 in equilibrium."""

# By enum ky_stop_kind: the word for it, and how many bodies it names.
REASONS = {lib.KY_STOP_CLOSE_PAIR: ("close pair", 2), lib.KY_STOP_ASKED: ("asked", 0), lib.KY_STOP_COLLISION: ("stop_collision", 2),
           lib.KY_STOP_PAIR: ("stop_pair", 2), lib.KY_STOP_ESCAPE: ("stop_escape", 1), lib.KY_STOP_BOX: ("stop_box", 1),
           lib.KY_STOP_WALL: ("max_wall", 0), lib.KY_STOP_CORE: ("stop_core", 0)}
COLUMNS = {"position": 3, "velocity": 3, "mass": 1, "acceleration": 3, "potential": 1}  # of arrays that may be on a device
MPC_CM = 3.085678e24
SHORT, LONG = 0.05, 0.1  # seconds: a call of the library makes more steps below the one, fewer above the other


def explain(stop, reason):
    """Fills a StoppedError from a struct ky_stop."""
    stop.reason, bodies = REASONS.get(reason.kind, ("", 0))
    stop.ids, stop.indices = tuple(reason.id)[:bodies], tuple(reason.index)[:bodies]
    stop.distance, stop.time, stop.count = reason.distance, reason.time, reason.count
    stop.asked = reason.kind == lib.KY_STOP_ASKED


def parameters_of(values):
    """{option: value} of a struct ky_parameters."""
    found, room = {}, ffi.new("char[]", 4096)
    convert = {"flag": lambda value: value == "yes", "integer": int, "real": float}
    for keyword, option in table(lib.KY_OPTIONS_PARAMETERS).items():
        call(lib.ky_options_text, lib.KY_OPTIONS_PARAMETERS, values, encoded(option.name), room, len(room))
        value = ffi.string(room).decode()
        found[keyword] = convert.get(option.kind, str)(value) if value else None
    return found


def sums_of(found):
    """The Sums of a struct ky_sums."""
    return Sums(found.mass, *(np.array(list(part)) for part in (found.centre, found.momentum, found.angular_momentum)),
                found.kinetic, found.potential, found.external, lib.ky_total_energy(found), lib.ky_virial_ratio(found))


def report_of(found):
    """{name: value} of a struct ky_force_report."""
    values = {name: getattr(found, name) for name, _ in ffi.typeof(found[0]).fields if name != "size"}
    return {name: ffi.string(value).decode() if name in ("engine", "device") else value for name, value in values.items()}


def _readable(name, help):
    """A property with an array of the bodies, which is copied from the processor when it is first read after a change."""
    return property(lambda sim: sim._array(name), doc=help)


def _changeable(name, help):
    return property(lambda sim: sim._array(name), lambda sim, value: sim._replace(name, value), doc=help)


@documented(lib.KY_OPTIONS_PARAMETERS, MOTION)
class Simulation(Named, Shared, WithQuantities):
    """
    Bodies that move: a processor, an integrator and a clock.

    Arguments:
      bodies     a Snapshot or another Simulation; or None, and arrays:
      position, velocity, mass   (n, 3) [length], (n, 3) [velocity], (n) [mass]
      softening  one length, 0 for none, or one for each body [length]; without it the softening of the Snapshot
      id, type, radius   (n), optional; radii are for stop_collision [length]
      time, units   time at the start; units of all of these: "nbody" (G = 1 or `g`), "galaxy", "cluster", "cosmic", "planets" or kyoho.Units
    Example:
      with kyoho.Simulation(kyoho.model("plummer", 1000), step=1/64) as sim:
          sim.integrate(1)
          print(sim.time, sim.energy(), sim.position[0])

    What it has:
      bodies    position, velocity, mass, softening, radius, id, type, acceleration, potential, n, snapshot, quantity
      state     time, step, steps, parameters, units, sums, energy, report
      motion    integrate, advance, stop, heartbeat
      changes   position = array and so on, step = number, changes, kick, add, remove, find, set
      fields    field, tides, neighbours, nearest, density, groups, pairs
      keeping   save and kyoho.restore, copy, pickle, view, close

    In a comoving box (box and expansion, or a Snapshot with a cosmology) the time is the scale factor, and velocities are peculiar ones.
    Without `step` the first call that advances chooses one. Arrays are copies: assign a whole one. Threads may use a simulation in turn.
    """

    position = _changeable("position", "(n, 3) [length]")
    velocity = _changeable("velocity", "(n, 3) [velocity]; a change computes no forces")
    mass = _changeable("mass", "(n) [mass]")
    softening = _changeable("softening", "(n) [length]; one number sets that of all bodies")
    type = _changeable("type", "(n) GADGET types, 0 to 5")
    radius = _changeable("radius", "(n) [length], of the bodies themselves, for stop_collision and pairs; 0 where none is known")
    id = _readable("id", "(n) whole numbers, which stay with the bodies")
    acceleration = _readable("acceleration", "(n, 3), with external fields")
    potential = _readable("potential", "(n), per unit mass, without the body itself and without external fields")
    units: Units
    _heartbeat = None
    _like = None  # an array of a device whose kind the arrays have

    @property
    def heartbeat(self):
        """A function that is called with the simulation after each step, or None. If it returns True, the call that advances ends."""
        return self._heartbeat

    @heartbeat.setter
    def heartbeat(self, function):
        if function is not None and not callable(function):
            raise TypeError(f"heartbeat must be a function of the simulation or None, not {function!r}")
        self._heartbeat = function

    @staticmethod
    def _options():
        return table(lib.KY_OPTIONS_PARAMETERS)

    @hinted
    def __init__(self, bodies=None, *, position=None, velocity=None, mass=None, id=None, type=None, softening=None, radius=None,
                 time=None, units=None, **options: Unpack[SimulationOptions]):
        if bodies is None:
            if position is None:
                raise UsageError("a simulation needs a Snapshot or position=…")
            options, position, velocity, mass = self._to_host(options, position, velocity, mass)
            bodies = Snapshot(position, velocity, mass, id=id, type=type, radius=radius, time=0 if time is None else time,
                              units=units)
        elif any(given is not None for given in (position, velocity, mass, id, type, radius, units)):
            raise UsageError("a simulation takes a Snapshot or arrays, not both")
        bodies = snapshot_of(bodies, "a simulation without position=…", in_box=True)
        self.units, options = bodies.units, with_box(bodies, options)
        if bodies.cosmology is not None:
            options = {**options, "expansion": options.get("expansion") or bodies.cosmology.expansion()}
        made, keep = bodies._struct()
        start = bodies.time if time is None else self.units.real(time, "time", "time")
        momentum = bodies.velocity * start if options.get("box") and options.get("expansion") else None
        if momentum is not None:
            made.bodies.velocity = _arrays.pointer(momentum, "double (*)[3]")
        softening = self.units.number(softening, "length", "softening")
        if not _arrays.single(softening):
            softening = bodies_array("softening", softening, len(bodies), self.units)
            made.bodies.softening = _arrays.pointer(softening, "double *")
            softening = None
        parameters = Parameters({"softening": softening, **options}, MOTION, self.units)
        parameters.settle()
        parameters.values.stop = self._stop = ffi.new("int *")
        call(lib.ky_softening_choose, parameters.values, made, NULL)
        self._parameters = parameters
        self._open(lambda opened: call(lib.ky_sim_open, parameters.values, ffi.addressof(made.bodies), start, opened), False)
        del keep, momentum

    def _to_host(self, options, *given):
        """The options and arrays of the host. If the positions are on a device, arrays of the simulation are of their kind."""
        if is_on_device(given[0]):
            place = Array(given[0], "position", 3)
            self._like = empty_like(given[0], (0, 3))
            options = {**options, "engine": engine_for(options.get("engine"), [place])}
        return (options, *(on_host(value) for value in given))

    def _open(self, opens, divided):
        """Takes the simulation that opens(place for its handle) opens with self._parameters."""
        opened = ffi.new("struct ky_sim **")
        try:
            self._apart(lambda: opens(opened))
        except BaseException:
            lib.ky_sim_close(opened[0])
            raise
        self._hold(ffi.gc(opened[0], lib.ky_sim_close), divided)

    def _hold(self, handle, divided):
        """Takes the simulation with this handle, whose parameters are self._parameters."""
        self._sim, self._arrays = handle, {}
        self._share()
        if self._parameters.asked:
            self._parameters.asked.stop = self._stop
            self._parameters.asked.belongs_to(handle)
        self._divided = divided  # whether a step may have begun and not ended
        self._engine = ffi.string(self._told().engine).decode()

    @classmethod
    def _borrowed(cls, handle, parameters, units, stop):
        """The simulation with this handle, which the library closes."""
        self = cls.__new__(cls)
        self._parameters, self.units, self._stop = parameters, units, stop
        self._hold(ffi.gc(handle, lambda _: None), False)
        return self

    @alone
    def _call(self, function, *arguments):
        """Calls a function of the library with the simulation."""
        self._enter(function, *arguments)

    def _enter(self, function, *arguments):
        """The same for a caller who is alone."""
        self._need_open()
        self._need_idle()
        if self._lost:
            raise BadDataError(f"the bodies are lost: {self._lost}. Continue from a file of save() or from a copy that was made before")
        self._busy = True
        try:
            call(function, self._sim, *arguments)
        finally:
            self._busy = False

    def _need_idle(self):
        if self._busy:
            raise UsageError("the simulation is computing: a field function may use only its arguments, and may not call the "
                             "simulation")

    @alone
    def _search(self, function, *arguments):
        """Calls a function that does not advance and that Ctrl-C ends. A stop() before it is meant for a call that advances."""
        asked, self._stop[0] = self._stop[0], 0
        try:
            aside(lambda: self._enter(function, *arguments), self.stop)
        except StoppedError as stop:
            stop.reason, stop.asked, stop.time = "asked", True, self.time
            raise
        finally:
            self._stop[0] |= asked

    def _ask(self, function):
        """What a function of the library that cannot fail says of the simulation."""
        with self._lock:
            self._need_open()
            return function(self._sim)

    def _need_open(self):
        if self._sim is None:
            raise UsageError("the simulation is closed")

    @alone
    def _change(self, function, *arguments):
        """Calls a function that changes the bodies. They are lost if a field function fails then."""
        asked = self._parameters.asked
        before = asked and asked.failure
        try:
            self._call(function, *arguments)
        except StoppedError as stop:
            self._explain(stop)
            raise
        finally:
            self._arrays = {}
            if asked and asked.failure is not before:
                self._lost = f"the field function failed while they moved or changed ({asked.failure!r})"

    def _explain(self, stop):
        reason = struct("ky_stop")
        lib.ky_sim_stop_reason(self._sim, reason)
        explain(stop, reason)

    # ---- the state ----

    def __len__(self):
        return 0 if self._sim is None else self._ask(lib.ky_sim_n)

    n = property(__len__, doc="the number of bodies")

    @property
    def time(self):
        """The present time [time]."""
        return self._ask(lib.ky_sim_time)

    @property
    def steps(self):
        """Steps since the start."""
        return self._ask(lib.ky_sim_steps)

    def _told(self):
        told = struct("ky_parameters")
        self._call(lib.ky_sim_parameters, told)
        return told

    def _momentum(self):
        """The momentum a² dx/dt of a body with peculiar velocity 1 in a comoving box, which is a; elsewhere 1."""
        told = self._told()
        return self.time if told.box > 0 and told.expansion != NULL else 1.0

    @property
    def parameters(self):
        """{option: value} of the options that are in force, with what was chosen for those that were left open."""
        return parameters_of(self._told())

    @property
    def step(self):
        """The length of the steps [time]; assign another. None: the first advance chooses it."""
        step = self._told().step
        return None if math.isnan(step) else step

    @step.setter
    def step(self, step):
        self._change(lib.ky_sim_set_step, self.units.real(step, "time", "step"))

    def _array(self, name):
        array = self._arrays.get(name)
        return self._copied(name) if array is None else array

    def _of_host(self, name):
        """The array as one of numpy."""
        return on_host(self._array(name))

    @alone
    def _copied(self, name):
        if self._like is not None and name in COLUMNS:
            return self._on_device(name)  # a new one each time, since it can be written to
        pointer, kind, _ = ARRAYS[name]
        n = len(self)
        array = np.empty((n, 3) if "[3]" in pointer else n, kind)
        self._call(lib.ky_sim_bodies, fill_bodies(struct("ky_bodies"), n, {name: array}))
        if name == "velocity":
            array /= self._momentum()
        array.flags.writeable = False
        self._arrays[name] = array
        return array

    def _on_device(self, name):
        wanted, n = struct("ky_array_bodies"), len(self)
        array = empty_like(self._like, (n, 3) if COLUMNS[name] == 3 else (n,))
        wanted.n, wanted.on_device = n, 1
        Array(array, name, COLUMNS[name]).put(getattr(wanted, name))
        self._call(lib.ky_sim_arrays, wanted)
        if name == "velocity" and self._momentum() != 1:
            return array / self._momentum()
        return array

    @alone
    def snapshot(self) -> Snapshot:
        """The bodies as a Snapshot with arrays of its own."""
        told = self._told()
        arrays = {name: self._of_host(name).copy() for name in ARRAYS if name not in ("softening", "radius")}
        radius = self._array("radius")
        arrays["radius"] = radius.copy() if radius.any() or told.stop_collision else None
        softening = self._array("softening").copy() if math.isnan(told.softening) else told.softening
        kinds = table(lib.KY_OPTIONS_PARAMETERS)["softening_kind"].choices
        return Snapshot(**arrays, softening=softening, softening_kind=kinds[told.softening_kind], time=self.time,
                        units=self.units, box=told.box or None, cosmology=self._cosmology(told))

    def _cosmology(self, told=None):
        """The Cosmology of a comoving box, or None."""
        told = told or self._told()
        if not told.box > 0 or told.expansion == NULL:
            return None
        found = dict(part.split("=") for part in ffi.string(told.expansion).decode().split(","))
        h = float(found["h0"]) * self.units.velocity_cm_s / self.units.length_cm * MPC_CM / 1e7 if self.units.physical else math.nan
        return Cosmology(h, float(found["omega-m"]), float(found.get("omega-lambda", 0)))

    def sums(self) -> Sums:
        """
        Energies, momenta and the centre of mass, as kyoho.simulation.Sums.

        In a comoving box they are sums with the momenta a² dx/dt as velocities, and with comoving distances.
        """
        found = struct("ky_sums")
        self._call(lib.ky_sim_sums, found)
        return sums_of(found)

    def energy(self) -> float:
        """The total energy: kinetic energy, and potential energy in the fields of the bodies and in external fields."""
        return self.sums().total

    # ---- the motion ----

    def _need_step(self):
        """Chooses the step where none was given, as `kyoho run` does, which knows the bodies and their softening."""
        told = self._told()
        if not math.isnan(told.step) or not len(self):
            return
        made, keep = self.snapshot()._struct()
        plan = struct("ky_plan")
        call(lib.ky_run_plan, told, struct("ky_run_parameters", steps=1, every=0, choose_ranks=1), made, plan)
        del keep
        self.step = plan.step
        if not math.isnan(told.late_step):  # the default, which an assigned step ends
            self.set(late_step=told.late_step)

    def stop(self):
        """Ends the call of another thread. A call that advances ends after its present step, and a later call continues. A field or a
        search ends at once, with StoppedError."""
        self._stop[0] = 1

    def _advance(self, function, *arguments):
        """Calls a function that advances. Returns whether stop() has ended it."""
        try:
            self._change(function, *arguments)
        except StoppedError as stop:
            if not stop.asked:
                raise
        return self._stop[0] != 0

    def _after_step(self):
        """Shows the step to the pages of the view, and calls the heartbeat. Returns whether one of them ends the call."""
        return self._show() or bool(self.heartbeat and self.heartbeat(self))

    def _show(self):
        """Gives the pages of the view a picture, and does what they order. Returns whether one has ordered to stop."""
        orders = ffi.new("unsigned *")
        while self._view and not self._stop[0]:
            self._call(lib.ky_sim_show, self._view, orders)
            if orders[0] & lib.KY_SHOW_SNAPSHOT:
                self.snapshot().write(f"view_{self.steps:08d}.{'hdf5' if HAS_HDF5 else 'csv'}", overwrite=True)
            if orders[0] & lib.KY_SHOW_STOP:
                return True
            if not orders[0] & lib.KY_SHOW_WAIT:
                return False
        return self._stop[0] != 0

    @hinted
    def view(self, *, port=None, bodies=None, frame=False, browser=None) -> View:
        """
        Shows the simulation in a browser while it advances. Returns the address of the page, a kyoho.View.

        Arguments:
          port, bodies, frame, browser   as of kyoho.view
        Example:
          sim.view(frame=True)  # the last line of a cell of a notebook

        A second call opens the same page again. Buttons pause the call that advances, make a step, end the call as stop() does, and write
        view_STEPS.hdf5 (.csv without HDF5) in the working directory. With a view each step is a separate call of the library.
        """
        return _view.shown(self._viewed(_view.wanted(port, bodies, frame)), frame, browser)

    @alone
    def _viewed(self, members):
        """The view, which is opened where it is not open."""
        self._need_open()
        if self._view is None:
            view = _view.opened(members)
            self._call(lib.ky_sim_show, view, ffi.new("unsigned *"))
            self._view, self._view_has = view, members
        elif {**self._view_has, **members} != self._view_has:
            raise UsageError("the view is open already: port, bodies and frame cannot change")
        return self._view

    def _calls(self, most, tell):
        """Makes at most `most` steps, in calls of the library that are short enough for Ctrl-C, and calls tell() after each. Returns
        whether the heartbeat or stop() has ended it."""
        count = 1
        while most > 0:
            count = 1 if self.heartbeat or self._view else min(count, most)
            began = clock.perf_counter()
            stopped = self._advance(lib.ky_sim_advance, count)
            self._divided = False
            took = clock.perf_counter() - began
            most -= count
            count = 2 * count if took < SHORT else max(1, count // 2) if took > LONG else count
            tell()
            if stopped or self._after_step():
                return True
        return False

    def _teller(self, shown, end, of, what):
        """A function that shows how far the steps (of="steps") or the time ("time") have gone to `end`."""
        begin, words = getattr(self, of), self.units.times if of == "time" else "{} of {}".format

        def tell():
            if shown:
                now = getattr(self, of)
                done = min(1.0, (now - begin) / (end - begin)) if end != begin else 1.0
                shown(done, f"{what} {words(now, end)} ({100 * done:.0f} %){shown.left(done)}")
        return tell

    @hinted
    def advance(self, steps=1, *, progress=False):
        """
        Makes a number of steps; a negative sim.step leads into the past.

        Arguments:
          steps      the number of steps
          progress   True shows a line in a terminal, or a bar in a notebook
        Example:
          sim.advance(2)

        Ctrl-C ends it after the present step. StoppedError is raised if two bodies of hermite4 are too close, or if the condition of
        stop_collision, stop_pair, stop_escape or stop_box is met. The next call continues in all cases.
        """
        steps = _arrays.whole(steps, "steps")
        self._need_step()
        self._stop[0] = 0
        with Progress(progress) as shown:
            self._calls(steps, self._teller(shown, self.steps + steps, "steps", "step"))

    def _whole_steps(self, time, shorten):
        """The number of steps that certainly end before this time; 0 for a time that the library will refuse before it makes a
        step."""
        step = self._told().step
        if math.isnan(step) or not math.isfinite(time):
            return 0
        steps = (time - self.time) / step
        if not steps < 2 ** 63:
            return 0
        if not shorten and (self._divided or abs(steps - round(steps)) > 1e-6):
            return 0
        return math.ceil(steps - 1e-9) - 1  # the last one is the call that knows the time

    @hinted
    def integrate(self, time, *, shorten=True, progress=False):
        """
        Advances to a time, as advance() does.

        Arguments:
          time       [time], or a text: "40 Myr"
          shorten    True divides a step if the time lies within it; with False such a time is an error
          progress   True shows a line in a terminal, or a bar in a notebook
        Example:
          sim.integrate(0.5)
        """
        time = self.units.real(time, "time", "time")
        self._need_step()
        self._stop[0] = 0
        if self._told().expansion != NULL:
            if self.heartbeat:
                raise UsageError("integrate cannot call the heartbeat with steps that are equal in ln a (expansion): use advance")
            aside(lambda: self._advance(lib.ky_sim_advance_to, time, int(shorten)), self.stop)
            return
        with Progress(progress) as shown:
            tell = self._teller(shown, time, "time", "time")
            if self._calls(self._whole_steps(time, shorten), tell):
                return
            self._divided = bool(shorten)
            if not self._advance(lib.ky_sim_advance_to, time, int(shorten)):
                self._after_step()
            tell()

    # ---- changes ----

    @alone
    def _replace(self, name, value):
        if name == "softening" and _arrays.single(value):
            self._change(lib.ky_sim_set_softening, self.units.real(value, "length", "softening"))
            return
        array = bodies_array(name, on_host(value), len(self), self.units)
        if name == "velocity":
            array = array * self._momentum()
        self._change(lib.ky_sim_replace, NULL, fill_bodies(struct("ky_bodies"), len(self), {name: array}))

    @contextlib.contextmanager
    def changes(self):
        """Several changes with one evaluation of the forces: with sim.changes(): sim.mass = a; sim.position = b."""
        self._change(lib.ky_sim_change_begin)
        try:
            yield self
        finally:
            self._change(lib.ky_sim_change_end, 0)

    @alone
    def kick(self, change, index=None):
        """
        Adds to velocities. No forces are computed.

        Arguments:
          change   (n, 3) [velocity]
          index    the indices of n bodies; without it all bodies
        Example:
          sim.kick([[0, 0, 0.1]], index=[7])
        """
        change = _arrays.vectors(self.units.number(on_host(change), "velocity", "change"), "change") * self._momentum()
        index = None if index is None else _arrays.row(index, "index", "u8")
        if len(change) != (len(self) if index is None else len(index)):
            raise UsageError(f"change has {len(change)} rows for {counted(len(self) if index is None else len(index))}")
        self._change(lib.ky_sim_kick, _arrays.pointer(index, "size_t *"), len(change),
                     _arrays.pointer(change, "double (*)[3]"))

    def add(self, bodies):
        """
        Appends bodies.

        Arguments:
          bodies   a Snapshot or another Simulation in the same units; its ids must be new; without ids they follow the largest id
        Example:
          sim.add(kyoho.Snapshot([[3, 0, 0]], [[0, 0.5, 0]], mass=0.001))
        """
        bodies = at_rest_box(bodies, "add")
        with_box(bodies, {"box": self._told().box})
        if bodies.units != self.units:
            raise UsageError(f"the bodies have other units than the simulation: {bodies.units} and {self.units}")
        made, keep = bodies._struct()
        self._change(lib.ky_sim_add, ffi.addressof(made.bodies))
        del keep

    def remove(self, ids):
        """
        Removes bodies. The order of the others does not change.

        Arguments:
          ids   of the bodies, as in sim.id
        Example:
          sim.remove([12, 13])
        """
        ids = _arrays.row(ids, "ids", "u8")
        self._change(lib.ky_sim_remove, _arrays.pointer(ids, "uint64_t *"), len(ids))

    def find(self, ids):
        """
        The indices (n) of bodies in the arrays.

        Arguments:
          ids   (n) of the bodies
        Example:
          sim.position[sim.find([3, 5])]
        """
        ids = _arrays.row(ids, "ids", "u8")
        index = np.empty(len(ids), "u8")
        self._call(lib.ky_sim_find, _arrays.pointer(ids, "uint64_t *"), len(ids), _arrays.pointer(index, "size_t *"))
        return index

    @softened
    def set(self, **options: Unpack[SomeOptions]):
        """
        Changes options of the force and of the steps, in the given order.

        Arguments: options of kyoho.Simulation. Some cannot change; the error says why.
        Example:
          sim.set(softening=0.1)
        """
        allowed = table(lib.KY_OPTIONS_PARAMETERS)
        for keyword, value in options.items():
            if keyword not in allowed:
                raise no_option(keyword, allowed)
            option = allowed[keyword]
            self._change(lib.ky_sim_set_parameter, encoded(option.name), encoded(text(option, value, self.units)))

    # ---- fields and searches ----

    def _at_points(self, points, softening, wanted):
        if softening is None:
            softening = self._told().softening
            if math.isnan(softening):
                raise UsageError("each body has its own softening: give softening, the length for the points")
        asked = Points(points, softening, self.units, wanted)
        self._search(lib.ky_sim_field_fill, asked.values)
        return asked

    @hinted
    def field(self, points, softening=None):
        """
        Accelerations (m, 3) and potentials (m) of all bodies and external fields at m points that are not bodies.

        Arguments:
          points      (m, 3) [length]
          softening   of the points, one length or one for each [length]; without it the softening of the bodies
        Example:
          acc, pot = sim.field([[0, 0, 2.0]])
        """
        return self._at_points(points, softening, ("acceleration", "potential")).results()

    @hinted
    def tides(self, points, softening=None):
        """
        Tidal tensors (m, 3, 3) of all bodies and external fields at m points, as kyoho.tides.

        Arguments:
          points, softening   as of field()
        Example:
          tide = sim.tides([[0, 0, 2.0]])
        """
        return self._at_points(points, softening, ("tide",)).tensors()

    @alone
    def neighbours(self, radius) -> Neighbours:
        """
        The other bodies within a radius of each body, as kyoho.Neighbours.

        Arguments:
          radius   one length for all bodies, or one for each [length]
        Example:
          near = sim.neighbours(0.3)  # neighbours of body 5: near[5]
        """
        return Neighbours._find(lambda *given: self._search(lib.ky_sim_neighbours, given[0], given[1], NULL, given[2], NULL),
                                radius, len(self), self.units)

    def pairs(self, radius=None):
        """
        The pairs of bodies that are nearer than the sum of their radii: their indices (m, 2) and distances (m).

        Arguments:
          radius   one length for all bodies, or one for each [length]; without it the radii of the bodies
        Example:
          index, distance = sim.pairs(0.05)  # all pairs nearer than 0.1
        """
        radius = self.units.number(radius, "length", "radius")
        if radius is not None:
            radius = _arrays.row(radius, "radius")
        found = struct("ky_pairs")
        self._search(lib.ky_sim_pairs, _arrays.pointer(radius, "double *"), 0 if radius is None else len(radius), found, NULL)
        owner = ffi.gc(found, lib.ky_pairs_free)
        return _arrays.view(found.index, (found.count, 2), "u8", owner), _arrays.view(found.distance, (found.count,), "f8", owner)

    @alone
    def density(self, k=32):
        """
        The same as kyoho.density, for the present bodies.

        Arguments:
          k   the number of neighbours
        Example:
          density, radius = sim.density()
        """
        found, smoothing = np.empty(len(self)), np.empty(len(self))
        self._search(lib.ky_sim_sph_density, _arrays.whole(k, "k"), _arrays.pointer(found, "double *"),
                   _arrays.pointer(smoothing, "double *"), NULL)
        return found, smoothing

    @alone
    def nearest(self, k):
        """
        The same as kyoho.nearest, for the present bodies.

        Arguments:
          k   the number of nearest bodies, 1 to n - 1
        Example:
          index, distance = sim.nearest(6)
        """
        return nearest_of(len(self), k, lambda *wanted: self._search(lib.ky_sim_nearest, *wanted, NULL))

    def groups(self, **options: Unpack[GroupOptions]) -> Groups:
        """
        The same as kyoho.groups, for the present bodies.

        Arguments: linking_length, linking_fraction, volume or minimum, which kyoho.options(kyoho.groups) explains.
        Example:
          groups = sim.groups(linking_length=0.2)
        """
        found = Groups._find(lambda values, made: self._search(lib.ky_sim_catalogue_make, values, made, NULL), options, self.units, len(self),
                             omega_matter_of(self))
        for speeds in (found.velocity, found.dispersion):  # of momenta in a comoving box
            speeds /= self._momentum()
        return found

    def report(self):
        """{name: value} with the cost of the last evaluation of forces: engine, device, seconds of each phase, interactions."""
        found = struct("ky_force_report")
        self._ask(lambda sim: lib.ky_sim_report(sim, found))
        return report_of(found)

    # ---- keeping it ----

    def save(self, path):
        """
        Writes a file from which kyoho.restore continues bit for bit.

        Arguments:
          path   of the file; one that exists is kept as PATH.previous
        Example:
          sim.save("state.kyo")
        """
        self._call(lib.ky_sim_save, encoded(os.fspath(path)))

    @alone
    def _state(self):
        """The bytes of such a file, and how to open it again."""
        size = ffi.new("size_t *")
        self._call(lib.ky_sim_save_memory, ffi.NULL, size)
        state = bytearray(size[0])
        self._call(lib.ky_sim_save_memory, ffi.from_buffer(state), size)
        used = self.parameters
        return bytes(state), self.units, {**{name: used[name] for name in ("engine", "isa", "threads")},
                                          "field": self._parameters.function}

    def __reduce__(self):
        return _from_state, self._state()

    def copy(self) -> Simulation:
        """A simulation that continues with the same bits. It has no heartbeat."""
        return _from_state(*self._state())

    __copy__ = copy

    def __deepcopy__(self, memo):
        return self.copy()

    def close(self):
        """Frees the bodies and the processor. The end of a `with` block does the same."""
        with self._lock:
            self._need_idle()
            if self._sim is not None:
                ffi.release(self._sim)
            if self._view is not None:
                ffi.release(self._view)
            self._sim, self._view, self._arrays = None, None, {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _rows(self):
        used = self.parameters
        step = "not chosen yet" if used["step"] is None else f"{used['step']:g}"
        return [("bodies", f"{len(self):,}"), ("time", f"{self.time:g}"), ("steps", f"{self.steps:,}"), ("step", step),
                ("integrator", used["integrator"]), ("force", used["force"]), ("engine", used["engine"])]

    def __repr__(self):
        if self._sim is None:
            return "<kyoho.Simulation, closed>"
        return f"<kyoho.Simulation of {counted(len(self))} at t = {self.time:g} on {self._engine}>"

    def _repr_html_(self):
        if self._sim is None:
            return None
        return _picture.html(self.snapshot(), self._rows())


def restore(path, *, units=None, engine=None, isa=None, threads=None, field=None) -> Simulation:
    """
    Opens a simulation from a file of Simulation.save, or from restart.kyo in the folder of a run.

    Arguments:
      path    of the file
      units   of the simulation, since the file does not have them: the name of a preset or kyoho.Units
      engine, isa, threads   another processor than that of the file
      field   the function that the simulation had as `field`, if it had one
    Example:
      sim = kyoho.restore("first/restart.kyo")
    """
    if field is not None and not callable(field):
        raise UsageError(f"field must be the function that the simulation had, not {field!r}; the file has the text of a named field")
    return _opened(lambda *rest: call_file(path, lib.ky_sim_restore, encoded(os.fspath(path)), *rest), units, engine=engine, isa=isa, threads=threads, field=field)


def _opened(restores, units, **options):
    """The simulation that a call of the library opens, from its parameters and the place for its handle."""
    units = Units.of(units)
    parameters = Parameters(options, MOTION, units)
    made = Simulation.__new__(Simulation)
    made.units, made._parameters = units, parameters
    parameters.values.stop = made._stop = ffi.new("int *")
    made._open(lambda opened: restores(parameters.values, opened), True)
    return made


def _from_state(state, units, options):
    """What pickle and copy call."""
    return _opened(lambda *rest: call(lib.ky_sim_restore_memory, ffi.from_buffer(state), len(state), *rest), units, **options)
