"""Units of length, mass and velocity, and quantities of astropy and unyt.

Neither package is needed. A quantity is anything with `to_value` and with `unit` (astropy) or `units` (unyt).
"""
import math

from . import _arrays
from ._library import call, encoded, lib, struct
from .errors import UsageError

# The units in which quantities of each kind are asked for, which both packages can read, and the powers of length, mass and
# velocity that make up the kind.
KINDS = {"length": ("cm", (1, 0, 0)), "mass": ("g", (0, 1, 0)), "velocity": ("cm/s", (0, 0, 1)), "time": ("s", (1, 0, -1)),
         "degrees": ("deg", None), "": ("", None)}


def is_quantity(value):
    return hasattr(value, "to_value") and (hasattr(value, "unit") or hasattr(value, "units"))


class Units:
    """The scales of length, mass and velocity in cgs, and the constant of gravity in these units.

    Units("galaxy") is kpc, 1e10 Msun and km/s; Units("cluster") is pc, Msun and km/s; Units("nbody"), or Units() with
    nothing, has no scales and G = 1. Units(length=…, mass=…, velocity=…) takes numbers in cgs or quantities, and G follows.
    """

    __slots__ = ("length_cm", "mass_g", "velocity_cm_s", "g")

    def __init__(self, preset="nbody", *, length=None, mass=None, velocity=None, g=None):
        scales = (length, mass, velocity)
        if any(scale is None for scale in scales) and any(scale is not None for scale in scales):
            raise UsageError("units need length, mass and velocity, or the name of a preset: nbody, galaxy or cluster")
        made = struct("ky_units")
        if length is not None:
            made.length_cm, made.mass_g, made.velocity_cm_s = (
                _arrays.number(scale.to_value(KINDS[kind][0]) if is_quantity(scale) else scale, kind)
                for scale, kind in zip(scales, ("length", "mass", "velocity")))
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
        powers = KINDS[kind][1]
        return math.prod(scale ** power for scale, power in zip((self.length_cm, self.mass_g, self.velocity_cm_s), powers))

    def number(self, value, kind, name):
        """The value as a number, or array of numbers, in these units; what is no quantity is in these units already."""
        if not is_quantity(value):
            return value
        if kind not in KINDS:
            raise UsageError(f"{name} takes a plain number, not a quantity")
        unit, powers = KINDS[kind]
        if powers and not self.physical:
            raise UsageError(f"{name} is a quantity with a unit, but the bodies have no units: give units='galaxy', "
                             f"units='cluster' or units=kyoho.Units(length=…, mass=…, velocity=…)")
        try:
            found = value.to_value(unit)
        except Exception as why:  # each package has an exception of its own
            raise UsageError(f"{name} must be a {kind or 'number'}: {why}") from why
        return found / self.scale(kind) if powers else found

    def real(self, value, kind, name):
        """One number in these units."""
        return _arrays.number(self.number(value, kind, name), name)

    def __eq__(self, other):
        return isinstance(other, Units) and all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

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
