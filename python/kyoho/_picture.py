"""Pictures of snapshots as arrays, as PNG without any library, and in notebooks."""
from __future__ import annotations

import base64
import html as escape
import struct as binary
import zlib

from typing import TYPE_CHECKING

import numpy as np

from . import _arrays
from ._library import call, encoded, ffi, lib, struct
from ._options import documented, fill, table
from .errors import Error, UsageError

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._option_types import DrawOptions


@documented(lib.KY_OPTIONS_DRAW, without=("overwrite",))
def draw(*snapshots, path=None, overwrite=False, **options: Unpack[DrawOptions]) -> np.ndarray | None:
    """
    Draws snapshots, or simulations as they are now, side by side with equal scales, as an array (height, width, 4) of red, green, blue and 255.

    With `path` it writes a file instead, .png, .pdf or .svg, and returns nothing; a file that exists is replaced only with
    `overwrite`. For show="trails" the snapshots are one system at several times.
    """
    snapshots = [one.snapshot() if hasattr(one, "snapshot") else one
                 for given in snapshots for one in (given if isinstance(given, (list, tuple)) else [given])]
    if not snapshots:
        raise UsageError("draw needs a snapshot")
    from .snapshot import need_snapshot  # which needs this module
    for one in snapshots:
        need_snapshot(one, "draw")
    values, keep = struct("ky_draw_parameters", overwrite=int(overwrite)), []
    allowed = {keyword: option for keyword, option in table(lib.KY_OPTIONS_DRAW).items() if keyword != "overwrite"}
    fill(values, lib.KY_OPTIONS_DRAW, options, allowed, snapshots[0].units, keep)
    made = [one._struct() for one in snapshots]
    panels = ffi.new("struct ky_snapshot[]", [panel[0] for panel, _ in made])
    if path is not None:
        call(lib.ky_draw, encoded(path), panels, len(made), values)
        return None
    picture = struct("ky_picture")
    call(lib.ky_draw_pixels, panels, len(made), values, picture)
    owner = ffi.gc(picture, lib.ky_picture_free)
    return _arrays.view(picture.rgba, (picture.height, picture.width, 4), "u1", owner)


def png(pixels) -> bytes:
    """The bytes of a PNG file with this array of draw()."""
    height, width, channels = pixels.shape
    lines = np.zeros((height, 1 + width * channels), "u1")  # each line after a 0: no filter
    lines[:, 1:] = pixels.reshape(height, -1)

    def chunk(kind, data):
        return binary.pack(">I", len(data)) + kind + data + binary.pack(">I", zlib.crc32(kind + data))

    head = binary.pack(">IIBBBBB", width, height, 8, {3: 2, 4: 6}[channels], 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(lines.tobytes(), 6))
            + chunk(b"IEND", b""))


def html(snapshot, rows):
    """A still of the snapshot and a table, for notebooks; everything is in the text."""
    try:
        still = base64.b64encode(png(draw(snapshot, width=320))).decode()
        still = f'<img alt="the bodies" src="data:image/png;base64,{still}">'
    except Error as why:  # bodies that cannot be drawn are shown by their numbers alone
        still = escape.escape(str(why))
    cells = "".join(f"<tr><th>{escape.escape(name)}</th><td>{escape.escape(value)}</td></tr>" for name, value in rows)
    return f"<div>{still}<table>{cells}</table></div>"
