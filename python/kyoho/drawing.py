"""Pictures and films of snapshots, simulations, files and runs."""
from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING

import numpy as np

from . import _arrays
from ._aside import call_aside
from ._library import call, encoded, ffi, lib, no_file, struct
from ._options import divided, documented, fill, table
from ._picture import pixels as pixels_of
from ._picture import prepared
from ._progress import Progress
from ._words import hinted
from .errors import BadDataError, Error, UnsupportedError, UsageError
from .forces import Groups
from .runs import Run
from .snapshot import HAS_HDF5, Snapshot, read, snapshot_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._option_types import DrawOptions, PlotOptions

PICTURES = (".png", ".pdf", ".svg")
OF_DENSITY = ("colours", "brightness", "range", "peak", "smooth")  # options that only a picture of densities has
PANELS = 3  # of a run in a picture, as the command has them


def _sources(given):
    """The snapshots and paths of files among the arguments of draw(), and whether there is a run among them."""
    found, has_run = [], False
    for one in given:
        if isinstance(one, (str, os.PathLike)):
            one = Run(one) if os.path.isdir(one) else [os.fspath(one)]
        if isinstance(one, Run):
            has_run, one = True, one.snapshots
        for single in one if isinstance(one, (list, tuple)) else [one]:
            if isinstance(single, str) and not os.path.exists(single):
                raise no_file(single, f"{single}: there is no such file")
            if not isinstance(single, str):
                single = snapshot_of(single, "draw", in_box=True)
            found.append(single)
    if not found:
        raise UsageError("draw needs at least one snapshot")
    return found, has_run


def _shown(source):
    """The Snapshot that shows a source: a file with its periodic box, or else the numbers as they are."""
    if isinstance(source, Snapshot):
        return source
    try:
        return read(source)
    except BadDataError:
        return read(source, as_stored=True)


def _spread(things, count):
    """`count` of the things, evenly from the first to the last."""
    return [things[round(k)] for k in np.linspace(0, len(things) - 1, min(count, len(things)))]


def _circles(groups, keep, values):
    """Marks the groups in the picture."""
    if groups is None:
        return
    if not isinstance(groups, Groups):
        raise TypeError(f"groups must be kyoho.Groups, not {type(groups).__name__}")
    circles = np.column_stack((groups.centre, groups.radius))
    keep.append(circles)
    values.circles, values.circle_count = _arrays.pointer(circles, "double (*)[4]"), len(circles)


def _film(path, sources, options, of_film, overwrite, progress):
    """Writes a film; snapshots in memory go through files, of which the library reads a few at a time."""
    with tempfile.TemporaryDirectory() as place, Progress(progress) as shown:
        paths = list(sources)
        for k, one in enumerate(paths):
            if isinstance(one, Snapshot):
                paths[k] = os.path.join(place, f"{k}.{'hdf5' if HAS_HDF5 else 'csv'}")
                one.write(paths[k])
        first = _shown(sources[0])
        reading = struct("ky_read_options", space=lib.KY_SPACE_AS_STORED if first.box is None else lib.KY_SPACE_IN_BOX)
        keep = []
        values, _ = prepared([first], {"rim": "scale", **options}, keep, overwrite=int(overwrite))
        film = struct("ky_film_parameters")
        fill(film, lib.KY_OPTIONS_FILM, of_film, table(lib.KY_OPTIONS_FILM), first.units, keep)

        @ffi.callback("void(void *, size_t, size_t)")
        def tell(context, done, frames):
            shown(done / frames, f"frame {done} of {frames}{shown.left(done / frames)}")
        if shown:
            film.progress = tell
        names = [encoded(one) for one in paths]
        try:
            call_aside(film, lib.ky_film, encoded(path), ffi.new("char *[]", names), len(names), reading, values, film)
        except Error as why:  # of snapshots in memory it names our files
            text = str(why)
            for k, one in enumerate(paths):
                text = text if one is sources[k] else text.replace(one, f"snapshot {k}")
            raise type(why)(text) from None


def _name_of(axis):
    """ "x" for the unit vector along x; "" for a direction between the axes."""
    return next((name for k, name in enumerate("xyz") if axis[k] > 1 - 1e-12), "")


def _labels(found, shown, units):
    """The labels of the axes and of the colour bar, with the names of the units where they have some."""
    length, mass, velocity = (units.name(kind) for kind in ("length", "mass", "velocity"))
    axes = [f"{_name_of(axis) or ('right', 'up')[k]}" + (f" [{length}]" if length else "") for k, axis in enumerate(found.axis)]
    if shown == "velocity":
        return axes, "velocity along the line of sight" + (f" [{velocity}]" if velocity else "")
    if found.by_number:
        return axes, "bodies per area" + (f" [1/{length}²]" if length else "")
    return axes, "surface density" + (f" [{mass}/{length}²]" if length else "")


NOT_IN_PLOTS = ("overwrite", "rim", "columns", "colours", "brightness", "trails", "divide", "title")


@documented(lib.KY_OPTIONS_DRAW, without=NOT_IN_PLOTS)
@hinted
def plot(bodies, ax=None, *, colorbar=True, cmap=None, **options: Unpack[PlotOptions]):
    """
    Shows the projected density of a snapshot in axes of matplotlib, with a colour bar. Returns the image of ax.imshow.

    Arguments:
      bodies     a Snapshot or a Simulation; axes and colours are in its units
      ax         the axes; the default is matplotlib.pyplot.gca()
      colorbar   False draws no colour bar
      cmap       a colour map of matplotlib
    Example:
      image = kyoho.plot(sim, axis="x", region=4)
      image.figure.savefig("sim.png")

    show="velocity" shows the mean velocity along the line of sight instead.
    """
    try:
        from matplotlib import colors, pyplot  # which is not needed otherwise
    except ImportError as why:
        raise UnsupportedError("plot needs matplotlib: pip install matplotlib; kyoho.draw needs nothing") from why
    bodies = snapshot_of(bodies, "plot", in_box=True)
    divided(options, {name: option for name, option in table(lib.KY_OPTIONS_DRAW).items() if name not in NOT_IN_PLOTS})
    keep, found = [], struct("ky_map")
    values, made = prepared([bodies], options, keep)
    call(lib.ky_draw_map, made, values, found)
    owner = ffi.gc(found, lib.ky_map_free)
    pixels = _arrays.view(found.values, (found.height, found.width), "f8", owner)
    velocity = options.get("show") == "velocity"
    linear = velocity or not 0 < found.low < found.high  # of no bodies there is no logarithm
    norm = colors.Normalize(found.low, found.high) if linear else colors.LogNorm(found.low, found.high, clip=True)
    ax = pyplot.gca() if ax is None else ax
    image = ax.imshow(pixels, extent=[*found.edge[0], *found.edge[1]], norm=norm, cmap=cmap or ("RdBu_r" if velocity else "inferno"))
    (right, up), of_bar = _labels(found, options.get("show"), bodies.units)
    ax.set(xlabel=right, ylabel=up)
    if colorbar:
        ax.figure.colorbar(image, ax=ax, label=of_bar)
    return image


@documented(lib.KY_OPTIONS_DRAW, without=("overwrite",), more=lambda: list(table(lib.KY_OPTIONS_FILM).values()))
def draw(*snapshots, path=None, overwrite=False, panels=None, groups=None, progress=False, **options: Unpack[DrawOptions]) -> np.ndarray | None:
    """
    Draws snapshots side by side with equal scales, or makes a film of them.

    Arguments:
      snapshots   each is a Snapshot, a Simulation (its present state), the path of a file, a kyoho.Run or its folder
      path        the file for the picture (.png, .pdf, .svg) or the film (.mp4, made by the program ffmpeg); without it the
                  result is an array (height, width, 4) of red, green, blue and 255
      overwrite   True replaces a file that exists
      panels      the number of snapshots in the picture, evenly from the first to the last; by default 3 for a run, else all
      groups      kyoho.Groups of the snapshot, if there is one alone; each gets a circle
      progress    True shows a line, or a bar in a notebook, while a film is made
    Example:
      kyoho.draw(sim, path="sim.png", show="density")
      kyoho.draw("first", path="first.mp4", progress=True)

    Lengths are in the units of the first snapshot. A periodic box is shown whole. With show="trails" the snapshots show one system at several times.
    """
    of_picture, of_film = divided(options, {name: option for name, option in table(lib.KY_OPTIONS_DRAW).items() if name != "overwrite"},
                                  table(lib.KY_OPTIONS_FILM))
    ending = os.path.splitext(os.fspath(path))[1].lower() if path is not None else None
    if ending not in (None, ".mp4", *PICTURES):
        raise UsageError(f"{path}: pictures are PNG, PDF or SVG files, films are MP4 files; give a name that ends in .png, .pdf, .svg or .mp4")
    given = {name for name, value in options.items() if value is not None}
    if given & set(of_film) and ending != ".mp4":
        raise UsageError(f"{', '.join(sorted(given & set(of_film)))}: only for films (.mp4)")
    if of_picture.get("show") is None and given & set(OF_DENSITY):
        of_picture["show"] = "density"
    sources, has_run = _sources(snapshots)
    if has_run and of_picture.get("show") != "trails" and not given & {"about", "centre_x", "centre_y", "centre_z"}:
        of_picture["about"] = "auto"
    if ending == ".mp4":
        if groups is not None or panels is not None:
            raise UsageError("groups and panels are for pictures, not for films")
        return _film(path, sources, of_picture, of_film, overwrite, progress)
    if panels is not None or (has_run and of_picture.get("show") != "trails"):
        sources = _spread(sources, PANELS if panels is None else _arrays.whole(panels, "panels"))
    if groups is not None and len(sources) != 1:
        raise UsageError(f"groups marks groups in a picture of one snapshot; there are {len(sources)}")
    keep = []
    values, made = prepared([_shown(one) for one in sources], of_picture, keep, overwrite=int(overwrite))
    _circles(groups, keep, values)
    if path is None:
        return pixels_of(values, made)
    call(lib.ky_draw, encoded(path), made, len(made), values)
    return None
