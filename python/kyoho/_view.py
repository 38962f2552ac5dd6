"""The view in a browser, or in a frame of a notebook."""
from __future__ import annotations

import atexit
import html
import math
import os
import tempfile
import threading
import webbrowser

from . import _arrays
from ._library import call, encoded, ffi, lib, no_file, struct
from ._words import hinted
from .errors import Error
from .snapshot import HAS_HDF5, read, snapshot_of

HEIGHT = 520  # of a frame in a notebook [pixels]
MOST_BODIES = 20_000_000  # as of --view-bodies


class View(str):
    """The address of a view, as text. With frame=True a notebook shows the page instead of the text."""

    framed = False
    _folder = None

    def _repr_html_(self):
        if not self.framed:
            return None
        return (f'<iframe src="{html.escape(self)}" width="100%" height="{HEIGHT}" style="border: 0" allow="fullscreen" '
                'title="Kyoho: the view"></iframe>')

    def close(self):
        """Ends the view of kyoho.view. The view of a simulation ends when the simulation is closed."""
        if self._folder:
            self._folder.close()


def wanted(port, bodies, frame):
    """The members of struct ky_view_parameters that are given."""
    given = {name: _arrays.whole(value, name, most, least) for name, value, least, most in (("port", port, 0, 65535), ("bodies", bodies, 1, MOST_BODIES))
             if value is not None}
    if frame not in (True, False):
        raise TypeError(f"frame must be True or False, not {frame!r}")
    return {**given, "frame": 1} if frame else given


def opened(members):
    """The struct ky_view with these members of its parameters, which closes when nothing uses it any more."""
    place = ffi.new("struct ky_view **")
    call(lib.ky_view_open, struct("ky_view_parameters", **members), place)
    return ffi.gc(place[0], lib.ky_view_close)


def shown(handle, frame, browser):
    """The View of a struct ky_view, whose page is opened in the browser if `browser` says so: without it where there is no frame."""
    made = View(ffi.string(lib.ky_view_address(handle)).decode())
    made.framed = bool(frame)
    if not frame if browser is None else browser:
        webbrowser.open(made)
    return made


class _Folder:
    """A thread that shows a folder or a file, until it is closed or Python ends."""

    def __init__(self, path, members, keep):
        self.stop, self.keep, self.handle = ffi.new("int *"), keep, opened(members)
        self.thread = threading.Thread(target=self._show, args=(encoded(path),), name="kyoho view", daemon=True)
        self.thread.start()
        atexit.register(self.close)

    def _show(self, path):
        try:
            call(lib.ky_view_folder, self.handle, path, math.nan, self.stop)
        except Error:  # the page tells what it cannot read
            pass

    def close(self):
        self.stop[0] = 1
        self.thread.join()
        ffi.release(self.handle)
        atexit.unregister(self.close)
        if self.keep:
            self.keep.cleanup()


def _path_of(what):
    """The path of the folder or file that shows this, and the temporary folder that it is in, or None. Refuses what cannot be shown."""
    path = getattr(what, "folder", what)
    if isinstance(path, (str, os.PathLike)):
        if not os.path.exists(path):
            raise no_file(path, f"{path}: there is no such file or folder")
        if os.path.isdir(path):
            paths = struct("ky_paths")
            call(lib.ky_run_snapshots, encoded(path), paths)
            lib.ky_paths_free(paths)
        else:
            read(path, as_stored=True)
        return os.fspath(path), None
    place = tempfile.TemporaryDirectory()
    path = os.path.join(place.name, "bodies." + ("hdf5" if HAS_HDF5 else "csv"))
    snapshot_of(what, "view", in_box=True).write(path)
    return path, place


@hinted
def view(what, *, port=None, bodies=None, frame=False, browser=None) -> View:
    """
    Shows the snapshots of a run, or one snapshot, in a browser until Python ends. Returns the address, a kyoho.View.

    Arguments:
      what      a kyoho.Run or its folder, the path of a snapshot, a Snapshot, or a Simulation as it is now
      port      on 127.0.0.1; by default the system chooses a free one
      bodies    the largest number of bodies on the page; if there are more it shows a sample
      frame     True: a notebook shows the page in a frame, if the call is the last line of its cell; pages of this machine alone may do so
      browser   True opens a browser, False opens none; by default a browser opens if there is no frame
    Example:
      kyoho.view("first", frame=True)

    `close()` of the result ends the view. Simulation.view shows a simulation that advances.
    """
    members = wanted(port, bodies, frame)
    path, place = _path_of(what)
    if place:
        members["title"] = encoded("a snapshot")  # the view copies it
    folder = _Folder(path, members, place)
    made = shown(folder.handle, frame, browser)
    made._folder = folder
    return made
