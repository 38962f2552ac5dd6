"""Units of length, mass and velocity, texts with units, and quantities of astropy, unyt and pynbody.

None of these packages is needed. A quantity is anything with `to_value` and with `unit` (astropy) or `units` (unyt), or with
`in_units` and `units` (pynbody).
"""
import importlib
import math
import sys

import numpy as np

from . import _arrays
from ._library import call, encoded, ffi, lib, struct
from .errors import UnsupportedError, UsageError

# The solar mass in g. G M of the Sun is known to ten digits and M to four, and packages have other editions of M. So masses are
# converted by solar masses: the mass of the Sun has the same pull in each package and here.
_cluster = struct("ky_units")
call(lib.ky_units_preset, encoded("cluster"), _cluster)
SUN = _cluster.mass_g

# By kind: the unit in which quantities are asked for, its name in pynbody, its size in cgs, and the powers of length, mass and
# velocity that make up the kind.
KINDS = {"length": ("cm", "cm", 1.0, (1, 0, 0)), "mass": ("Msun", "Msol", SUN, (0, 1, 0)),
         "velocity": ("cm/s", "cm s**-1", 1.0, (0, 0, 1)), "time": ("s", "s", 1.0, (1, 0, -1)),
         "degrees": ("deg", "degree", 1.0, None), "": ("", "1", 1.0, None)}
# The powers of length, mass and velocity of results beside these.
RESULTS = {"acceleration": (-1, 0, 2), "potential": (0, 0, 2), "energy": (0, 1, 2), "momentum": (0, 1, 1),
           "angular_momentum": (1, 1, 1), "density": (-3, 1, 0), "frequency": (-1, 0, 1), "tide": (-2, 0, 2)}
# The same of options, by their units in the library's tables, and options that have a unit of their own.
OPTIONS = {"mass/length²": (-2, 1, 0), "length³": (3, 0, 0), "1/time": (-1, 0, 1)}
OWN = ("s", "kpc", "Mpc")


def _composed(powers):
    """The row of KINDS for these powers."""
    parts = [(KINDS[kind], power) for kind, power in zip(("length", "mass", "velocity"), powers) if power]
    words = [(*word.partition("**")[::2], power) for (_, in_pynbody, _, _), power in parts for word in in_pynbody.split()]
    words = [f"{name}**{int(own or 1) * power}" for name, own, power in words]
    return "*".join(words).replace("Msol", "Msun"), " ".join(words), math.prod(row[2] ** power for row, power in parts), powers


KINDS.update({kind: _composed(powers) for kind, powers in {**RESULTS, **OPTIONS}.items()})
KINDS.update({name: (name, name, 1.0, None) for name in OWN})
NO_UNITS = "the bodies have no units: give units='galaxy', units='cluster', units='cosmic', units='planets' or units=kyoho.Units(length=…, mass=…, velocity=…)"
# Units in which results are given where one of these is the unit of the bodies, by their size in cgs.
NAMED = {"length": ("km", "AU", "pc", "kpc", "Mpc"), "velocity": ("km/s", "AU/yr")}


def is_quantity(value):
    if hasattr(value, "to_value"):
        return hasattr(value, "unit") or hasattr(value, "units")
    return hasattr(value, "in_units") and type(getattr(value, "units", None)).__name__ not in ("NoneType", "NoUnit")


def _in_unit(value, kind):
    """The quantity as a number or array in the unit of the kind in KINDS."""
    name, in_pynbody, _, _ = KINDS[kind]
    return value.to_value(name) if hasattr(value, "to_value") else np.asarray(value.in_units(in_pynbody))


def _has_words(value):
    """Whether a list, or an array, has texts or quantities in it."""
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "USO"
    return isinstance(value, (list, tuple)) and any(isinstance(one, str) or is_quantity(one) or _has_words(one) for one in value)


def read_text(text, kind, units, name):
    """The number in `units` (a struct ky_units) of a text with or without a unit."""
    found = ffi.new("double *")
    try:
        call(lib.ky_quantity, encoded(text), encoded(kind), units, found)
    except UsageError as why:  # begins with the kind
        raise UsageError(f"{name}:{str(why)[len(kind) + 1:]}" if str(why).startswith(kind + ":") else str(why)) from None
    return found[0]


def _cgs():
    """Units in which times are in seconds."""
    return struct("ky_units", length_cm=1, mass_g=1, velocity_cm_s=1, g=1)


def scale_of(given, kind):
    """A scale in cgs: a number, a quantity, the name of a unit, or a text like "1e10 Msun"."""
    if isinstance(given, str):
        begins = given.strip()[:1]
        text = given.strip() if begins.isdigit() or begins in (".", "+", "-") else "1" + given.strip()
        return read_text(text, kind, _cgs(), kind)
    if hasattr(given, "is_equivalent") or hasattr(given, "base_value"):  # a unit of astropy or unyt itself
        given = 1.0 * given
    if not is_quantity(given):
        return _arrays.number(given, kind)
    try:
        return _arrays.number(_in_unit(given, kind) * KINDS[kind][2], kind)
    except Exception as why:  # each package has an exception of its own
        raise UsageError(f"{kind}: {given!r} is no {kind}") from why


class Units:
    """
    The scales of length, mass and velocity in cgs, and the constant of gravity in these units.

    Arguments:
      preset   "galaxy": kpc, 1e10 Msun, km/s; "cosmic": Mpc instead of kpc; "cluster": pc, Msun, km/s; "planets": AU, Msun, AU/yr, with the year as the
               unit of time; "nbody", the default: no scales, and G = 1
      length, mass, velocity   instead of a preset: names of units, numbers in cgs, or quantities; G follows from them
      g        the constant of gravity, instead of the one that follows from the scales
    Example:
      units = kyoho.Units(length="kpc", mass="1e10 Msun", velocity="km/s")
      units.real("1 Myr", "time"), units.g

    The attributes are `length_cm`, `mass_g`, `velocity_cm_s` and `g`.
    """

    __slots__ = ("length_cm", "mass_g", "velocity_cm_s", "g")

    def __init__(self, preset="nbody", *, length=None, mass=None, velocity=None, g=None):
        scales = (length, mass, velocity)
        if any(scale is None for scale in scales) and any(scale is not None for scale in scales):
            raise UsageError("units need length, mass and velocity, or the name of a preset: nbody, galaxy, cluster, cosmic or planets")
        made = struct("ky_units")
        if length is not None:
            made.length_cm, made.mass_g, made.velocity_cm_s = (
                scale_of(scale, kind) for scale, kind in zip(scales, ("length", "mass", "velocity")))
            made.g = math.nan
            call(lib.ky_model_units, encoded("plummer"), made)  # fills G from the scales, and refuses scales that are none
        else:
            call(lib.ky_units_preset, encoded(preset), made)
        self.length_cm, self.mass_g, self.velocity_cm_s = made.length_cm, made.mass_g, made.velocity_cm_s
        self.g = made.g if g is None else _arrays.number(g, "g")

    @classmethod
    def of(cls, units):
        """Units from the name of a preset, from None, which is "nbody", or from Units."""
        return units if isinstance(units, cls) else cls("nbody" if units is None else units)

    @classmethod
    def from_struct(cls, given):
        made = cls.__new__(cls)
        made.length_cm, made.mass_g, made.velocity_cm_s, made.g = (given.length_cm, given.mass_g, given.velocity_cm_s,
                                                                    given.g)
        return made

    def put(self, into):
        """Fills a struct ky_units."""
        into.length_cm, into.mass_g, into.velocity_cm_s, into.g = self.length_cm, self.mass_g, self.velocity_cm_s, self.g

    @property
    def physical(self):
        """Whether the units have scales."""
        return self.length_cm > 0

    def scale(self, kind):
        """The unit of this kind ("length", "mass", "velocity" or "time") in cgs."""
        return self._product(KINDS[kind][3])

    def _product(self, powers):
        return math.prod(scale ** power for scale, power in zip((self.length_cm, self.mass_g, self.velocity_cm_s), powers))

    def name(self, kind):
        """The name of the unit of "length", "mass", "velocity" or "time", such as "kpc" or "1e10 Msun"; "" without scales."""
        if not self.physical:
            return ""
        if kind == "time":
            name, size = "Myr", self.scale("time") / scale_of("Myr", "time")
        else:
            name, size = self._named(kind)
        return name if math.isclose(size, 1, rel_tol=1e-9) else f"{size:.6g} {name}"

    def times(self, now, end):
        """Two times as text, in the unit that suits the second: "20 of 300 Myr"."""
        sizes = [(self.scale("time") / scale_of(name, "time"), " " + name) for name in ("Gyr", "Myr", "kyr", "yr")] if self.physical else [(1.0, "")]
        factor, name = next((one for one in sizes if abs(end) * one[0] >= 0.5), sizes[-1])
        return f"{now * factor:.6g} of {end * factor:.6g}{name}"

    def _struct(self):
        made = struct("ky_units")
        self.put(made)
        return made

    @staticmethod
    def has(kind):
        """Whether numbers of this kind have a unit that follows from the scales."""
        return kind in KINDS and KINDS[kind][3] is not None

    def number(self, value, kind, name):
        """The value as a number, or array of numbers, in these units: of a quantity, a text with or without a unit, or a list or
        an array of such. Numbers are in these units already."""
        if isinstance(value, str) and self.has(kind):
            return read_text(value, kind, self._struct(), name)
        if isinstance(value, str) and kind == "s":
            return read_text(value, "time", _cgs(), name)
        if not is_quantity(value):
            if not _has_words(value):
                return value
            return np.array([self.number(one, kind, name) for one in (value.tolist() if isinstance(value, np.ndarray) else value)])
        if kind not in KINDS:
            raise UsageError(f"{name} takes a plain number, not a quantity")
        _, _, size, powers = KINDS[kind]
        if powers and not self.physical:
            raise UsageError(f"{name} is a quantity with a unit, but {NO_UNITS}")
        try:
            found = _in_unit(value, kind)
        except Exception as why:  # each package has an exception of its own
            raise UsageError(f"{name} must be a {kind or 'number'}: {why}") from why
        return found * (size / self.scale(kind)) if powers else found

    def real(self, value, kind, name=None):
        """One number in these units: units.real("1 Myr", "time")."""
        return _arrays.number(self.number(value, kind, name or kind), name or kind)

    def quantity(self, value, kind, package=None):
        """
        A quantity of astropy or unyt.

        Arguments:
          value     a number or an array in these units
          kind      "length", "mass", "velocity", "time", "acceleration", "potential", "energy", "momentum", "angular_momentum",
                    "density", "frequency" or "tide"
          package   "astropy" or "unyt"; without it the one that the program has imported, or that is installed, astropy first
        Example:
          kyoho.Units("galaxy").quantity(2.0, "time").to("Myr")
        """
        kinds = {one: row[3] for one, row in KINDS.items() if row[3] and one not in OPTIONS}
        powers = kinds.get(kind)
        if powers is None:
            raise UsageError(f"{kind!r} is no kind of quantity; there are {', '.join(kinds)}")
        if not self.physical:
            raise UsageError(NO_UNITS)
        unit = _unit_maker(package)
        factor, made = 1.0, None
        for of, power in zip(("length", "mass", "velocity"), powers):
            name, size = self._named(of)
            if power:
                factor *= size ** power
                made = unit(name) ** power if made is None else made * unit(name) ** power
        return (np.asarray(value) if np.ndim(value) else float(value)) * factor * made

    def _named(self, kind):
        """The name of a unit that astropy and unyt have, and the unit of this kind in it."""
        if kind == "mass":
            return "Msun", self.mass_g / SUN
        size = self.scale(kind)
        for name in NAMED[kind]:
            if math.isclose(scale_of(name, kind), size, rel_tol=1e-9):
                return name, 1.0
        return KINDS[kind][0], size

    def __eq__(self, other):
        """Whether both are the same but for rounding."""
        return isinstance(other, Units) and all(math.isclose(getattr(self, name), getattr(other, name), rel_tol=1e-12) for name in self.__slots__)

    def __repr__(self):
        if not self.physical:
            return f"kyoho.Units(g={self.g:g})"
        return (f"kyoho.Units(length={self.length_cm:g}, mass={self.mass_g:g}, velocity={self.velocity_cm_s:g}, "
                f"g={self.g:g})")

    def __reduce__(self):
        return _units_of, tuple(getattr(self, name) for name in self.__slots__)


def _units_of(length, mass, velocity, g):
    """What pickle calls."""
    made = Units.__new__(Units)
    made.length_cm, made.mass_g, made.velocity_cm_s, made.g = length, mass, velocity, g
    return made


def _unit_maker(package):
    """What makes a unit of astropy or unyt from its name."""
    makers = {"astropy": ("astropy.units", "Unit"), "unyt": ("unyt", "Unit")}
    if package is not None and package not in makers:
        raise UsageError(f"package is {package!r}; it must be 'astropy' or 'unyt'")
    order = [package] if package else sorted(makers, key=lambda name: makers[name][0] not in sys.modules)
    for name in order:
        try:
            return getattr(importlib.import_module(makers[name][0]), makers[name][1])
        except ImportError:
            continue
    raise UnsupportedError(f"quantities need {' or '.join(order)}: pip install {order[0]}")


class WithQuantities:
    """Gives a Snapshot or a Simulation, which has `units`, its numbers as quantities."""

    _kinds = {"position": "length", "velocity": "velocity", "mass": "mass", "softening": "length", "radius": "length", "time": "time",
              "step": "time", "acceleration": "acceleration", "potential": "potential", "energy": "energy"}
    _of_sums = {"centre": "length", "momentum": "momentum", "angular_momentum": "angular_momentum", "kinetic": "energy",
                "external": "energy", "total": "energy"}

    def quantity(self, name, package=None):
        """
        A number or an array of the bodies as a quantity of astropy or unyt.

        Arguments:
          name      time, position, velocity, mass, softening, radius, acceleration or potential; of a simulation also step, energy,
                    and centre, momentum, angular_momentum, kinetic, external and total of sums()
          package   "astropy" or "unyt"; without it the one that the program has imported, or that is installed, astropy first
        Example:
          kyoho.model("plummer", 10, units="galaxy").quantity("time").to("Myr")
        """
        sums = self._of_sums if hasattr(self, "sums") else {}
        if name not in sums and (name not in self._kinds or not hasattr(self, name)):
            names = [one for one in self._kinds if hasattr(type(self), one) or one in vars(self)]
            raise UsageError(f"{name!r} is no quantity here; there are {', '.join([*names, *sums])}")
        value = getattr(self.sums(), name) if name in sums else getattr(self, name)
        if value is None:
            raise UsageError(f"{name} is not known")
        return self.units.quantity(value() if callable(value) else value, {**self._kinds, **sums}[name], package)
