"""Centres, radii and scales of bodies."""
from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from . import _arrays
from ._library import call, ffi, lib, struct
from .errors import BadDataError
from .forces import given_bodies
from .snapshot import Snapshot, fill_bodies, need_snapshot
from .units import Units

Scales = namedtuple("Scales", "half_mass_radius velocity_dispersion crossing_time relaxation_time softening step")
Scales.__doc__ = """Lengths and times of a system: half-mass radius about the density centre; rms speed in three dimensions about the
mean velocity; 2 r_h/speed; the relaxation time at the half-mass radius (Spitzer 1987); recommended softening and step."""

FRACTIONS = tuple(lib.ky_lagrangian_fractions)


def _placed(position, mass, units):
    arrays = given_bodies(position, mass, Units.of(units))
    return fill_bodies(struct("ky_bodies"), len(arrays["position"]), arrays), arrays


def density_centre(position, mass=1.0, *, units=None) -> np.ndarray:
    """The mean position weighted by the density of the bodies nearer than the sixth neighbour (Casertano & Hut 1985)."""
    bodies, keep = _placed(position, mass, units)
    centre = np.empty(3)
    call(lib.ky_density_centre, bodies, _arrays.pointer(centre, "double *"))
    del keep
    return centre


def lagrangian_radii(position, mass=1.0, fractions=FRACTIONS, centre=None, *, units=None) -> np.ndarray:
    """Radii of the spheres that hold these fractions of the mass, 1, 2, 5, 10, 25, 50, 75 and 90 % unless others are given,
    about `centre`, or the density centre."""
    bodies, keep = _placed(position, mass, units)
    fractions = _arrays.row(fractions, "fractions")
    centre = density_centre(position, mass, units=units) if centre is None else _arrays.scalars(
        Units.of(units).number(centre, "length", "centre"), "centre", 3)
    if not np.isfinite(centre).all():
        raise BadDataError(f"centre is {centre.tolist()}; it must be finite")
    radii = np.empty(len(fractions))
    call(lib.ky_lagrangian_radii, bodies, _arrays.pointer(centre, "double *"), len(fractions),
         _arrays.pointer(fractions, "double *"), _arrays.pointer(radii, "double *"))
    del keep
    return radii


def scales(snapshot: Snapshot, softening=None) -> Scales:
    """Lengths and times of a Snapshot, with the recommended softening and step, as kyoho.analysis.Scales. `softening` is that of
    the run, from which the step follows; without it the recommended one."""
    need_snapshot(snapshot, "scales")
    made, keep = snapshot._struct()
    found = struct("ky_scales")
    softening = math.nan if softening is None else snapshot.units.real(softening, "length", "softening")
    call(lib.ky_system_scales, ffi.addressof(made.bodies), snapshot.units.g, softening, found)
    del keep
    return Scales(*(getattr(found, name) for name in Scales._fields))
