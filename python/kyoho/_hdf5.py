"""Kyoho's own HDF5 files through h5py, for a library that was built without HDF5 (docs/formats/snapshots.md).

Files of other codes, whose units and spaces the library understands, need a library with HDF5.
"""
import os

import numpy as np

from .errors import BadDataError, UnsupportedError
from .units import Units

SIGNATURE = b"\x89HDF\r\n\x1a\n"
WHY = "this library was built without HDF5"
# Data set: name in Snapshot, powers of length, mass and velocity in its unit.
SETS = {"Coordinates": ("position", (1, 0, 0)), "Velocities": ("velocity", (0, 0, 1)), "Masses": ("mass", (0, 1, 0)),
        "ParticleIDs": ("id", (0, 0, 0)), "Softening": ("softening", (1, 0, 0)), "Acceleration": ("acceleration", (-1, 0, 2)),
        "Potential": ("potential", (0, 0, 2)), "Radius": ("radius", (1, 0, 0))}
STARS = 4  # the type of bodies without types
SCALES = ("UnitLength_in_cm", "UnitMass_in_g", "UnitVelocity_in_cm_per_s")


def is_hdf5(path):
    """Whether the file begins as one of HDF5; False where it cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read(len(SIGNATURE)) == SIGNATURE
    except OSError:
        return False


def arrays_of(file, own, scales):
    """{name: array} of the bodies, in the order of the run and in its units."""
    stored = [float(file["Units"].attrs[name]) for name in SCALES]
    factor = [old / new if new else 1.0 for old, new in zip(stored, scales)]
    kinds = [kind for kind in range(6) if f"PartType{kind}" in file]
    counts = [len(file[f"PartType{kind}/Coordinates"]) for kind in kinds]
    found = {} if kinds == [STARS] else {"type": np.repeat(np.array(kinds, "u1"), counts)}
    for name, (member, powers) in SETS.items():
        parts = [file[f"PartType{kind}/{name}"][()] for kind in kinds if name in file[f"PartType{kind}"]]
        if parts:
            whole = np.concatenate(parts)
            scale = np.prod([one ** power for one, power in zip(factor, powers)])
            found[member] = whole if scale == 1 else whole * scale
    if "Order" in own:
        order = np.argsort(own["Order"][()])
        found = {name: array[order] for name, array in found.items()}
    return found


def read(path, kinds):
    """The arguments of Snapshot for the file; `kinds` are the names of enum ky_softening_kind."""
    try:
        import h5py
    except ImportError:
        raise UnsupportedError(f"{path} is HDF5, and {WHY}; pip install h5py, which then reads it") from None
    try:
        with h5py.File(os.fspath(path), "r") as file:
            if "Kyoho" not in file:
                raise UnsupportedError(f"{path} is HDF5 of another program, and {WHY}; h5py reads Kyoho's own files alone")
            own = file["Kyoho"]
            units = Units.of(None)
            units.length_cm, units.mass_g, units.velocity_cm_s = (float(own.attrs[name]) for name in SCALES)
            units.g = float(own.attrs["G"])
            found = arrays_of(file, own, (units.length_cm, units.mass_g, units.velocity_cm_s))
            time = float(file["Header"].attrs["Time"])
            if units.physical:
                stored = [float(file["Units"].attrs[name]) for name in SCALES]
                time *= stored[0] / stored[2] / units.scale("time")
            found["box"] = float(file["Header"].attrs["BoxSize"]) * (float(file["Units"].attrs[SCALES[0]]) / units.length_cm if units.physical else 1) or None
            found.setdefault("softening", float(own.attrs["Softening"]) if "Softening" in own.attrs else None)
            kind = own.attrs.get("SofteningSymmetric")
            return {**found, "time": time, "units": units, "softening_kind": None if kind is None else kinds[int(kind)]}
    except (OSError, KeyError, ValueError, IndexError) as why:
        raise BadDataError(f"{path}: {why}") from why
