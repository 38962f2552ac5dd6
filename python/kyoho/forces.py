"""Forces, searches and groups of bodies that are given as arrays, without a simulation."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import _arrays
from ._aside import call_aside
from ._evaluator import ArrayBodies, engine_of, evaluate
from ._on_device import is_on_device, of_host, on_host
from ._library import NULL, call, ffi, lib, struct
from ._options import FORCE, SEARCH, Parameters, divided, documented, fill, table
from ._words import counted, hinted
from .errors import UsageError
from .snapshot import bodies_array, fill_bodies, omega_matter_of, taken
from .units import Units

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._option_types import FieldOptions, ForceOptions, GroupSearchOptions, SearchOptions


def _softened(softening, n, units, options, arrays):
    """Puts one softening into the options, or one for each body into the arrays."""
    softening = units.number(softening, "length", "softening")
    if _arrays.single(softening):
        options["softening"] = softening
    else:
        arrays["softening"] = bodies_array("softening", softening, n, units)


def given_bodies(position, mass, units, velocity=None):
    """The arrays of bodies with these positions and masses; one mass stands for all."""
    position = _arrays.vectors(units.number(position, "length", "position"), "position")
    n = len(position)
    velocity = np.zeros((n, 3)) if velocity is None else velocity
    return {"mass": bodies_array("mass", mass, n, units), "position": position,
            "velocity": bodies_array("velocity", velocity, n, units)}


def _taken(position, mass, softening, units, options):
    """Positions, masses, softening and units of arrays, or of a Snapshot or a Simulation, whose kind of softening and periodic box are
    options."""
    position, units, own = taken(position, units, options, mass=mass, softening=softening, softening_kind=options.get("softening_kind"))
    for name in ("mass", "softening"):
        if own[name] is None:
            raise TypeError(f"the {name} of the bodies is missing; give it, or a Snapshot or a Simulation that has it")
    options["softening_kind"] = own["softening_kind"]
    return position, own["mass"], own["softening"], units


def _prepared(position, mass, softening, units, options):
    """The parameters of one evaluation, and the arrays of its bodies."""
    arrays = given_bodies(position, mass, units)
    _softened(softening, len(arrays["position"]), units, options, arrays)
    parameters = Parameters(options, FORCE, units)
    parameters.settle()
    return parameters, arrays


def _arrays_of(position, mass, softening, units, options, wanted=()):
    """The ArrayBodies, whose softening is among the options if there is one for all."""
    given = {"position": position, "mass": mass}
    softening = softening if is_on_device(softening) else units.number(softening, "length", "softening")
    if _arrays.single(softening):
        options["softening"] = softening
    else:
        given["softening"] = softening
    return ArrayBodies(given, units, wanted)


def _forces(position, mass, softening, units, options, wanted, report=NULL):
    """{name: array} of the results. `report` is a struct ky_force_report, for measurements."""
    position, mass, softening, units = _taken(position, mass, softening, units, options)
    bodies = _arrays_of(position, mass, softening, units, options, wanted)
    parameters = Parameters(engine_of(options, bodies), FORCE, units)
    parameters.settle()
    evaluate(lib.ky_evaluator_forces, parameters, bodies, report)
    return bodies.results


@documented(lib.KY_OPTIONS_PARAMETERS, FORCE, without=("softening",))
@hinted
def gravity(pos, mass=None, eps=None, *, units=None, **options: Unpack[ForceOptions]) -> tuple[np.ndarray, np.ndarray]:
    """
    Accelerations (n, 3) and potentials (n) of bodies on each other.

    Arguments:
      pos, mass, eps   positions (n, 3) [length]; masses (n), or one for all [mass]; softening, one length, 0 for
                       none, or one for each body [length]. Or a Snapshot or a Simulation as pos, which has all three
      units   of the numbers: "nbody" (G = 1, the default), "galaxy", "cluster", "cosmic", "planets" or kyoho.Units
    Example:
      acc, pot = kyoho.gravity(pos, mass, 0.05, theta=0.5)

    The potential is per unit mass. It excludes the body itself and external fields. Arguments and results are those of
    pyfalcon.gravity. The softening is Plummer's unless softening_kind gives another.
    """
    found = _forces(pos, mass, eps, units, options, ("acceleration", "potential"))
    return found["acceleration"], found["potential"]


@documented(lib.KY_OPTIONS_PARAMETERS, FORCE, without=("softening",))
@hinted
def accelerations(position, mass=None, softening=None, *, units=None, **options: Unpack[ForceOptions]) -> np.ndarray:
    """
    Accelerations (n, 3) of bodies by each other and by external fields (`field`).

    Arguments:
      position, mass, softening   as pos, mass, eps of kyoho.gravity; or a Snapshot or a Simulation as position
      units   of the numbers: "nbody" (G = 1, the default), "galaxy", "cluster", "cosmic", "planets" or kyoho.Units
    Example:
      acc = kyoho.accelerations(pos, mass, 0.05, field="plummer:mass=1,scale=2")

    For moving bodies use kyoho.Simulation: it keeps the bodies, and uses their last accelerations in the next evaluation.
    """
    return _forces(position, mass, softening, units, options, ("acceleration",))["acceleration"]


@documented(lib.KY_OPTIONS_PARAMETERS, FORCE, without=("softening",))
@hinted
def potential(position, mass=None, softening=None, *, units=None, **options: Unpack[ForceOptions]) -> np.ndarray:
    """
    Potentials (n) of bodies on each other, per unit mass, without the body itself and without external fields.

    Arguments:
      position, mass, softening   as pos, mass, eps of kyoho.gravity; or a Snapshot or a Simulation as position
      units   of the numbers: "nbody" (G = 1, the default), "galaxy", "cluster", "cosmic", "planets" or kyoho.Units
    Example:
      pot = kyoho.potential(pos, mass, 0.05)
    """
    return _forces(position, mass, softening, units, options, ("potential",))["potential"]


# Of the six numbers of a tidal tensor: xx yy zz xy xz yz.
_TENSOR = [[0, 3, 4], [3, 1, 5], [4, 5, 2]]


class Points:
    """Points of a field: the struct ky_field_points as `values`, and the arrays that it fills."""

    def __init__(self, points, softening, units, wanted):
        self.position = _arrays.vectors(units.number(points, "length", "points"), "points")
        count = len(self.position)
        given = units.number(softening, "length", "softening")
        each = not _arrays.single(given)
        if each and np.shape(given) != (count,):
            raise UsageError(f"softening must be one length, or one for each of the {count} points")
        self.softening = _arrays.numbers(given, "softening") if each else None
        self.found = {name: np.empty((count, columns) if columns > 1 else count)
                      for name, columns in (("acceleration", 3), ("potential", 1), ("tide", 6)) if name in wanted}
        self.values = struct("ky_field_points")
        self.values.size = ffi.sizeof("struct ky_field_points")
        self.values.count = count
        self.values.position = _arrays.pointer(self.position, "double (*)[3]")
        if each:
            self.values.softenings = _arrays.pointer(self.softening, "double *")
        else:
            self.values.softening = _arrays.number(given, "softening")
        for name, kind in (("acceleration", "double (*)[3]"), ("potential", "double *"), ("tide", "double (*)[6]")):
            if name in wanted:
                setattr(self.values, name, _arrays.pointer(self.found[name], kind))

    def results(self):
        return self.found["acceleration"], self.found["potential"]

    def tensors(self):
        return self.found["tide"][:, _TENSOR]


def _field_of(points, position, mass, softening, points_softening, units, options, wanted):
    position, mass, softening, units = _taken(position, mass, softening, units, options)
    if points_softening is None and np.ndim(softening):
        raise UsageError("each body has its own softening: give points_softening, one length or one for each point")
    at = softening if points_softening is None else points_softening
    if wanted == ("tide",):
        return _tides_of(points, position, mass, softening, at, units, options)
    bodies = _arrays_of(position, mass, softening, units, options)
    place, given = _points_of(points, at, units, wanted)
    parameters = Parameters(engine_of(options, bodies, place), FORCE, units)
    parameters.settle()
    evaluate(lib.ky_evaluator_field, parameters, bodies, place, given)
    return tuple(place.results[name] for name in wanted)


def _points_of(points, softening, units, wanted):
    """The ArrayBodies of points, and the softening of all of them where they have one."""
    softening = softening if is_on_device(softening) else units.number(softening, "length", "softening")
    each = not _arrays.single(softening)
    if each and np.shape(softening) != (len(points),):
        raise UsageError(f"softening must be one length, or one for each of the {len(points)} points")
    given = {"position": points, "softening": softening} if each else {"position": points}
    return ArrayBodies(given, units, wanted, {"position": "points"}), 0.0 if each else _arrays.number(softening, "softening")


def _tides_of(points, position, mass, softening, points_softening, units, options):
    parameters, arrays = _prepared(position, mass, softening, units, options)
    bodies = fill_bodies(struct("ky_bodies"), len(arrays["position"]), arrays)
    asked = Points(points, points_softening, units, ("tide",))
    call_aside(parameters.values, lib.ky_field_fill, parameters.values, bodies, asked.values)
    return asked.tensors()


@documented(lib.KY_OPTIONS_PARAMETERS, FORCE, without=("softening", "mutual"))
@hinted
def field(points, position, mass=None, softening=None, *, points_softening=None, units=None,
          **options: Unpack[FieldOptions]) -> tuple[np.ndarray, np.ndarray]:
    """
    Accelerations (m, 3) and potentials (m) of bodies and external fields (`field`) at m points that are not bodies.

    Arguments:
      points   (m, 3) [length]
      position, mass, softening   as pos, mass, eps of kyoho.gravity; or a Snapshot or a Simulation as position
      points_softening   one length for all points, or one for each [length]; without it the softening of the bodies
      units   of the numbers: "nbody" (G = 1, the default), "galaxy", "cluster", "cosmic", "planets" or kyoho.Units
    Example:
      acc, pot = kyoho.field([[0, 0, 3.0]], pos, mass, 0.05)

    The forces on the bodies are not computed.
    """
    return _field_of(points, position, mass, softening, points_softening, units, options, ("acceleration", "potential"))


@documented(lib.KY_OPTIONS_PARAMETERS, FORCE, without=("softening", "mutual"))
@hinted
def tides(points, position, mass=None, softening=None, *, points_softening=None, units=None,
          **options: Unpack[FieldOptions]) -> np.ndarray:
    """
    Tidal tensors (m, 3, 3) at m points: element [k, i, j] is the derivative of component i of the acceleration along axis j.

    Arguments:
      points   (m, 3) [length]
      position, mass, softening   as pos, mass, eps of kyoho.gravity; or a Snapshot or a Simulation as position
      points_softening   one length for all points, or one for each [length]; without it the softening of the bodies
      units   of the numbers: "nbody" (G = 1, the default), "galaxy", "cluster", "cosmic", "planets" or kyoho.Units
    Example:
      tide = kyoho.tides([[0, 0, 3.0]], pos, mass, 0.05)

    The field is that of bodies and external fields (`field`). It is computed in double precision, which the device must support.
    """
    return _field_of(points, position, mass, softening, points_softening, units, options, ("tide",))


def _in_fields(field, time, units, g):
    """The parameters of external fields without bodies, and the units."""
    units = Units.of(units)
    options = {"field": field} if g is None else {"field": field, "g": g}
    parameters = Parameters(options, FORCE, units)
    parameters.values.time = _arrays.number(units.number(time, "time", "time"), "time")
    return parameters, units


@hinted
def external_field(points, field, *, time=0.0, units=None, g=None) -> tuple[np.ndarray, np.ndarray]:
    """
    Accelerations (m, 3) and potentials (m) of external fields at m points, without bodies.

    Arguments:
      points   (m, 3) [length]
      field    a text ("mw14", "nfw:mass=1e12Msun,scale=20kpc"), a function, or a tuple of both, as of kyoho.Simulation
      time     for fields that change in time [time]
      units   of the numbers: "nbody" (G = 1, the default), "galaxy", "cluster", "cosmic", "planets" or kyoho.Units
      g        the constant of gravity, instead of the one of the units
    Example:
      acc, pot = kyoho.external_field([[8, 0, 0.0]], "mw14", units="galaxy")
    """
    parameters, units = _in_fields(field, time, units, g)
    asked = Points(points, 0.0, units, ("acceleration", "potential"))
    call_aside(parameters.values, lib.ky_external_field, parameters.values, asked.values)
    return asked.results()


@hinted
def orbit(position, velocity, times, field, *, turn=0.0, units=None, g=None) -> tuple[np.ndarray, np.ndarray]:
    """
    Positions (n, 3) and velocities (n, 3) of one body in external fields, without other bodies, at n times.

    Arguments:
      position, velocity   of the body at times[0], three numbers each [length] [velocity]
      times    (n), ascending or descending [time]
      field    as of kyoho.external_field
      turn     angular speed of axes that turn about z [1/time, in radians]; the results are in these axes, which
               coincide with the axes at rest at the time 0
      units   of the numbers: "nbody" (G = 1, the default), "galaxy", "cluster", "cosmic", "planets" or kyoho.Units
      g        the constant of gravity, instead of the one of the units
    Example:
      path, velocity = kyoho.orbit([8, 0, 0], [0, 150, 50], np.linspace(0, 2, 100), "mw14", units="galaxy")

    The relative error of a step is 1e-12. A field "friction" slows this body down; it needs body=0 and a mass.
    """
    parameters, units = _in_fields(field, 0.0, units, g)
    times = _arrays.row(units.number(times, "time", "times"), "times")
    places, velocities = np.empty((len(times), 3)), np.empty((len(times), 3))
    for name, kind, value, array in (("position", "length", position, places), ("velocity", "velocity", velocity, velocities)):
        array[:1] = _arrays.scalars(units.number(value, kind, name), name, 3)
    call_aside(parameters.values, lib.ky_orbit, parameters.values, len(times), _arrays.pointer(times, "double *"),
               _arrays.pointer(places, "double (*)[3]"), _arrays.pointer(velocities, "double (*)[3]"), NULL)
    turn = units.real(turn, "1/time", "turn")
    for k in range(len(times) if turn else 0):
        row = fill_bodies(struct("ky_bodies"), 1, {"mass": np.ones(1), "position": places[k:k + 1], "velocity": velocities[k:k + 1]})
        call(lib.ky_bodies_turn, row, turn, times[k])
    return places, velocities


class Neighbours:
    """The neighbours of each body: neighbours[i] has the indices of the neighbours of body i, in ascending order.

    `count` has the number of neighbours of each body. `body` has all indices; the ones of body i are body[offset[i]:offset[i + 1]].
    """

    def __init__(self, offset, body):
        self.offset, self.body = offset, body

    @property
    def count(self):
        return self.offset[1:] - self.offset[:-1]

    def __len__(self):
        return len(self.offset) - 1

    def __getitem__(self, i):
        i = range(len(self))[i]
        return self.body[int(self.offset[i]):int(self.offset[i + 1])]

    def __repr__(self):
        return f"<kyoho.Neighbours of {counted(len(self))}, {len(self.body):,} in all>"

    @classmethod
    def _find(cls, search, radius, n, units):
        """The neighbours that search(radius, radii, lists) of the library finds."""
        radius = units.number(radius, "length", "radius")
        radius = _arrays.row(radius, "radius") if _arrays.single(radius) else _arrays.scalars(radius, "radius", n)
        lists = ffi.new("struct ky_neighbour_lists *")
        search(_arrays.pointer(radius, "double *"), len(radius), lists)
        owner = ffi.gc(lists, lib.ky_neighbour_lists_free)
        if lists.offset == NULL:
            return cls(np.zeros(n + 1, "u8"), np.empty(0, "u4"))
        offset = _arrays.view(lists.offset, (n + 1,), "u8", owner)
        return cls(offset, _arrays.view(lists.body, (int(offset[-1]),), "u4", owner))


def _alike(like, *found):
    """Arrays of numpy; if `like` is on a device, as arrays of its kind there."""
    return tuple(of_host(like, array) for array in found) if is_on_device(like) else found


def _search(position, mass, units, options, velocity=None):
    """The parameters and bodies of a search, and what must live as long as these."""
    arrays = given_bodies(position, mass, units, velocity)
    parameters = Parameters(options, SEARCH, units)
    return parameters, fill_bodies(struct("ky_bodies"), len(arrays["position"]), arrays), arrays


@documented(lib.KY_OPTIONS_PARAMETERS, SEARCH)
@hinted
def neighbours(position, radius, *, units=None, **options: Unpack[SearchOptions]) -> Neighbours:
    """
    The other bodies within a radius of each body, as kyoho.Neighbours.

    Arguments:
      position   (n, 3) [length], or a Snapshot or a Simulation
      radius     one length for all bodies, or one for each [length]
      units   of the numbers: "nbody" (G = 1, the default), "galaxy", "cluster", "cosmic", "planets" or kyoho.Units
    Example:
      near = kyoho.neighbours(pos, 0.3)  # neighbours of body 5: near[5]; the number for each body: near.count
    """
    position, units, _ = taken(position, units, options)
    parameters, bodies, keep = _search(on_host(position), 1.0, units, options)
    found = Neighbours._find(lambda radius, radii, lists: call_aside(parameters.values, lib.ky_neighbours, parameters.values, bodies, radius,
                                                                    radii, NULL, lists, NULL), on_host(radius), len(keep["position"]), units)
    return Neighbours(*_alike(position, found.offset, found.body)) if is_on_device(position) else found


@documented(lib.KY_OPTIONS_PARAMETERS, SEARCH)
@hinted
def density(position, mass=None, k=32, *, units=None, **options: Unpack[SearchOptions]) -> tuple[np.ndarray, np.ndarray]:
    """
    SPH densities (n) with a cubic spline that reaches to the k-th nearest other body, and the distances (n) of this body.

    Arguments:
      position, mass   (n, 3) [length]; masses (n) or one for all [mass]; or a Snapshot or a Simulation as position
      k                the number of neighbours
      units   of the numbers: "nbody" (G = 1, the default), "galaxy", "cluster", "cosmic", "planets" or kyoho.Units
    Example:
      density, radius = kyoho.density(pos, mass, k=32)
    """
    position, units, own = taken(position, units, options, mass=mass)
    if own["mass"] is None:
        raise TypeError("the mass of the bodies is missing; give it, or a Snapshot or a Simulation")
    parameters, bodies, keep = _search(on_host(position), on_host(own["mass"]), units, options)
    n = len(keep["position"])
    found, smoothing = np.empty(n), np.empty(n)
    call_aside(parameters.values, lib.ky_sph_density, parameters.values, bodies, _arrays.whole(k, "k"),
               _arrays.pointer(found, "double *"), _arrays.pointer(smoothing, "double *"), NULL)
    return _alike(position, found, smoothing)


def nearest_of(n, k, search):
    """The places (n, k) and the distances (n, k) that search(k, places, distances) of the library finds."""
    k = _arrays.whole(k, "k")
    wide = k if k < n or n == 0 else 0  # the library refuses more than the n - 1 others, however many they are
    index, distance = np.empty((n, wide), "u4"), np.empty((n, wide))
    search(k, _arrays.pointer(index, "uint32_t *"), _arrays.pointer(distance, "double *"))
    return index.astype(int), distance


@documented(lib.KY_OPTIONS_PARAMETERS, SEARCH)
@hinted
def nearest(position, k, *, units=None, **options: Unpack[SearchOptions]) -> tuple[np.ndarray, np.ndarray]:
    """
    The k nearest other bodies of each body: their indices (n, k), nearest first, and distances (n, k).

    Arguments:
      position   (n, 3) [length], or a Snapshot or a Simulation
      k          the number of nearest bodies, 1 to n - 1
      units   of the numbers: "nbody" (G = 1, the default), "galaxy", "cluster", "cosmic", "planets" or kyoho.Units
    Example:
      index, distance = kyoho.nearest(pos, 6)  # the nearest of body 5: index[5, 0]

    Bodies at equal distances are in the order of their indices.
    """
    position, units, _ = taken(position, units, options)
    parameters, bodies, keep = _search(on_host(position), 1.0, units, options)
    return _alike(position, *nearest_of(len(keep["position"]), k, lambda *wanted: call_aside(
        parameters.values, lib.ky_nearest, parameters.values, bodies, *wanted, NULL)))


class Groups:
    """Groups of bodies, the largest first: groups[g] has the indices of the bodies of group g.

    `mass`, `centre`, `velocity`, `radius` (rms distance from the centre) and `dispersion` (rms speed about the mean) have a row
    for each group; `linking_length` is the linking length that was used. `label` has the number of the group of each body.

    In a periodic box there are also `peak`, the place of the body with the lowest potential by the group's own bodies, and about it `m200m`, `r200m`, `m200c` and `r200c`: mass and radius of the sphere with 200 times the mean or the
    critical density. The last two are NaN without a cosmology. Otherwise all five are None.
    """

    offset: np.ndarray
    body: np.ndarray
    mass: np.ndarray
    centre: np.ndarray
    velocity: np.ndarray
    radius: np.ndarray
    dispersion: np.ndarray
    peak: np.ndarray | None
    m200m: np.ndarray | None
    r200m: np.ndarray | None
    m200c: np.ndarray | None
    r200c: np.ndarray | None

    def __init__(self, made, n):
        owner, count = ffi.gc(made, lib.ky_catalogue_free), made.groups
        self.n = n
        self.linking_length = made.linking_length
        self.offset = _arrays.view(made.offset, (count + 1,), "u8", owner) if made.offset else np.zeros(1, "u8")
        self.body = _arrays.view(made.body, (made.members,), "u4", owner)
        for name, shape in (("mass", ()), ("centre", (3,)), ("velocity", (3,)), ("radius", ()), ("dispersion", ())):
            setattr(self, name, _arrays.view(getattr(made, name), (count, *shape), "f8", owner))
        for name, shape in (("peak", (3,)), ("m200m", ()), ("r200m", ()), ("m200c", ()), ("r200c", ())):
            setattr(self, name, _arrays.view(getattr(made, name), (count, *shape), "f8", owner) if made.box > 0 else None)

    @property
    def count(self):
        """The number of bodies of each group."""
        return np.diff(self.offset)

    @property
    def label(self):
        """(n) the number of the group of each body; −1 for a body in no group."""
        label = np.full(self.n, -1)
        label[self.body] = np.repeat(np.arange(len(self)), self.count.astype(int))
        return label

    def __len__(self):
        return len(self.mass)

    def __getitem__(self, g):
        g = range(len(self))[g]
        return self.body[self.offset[g]:self.offset[g + 1]]

    def __repr__(self):
        return (f"<kyoho.Groups: {len(self):,} with {len(self.body):,} of {counted(self.n)}, linking length {self.linking_length:g}>" if len(self)
                else f"<kyoho.Groups: none among {counted(self.n)}, linking length {self.linking_length:g}>")

    @classmethod
    def _find(cls, search, wanted, units, n, omega_matter=None):
        """The groups that search(wanted, catalogue) of the library finds, by the options of `wanted`."""
        for idle in ("linking_fraction", "volume"):
            if wanted.get("linking_length") is not None and wanted.get(idle) is not None:
                raise UsageError(f"{idle} has no effect with linking_length: leave out {idle}")
        values, keep = struct("ky_catalogue_parameters"), []
        fill(values, lib.KY_OPTIONS_GROUPS, wanted, table(lib.KY_OPTIONS_GROUPS), units, keep)
        if omega_matter is not None:
            values.omega_matter = omega_matter
        made = struct("ky_catalogue")
        search(values, made)
        return cls(made, n)


@documented(lib.KY_OPTIONS_GROUPS, more=lambda: list(table(lib.KY_OPTIONS_PARAMETERS, SEARCH).values()))
@hinted
def groups(position, mass=None, velocity=None, *, units=None, **options: Unpack[GroupSearchOptions]) -> Groups:
    """
    Groups of bodies by friends of friends, as kyoho.Groups.

    Arguments:
      position   (n, 3) [length], or a Snapshot or a Simulation, which has mass and velocity
      mass       one number or one for each body [mass]; without it all bodies count alike
      velocity   (n, 3) [velocity]; without it the bodies are at rest
      units   of the numbers: "nbody" (G = 1, the default), "galaxy", "cluster", "cosmic", "planets" or kyoho.Units
    Example:
      groups = kyoho.groups(pos, mass, linking_length=0.2)  # the largest group: groups[0]; the group of each body: groups.label
    """
    omega = omega_matter_of(position)
    position, units, own = taken(position, units, options, mass=mass, velocity=velocity)
    mass, velocity = own["mass"], own["velocity"]
    wanted, options = divided(options, table(lib.KY_OPTIONS_GROUPS), table(lib.KY_OPTIONS_PARAMETERS, SEARCH))
    position, mass, velocity = (on_host(value) for value in (position, mass, velocity))
    parameters, bodies, keep = _search(position, 1.0 if mass is None else mass, units, options, velocity)
    found = Groups._find(lambda values, made: call_aside(parameters.values, lib.ky_catalogue_make, parameters.values, values, bodies,
                                                         made, NULL), wanted, units, len(keep["position"]), omega)
    del keep
    return found
