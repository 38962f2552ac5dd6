"""Snapshots: bodies with their time and units, in memory and in files."""
from __future__ import annotations

import copy
import logging
import math
import operator
import os
from collections import namedtuple

import numpy as np

from . import _arrays, _hdf5, _picture
from ._library import call, call_file, encoded, ffi, lib, struct
from ._words import Named, counted, hinted
from .errors import UnsupportedError, UsageError
from .units import Units, WithQuantities

# Arrays of bodies: the member of struct ky_bodies, the C type of its elements, that of numpy, the kind of their unit.
REQUIRED = ("mass", "position", "velocity")
ARRAYS = {"mass": ("double *", "f8", "mass"), "position": ("double (*)[3]", "f8", "length"),
          "velocity": ("double (*)[3]", "f8", "velocity"), "id": ("uint64_t *", "u8", ""),
          "softening": ("double *", "f8", "length"), "radius": ("double *", "f8", "length"), "type": ("uint8_t *", "u1", ""),
          "acceleration": ("double (*)[3]", "f8", None), "potential": ("double *", "f8", None)}
FORMATS = {None: lib.KY_FORMAT_BY_NAME, "hdf5": lib.KY_HDF5, "tipsy": lib.KY_TIPSY, "csv": lib.KY_CSV}
HAS_HDF5 = b"HDF5: yes" in ffi.string(lib.ky_build_features())
CONVENTIONS = {"file": lib.KY_CONVENTION_OF_FILE, "gadget": lib.KY_CONVENTION_GADGET, "swift": lib.KY_CONVENTION_SWIFT}
SOFTENING_KINDS = {lib.KY_PLUMMER: "plummer", lib.KY_SYMMETRIC: "symmetric", lib.KY_SPLINE: "spline"}


def bodies_array(name, value, n, units):
    """The array of this name as the library takes it, with quantities as numbers in the units. One number stands for all."""
    _, kind, unit = ARRAYS[name]
    value = units.number(value, unit, name)
    if _arrays.single(value):
        value = np.full(n, _arrays.number(value, name))
    if "[3]" not in ARRAYS[name][0]:
        return _arrays.scalars(value, name, n, kind)
    array = _arrays.vectors(value, name)
    if len(array) != n:
        raise UsageError(f"{name} has {len(array)} rows for {counted(n)}")
    return array


def fill_bodies(bodies, n, arrays):
    """Lets a struct ky_bodies point at these arrays. They must live as long as it is used."""
    bodies.n = n
    for name, array in arrays.items():
        setattr(bodies, name, _arrays.pointer(array, ARRAYS[name][0]))
    return bodies


def snapshot_of(given, what, in_box=False):
    """The Snapshot of a Snapshot or a Simulation. TypeError for anything else, UnsupportedError for a periodic box unless `in_box`."""
    found = given.snapshot() if hasattr(given, "snapshot") else given
    if not isinstance(found, Snapshot):
        maker = "kyoho.read(path) reads a file" if isinstance(given, (str, os.PathLike)) else "kyoho.Snapshot(position, velocity, mass) makes one of arrays"
        raise TypeError(f"{what} takes a kyoho.Snapshot or a kyoho.Simulation, not {type(given).__name__}; {maker}")
    if found.box is not None and not in_box:
        raise UnsupportedError(f"{what} does not know periodic boxes: set box = None of the Snapshot to treat its bodies as bodies in open space")
    return found


def at_rest_box(given, what):
    """The Snapshot, in open space or in a box that does not expand."""
    found = snapshot_of(given, what, in_box=True)
    if found.cosmology is not None:
        raise UnsupportedError(f"{what} does not know comoving boxes: kyoho.run integrates their bodies")
    return found


def with_box(bodies, options):
    """The options with the periodic box of the bodies, if they have one. UsageError where the options have another."""
    if bodies.box is None:
        return options
    given = options.get("box")
    if given is not None and not math.isclose(bodies.units.real(given, "length", "box"), bodies.box, rel_tol=1e-6):
        raise UsageError(f"box is {given}, but the bodies are in a periodic box of side {bodies.box:g}: leave out box, or set box = None of the Snapshot")
    return {**options, "box": bodies.box}


def taken(bodies, units, options=None, **given):
    """The positions, the units, and the other arguments by name. Of a Snapshot or a Simulation each argument that is None is that
    of its bodies, and their periodic box goes into `options`."""
    if not isinstance(bodies, Snapshot) and not hasattr(bodies, "snapshot"):
        return bodies, Units.of(units), given
    bodies = snapshot_of(bodies, "this function", in_box=options is not None)
    if options is not None:
        options.update(with_box(bodies, options))
    if units is not None and Units.of(units) != bodies.units:
        raise UsageError(f"the bodies have other units: {bodies.units} and {Units.of(units)}")
    return bodies.position, bodies.units, {name: getattr(bodies, name) if value is None else value for name, value in given.items()}


def omega_matter_of(bodies):
    """The density parameter of matter at the time of a Snapshot or Simulation in a comoving box; None for other bodies."""
    cosmology = bodies._cosmology() if hasattr(bodies, "_cosmology") else getattr(bodies, "cosmology", None)
    if cosmology is None:
        return None
    h, matter, dark = cosmology
    space = ffi.new("struct ky_space *", {"comoving": 1, "scale_factor": bodies.time, "hubble": h, "omega_matter": matter, "omega_lambda": dark})
    return lib.ky_omega_matter(space)


Cosmology = namedtuple("Cosmology", "hubble omega_matter omega_lambda")
Cosmology.expansion = lambda self: f"omega-m={self.omega_matter!r},omega-lambda={self.omega_lambda!r},h0={100 * self.hubble!r}km/s/Mpc"
Cosmology.__doc__ = """The universe of bodies in a comoving box: `hubble` is H0 in 100 km/s/Mpc, the densities are those of today."""


class Snapshot(Named, WithQuantities):
    """
    Bodies at a time, as arrays of numpy.

    Arguments:
      position, velocity   (n, 3) [length] [velocity]; without velocity they are at rest
      mass       (n) or one for all [mass]; without it 1/n each
      id, type   (n) whole numbers; types are GADGET's, 0 to 5
      softening  one length for all bodies, or one for each [length]; softening_kind is "plummer", "symmetric" or "spline"
      radius     (n), the sizes of the bodies, for stop_collision [length]
      acceleration, potential   (n, 3), (n), if they are known
      time       [time]
      box        side of a periodic box with a corner at the origin [length] (docs/periodic.md); None: open space
      cosmology  of a comoving box, kyoho.snapshot.Cosmology: positions are comoving, velocities a dx/dt, time is a; None: no expansion
      units      of the numbers: "nbody" (G = 1, the default), "galaxy", "cluster", "cosmic", "planets" or kyoho.Units
    Example:
      bodies = kyoho.Snapshot([[0, 0, 0], ["1 AU", 0, 0]], [[0, 0, 0], [0, "29.8 km/s", 0]], ["1 Msun", 0], units="planets")
      bodies.position, bodies[:1], bodies.write("sun.csv", overwrite=True)

    The arguments are its attributes. An attribute that is not known is None. C-contiguous arrays of float64 are not copied.
    """

    position: np.ndarray
    velocity: np.ndarray
    mass: np.ndarray
    id: np.ndarray | None
    type: np.ndarray | None
    radius: np.ndarray | None
    acceleration: np.ndarray | None
    potential: np.ndarray | None
    softening: float | np.ndarray | None
    softening_kind: str | None
    units: Units
    time: float
    box: float | None = None
    cosmology: Cosmology | None = None
    parameters: str | None

    @hinted
    def __init__(self, position, velocity=None, mass=None, *, id=None, softening=None, type=None, acceleration=None,
                 potential=None, radius=None, time=0.0, units=None, softening_kind=None, box=None, cosmology=None):
        self.units = Units.of(units)
        self.position = _arrays.vectors(self.units.number(position, "length", "position"), "position")
        n = len(self.position)
        given = {"velocity": np.zeros((n, 3)) if velocity is None else velocity,
                 "mass": np.full(n, 1 / n if n else 1) if mass is None else mass, "id": id, "type": type,
                 "acceleration": acceleration, "potential": potential, "radius": radius}
        for name, value in given.items():
            setattr(self, name, None if value is None else bodies_array(name, value, n, self.units))
        self.softening = self._softening(softening, n)
        self.softening_kind = softening_kind
        self.time = self.units.real(time, "time", "time")
        self.box = None if box is None else self.units.real(box, "length", "box")
        if box is not None and not 0 < self.box < math.inf:
            raise UsageError(f"box is {box}; it must be above 0 and finite, or None for open space")
        self.cosmology = None if cosmology is None else Cosmology(*cosmology)
        self.parameters = None

    def _softening(self, given, n):
        given = self.units.number(given, "length", "softening")
        if given is None:
            return None
        return _arrays.number(given, "softening") if _arrays.single(given) else bodies_array("softening", given, n, self.units)

    @classmethod
    def _from_struct(cls, made):
        """The snapshot in a struct ky_snapshot that the library has allocated, whose memory the arrays keep."""
        owner = ffi.gc(made, lib.ky_snapshot_free)
        self, n = cls.__new__(cls), made.bodies.n
        for name, (pointer, kind, _) in ARRAYS.items():
            shape = (n, 3) if "[3]" in pointer else (n,)
            memory = getattr(made.bodies, name)
            setattr(self, name, _arrays.view(memory, shape, kind, owner) if memory or name in REQUIRED else None)
        if self.softening is None and not math.isnan(made.softening):
            self.softening = made.softening
        self.softening_kind = SOFTENING_KINDS.get(made.softening_kind)
        self.units, self.time = Units.from_struct(made.units), made.time
        space = made.space
        self.box = space.box if space.box > 0 and space.converted != lib.KY_TO_PHYSICAL else None
        if self.box is not None and space.comoving:
            self.cosmology = Cosmology(space.hubble, space.omega_matter, space.omega_lambda)
        self.parameters = ffi.string(made.parameters).decode() if made.parameters else None
        return self

    def _struct(self):
        """A struct ky_snapshot of these arrays, and what must live as long as it is used."""
        made = ffi.new("struct ky_snapshot *")
        lib.ky_snapshot_clear(made)
        arrays = {name: bodies_array(name, getattr(self, name), len(self), self.units) for name in ARRAYS
                  if name != "softening" and getattr(self, name) is not None}
        softening = self._softening(self.softening, len(self))
        if isinstance(softening, np.ndarray):
            arrays["softening"] = softening
        elif softening is not None:
            made.softening = softening
        fill_bodies(made.bodies, len(self), arrays)
        self.units.put(made.units)
        made.time, made.space.box = _arrays.number(self.time, "time"), self.box or 0.0
        if self.cosmology is not None:
            if self.box is None:
                raise UsageError("the bodies have a cosmology and no box: set cosmology = None to treat their numbers as in open space")
            made.space.comoving, made.space.converted, made.space.scale_factor = 1, lib.KY_TO_COMOVING, made.time
            made.space.hubble, made.space.omega_matter, made.space.omega_lambda = map(float, self.cosmology)
        if self.softening_kind is not None:
            kinds = {name: number for number, name in SOFTENING_KINDS.items()}
            if self.softening_kind not in kinds:
                raise UsageError(f"softening_kind is {self.softening_kind!r}; it must be one of {', '.join(kinds)}")
            made.softening_kind = kinds[self.softening_kind]
        text = encoded(self.parameters) if self.parameters is not None else None
        if text:
            made.parameters = text
        return made, (arrays, text)

    def __len__(self):
        return len(self.position)

    def __getitem__(self, which):
        """The Snapshot of some of the bodies: an index array, a mask or a slice."""
        if np.ndim(which) == 0 and not isinstance(which, slice):
            k = operator.index(which)
            if not -len(self) <= k < len(self):
                raise IndexError(f"body {k}: the snapshot has {counted(len(self))}")
            which = slice(k, k + 1 or None)
        some = copy.copy(self)
        for name in ARRAYS:
            array = getattr(self, name)
            setattr(some, name, array[which] if isinstance(array, np.ndarray) else array)
        return some

    def copy(self):
        """A snapshot with arrays of its own."""
        return self[:]._own()

    def _own(self):
        for name in ARRAYS:
            if isinstance(getattr(self, name), np.ndarray):
                setattr(self, name, getattr(self, name).copy())
        return self

    def check(self):
        """Raises BadDataError for numbers that are not finite, for negative masses, and for ids that occur twice."""
        made, keep = self._struct()
        call(lib.ky_bodies_check, ffi.addressof(made.bodies))
        del keep

    def write(self, path, *, format=None, compress=False, overwrite=False):
        """
        Writes a file.

        Arguments:
          path       its ending gives the format: .hdf5, .h5, .tipsy or .csv
          format     "hdf5", "tipsy" or "csv", for other endings
          compress   True compresses HDF5
          overwrite  True replaces an existing file, atomically
        Example:
          bodies.write("bodies.csv", overwrite=True)
        """
        if format not in FORMATS:
            raise UsageError(f"format is {format!r}; it must be hdf5, tipsy or csv")
        if self.box is not None and lib.KY_HDF5 not in (FORMATS[format], lib.ky_format_of_name(encoded(os.fspath(path)))):
            logging.getLogger("kyoho").warning("%s does not store the periodic box, as HDF5 files do", path)
        options = struct("ky_write_options", format=FORMATS[format], compress=int(compress), overwrite=int(overwrite))
        made, keep = self._struct()
        call(lib.ky_snapshot_write, encoded(os.fspath(path)), made, options)
        del keep

    def place(self, position=None, velocity=None, orientation=None, turn=0.0):
        """
        Turns and moves the bodies, in place. Returns the snapshot.

        Arguments:
          orientation   inclination, node and argument, by which the bodies are turned about the origin first [degrees]
          position, velocity   are then added [length] [velocity]: three numbers or a text, "8kpc,0,0"
          turn          at last the bodies are transformed to axes that turn about z with this angular speed [1/time, in
                        radians], and coincide with the axes at rest at the time 0
        Example:
          bodies.place(position=[8, 0, 0], velocity=[0, 1, 0], orientation=[60, 0, 0])
        """
        for name in ("position", "velocity", "acceleration"):
            if isinstance(getattr(self, name), np.ndarray) and not getattr(self, name).flags.writeable:
                setattr(self, name, getattr(self, name).copy())
        made, keep = self._struct()
        texts = [self._three(value, kind, name) for name, kind, value in (
            ("position", "length", position), ("velocity", "velocity", velocity), ("orientation", "degrees", orientation))]
        call(lib.ky_bodies_place, ffi.addressof(made.bodies), *texts, ffi.addressof(made.units))
        call(lib.ky_bodies_turn, ffi.addressof(made.bodies), self.units.real(turn, "1/time", "turn"), made.time)
        for name, array in keep[0].items():  # where the array of the snapshot was of another kind, it has been copied
            setattr(self, name, array)
        return self

    def _three(self, value, kind, name):
        """Three numbers as text of the library; NULL for None."""
        if value is None:
            return ffi.NULL
        if isinstance(value, str):
            return encoded(value)
        return encoded(",".join(repr(float(one)) for one in _arrays.scalars(self.units.number(value, kind, name), name, 3)))

    def __repr__(self):
        return f"<kyoho.Snapshot of {counted(len(self))} at t = {self.time:g}" + ("" if self.box is None else f" in a {'' if self.cosmology is None else 'comoving '}box of {self.box:g}") + ">"

    def _repr_html_(self):
        return _picture.html(self, [("bodies", f"{len(self):,}"), ("time", f"{self.time:g}"), ("units", repr(self.units))])


def read(path, *, types=None, renumber=False, units=None, physical=False, as_stored=False, convention="file") -> Snapshot:
    """
    Reads a file as a Snapshot. The content tells the format: GADGET-style HDF5, TIPSY, GADGET 1 and 2, CSV.

    Arguments:
      path       of the file; FileNotFoundError if there is none
      types      reads only bodies of this GADGET type, or of these types
      renumber   True gives the bodies the ids 0, 1, 2 ...
      units      of a file without units: the name of a preset or kyoho.Units
      physical   True converts comoving or h-scaled quantities, and drops a periodic box
      as_stored  True takes the numbers of such a file as physical quantities in open space; without both it is an error
      convention "gadget" or "swift": whose factors of a and h a comoving file has that does not state them
    Example:
      bodies = kyoho.read("snapshot_0000.hdf5", types=[4])
    """
    if physical and as_stored:
        raise UsageError("physical and as_stored contradict each other: give one of them")
    space = lib.KY_SPACE_PHYSICAL if physical else lib.KY_SPACE_OPEN if as_stored else lib.KY_SPACE_IN_BOX
    types = [types] if types is not None and _arrays.single(types) else types
    chosen = sum({1 << _arrays.whole(kind, "types", 5) for kind in ([] if types is None else types)})
    if convention not in CONVENTIONS:
        raise UsageError(f"convention={convention!r}: give one of {', '.join(CONVENTIONS)}")
    options = struct("ky_read_options", space=space, renumber=int(renumber), types=chosen, convention=CONVENTIONS[convention])
    scales = None
    if units is not None:
        scales = struct("ky_units")
        Units.of(units).put(scales)
        options.units = scales
    if not HAS_HDF5 and _hdf5.is_hdf5(path):
        return _read_by_h5py(path, types, renumber, as_stored)
    made = ffi.new("struct ky_snapshot *")
    call_file(path, lib.ky_snapshot_read_as, encoded(os.fspath(path)), options, made)
    snapshot = Snapshot._from_struct(made)
    if as_stored:
        snapshot.box = snapshot.cosmology = None
    return snapshot


def _read_by_h5py(path, types, renumber, as_stored):
    snapshot = Snapshot(**_hdf5.read(path, SOFTENING_KINDS))
    if as_stored:
        snapshot.box = None
    if types is not None:
        snapshot = snapshot[np.isin(snapshot.type, list(types))]
    if renumber:
        snapshot.id = None
    snapshot.check()
    return snapshot
