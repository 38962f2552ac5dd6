"""Kyoho's snapshots in yt: plots without further arguments.

yt takes a snapshot without a box to be in a box of its own only after it has looked for one, and then ParticlePlot and ParticleProjectionPlot
fail; a box in the file would begin at 0. Here the box is a cube with all bodies. yt finds this module where the package kyoho is
installed, by its entry point, yt 4.1 by kyoho_yt_finder:

    import yt
    yt.ParticleProjectionPlot(yt.load("snapshot_0000.hdf5"), "z", ("all", "particle_mass")).save()
"""
import numpy
from yt.frontends.gadget.api import GadgetHDF5Dataset
from yt.utilities.on_demand_imports import _h5py as h5py

ROWS = 1 << 20  # that are read at a time


def extremes(path):
    """The least and the largest coordinates in the file, as two rows; no rows where there are no bodies."""
    found = []
    with h5py.File(path, "r") as file:
        for name in (name for name in file if name.startswith("PartType")):
            places = file[name]["Coordinates"]
            for first in range(0, len(places), ROWS):
                part = places[first:first + ROWS]
                found += [part.min(axis=0), part.max(axis=0)]
    return numpy.reshape(found, (-1, 3))


def cube(places):
    """The corners of a cube with these places. It is about the origin where that lies among them: yt's axes count from the
    centre of the box, and are then those of the bodies."""
    low, high = places.min(axis=0), places.max(axis=0)
    centre = numpy.zeros(3) if (low <= 0).all() and (high >= 0).all() else (low + high) / 2
    half = 1.05 * numpy.abs(places - centre).max() or 1.0
    return centre - half, centre + half


class KyohoDataset(GadgetHDF5Dataset):
    """A snapshot that Kyoho has written."""

    @classmethod
    def _is_valid(cls, filename, *args, **kwargs):
        try:
            if not super()._is_valid(filename, *args, **kwargs):
                return False
            with h5py.File(filename, "r") as file:
                return "Kyoho" in file
        except (OSError, ImportError):
            return False

    def _parse_parameter_file(self):
        super()._parse_parameter_file()
        if self.domain_left_edge is not None:
            return
        places = numpy.vstack([extremes(self.filename_template % {"num": number}) for number in range(int(self.file_count))])
        if len(places):
            self.domain_left_edge, self.domain_right_edge = cube(places)
        self._periodicity = (False, False, False)
