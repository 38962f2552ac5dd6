"""Pictures of snapshots as arrays, as PNG without any library, and in notebooks."""
from __future__ import annotations

import base64
import html as escape
import struct as binary
import zlib

import numpy as np

from . import _arrays
from ._library import call, ffi, lib, struct
from ._options import fill, table
from .errors import Error, UsageError


def prepared(snapshots, options, keep, **members):
    """The struct ky_draw_parameters of these options, and the panels of the snapshots; `keep` gets what must live as long."""
    allowed = {keyword: option for keyword, option in table(lib.KY_OPTIONS_DRAW).items() if keyword != "overwrite"}
    values = struct("ky_draw_parameters", **members)
    fill(values, lib.KY_OPTIONS_DRAW, options, allowed, snapshots[0].units, keep)
    made = [one._struct() for one in snapshots]
    keep += made
    return values, ffi.new("struct ky_snapshot[]", [panel[0] for panel, _ in made])


def pixels(values, panels):
    """The picture as an array (height, width, 4)."""
    picture = struct("ky_picture")
    call(lib.ky_draw_pixels, panels, len(panels), values, picture)
    owner = ffi.gc(picture, lib.ky_picture_free)
    return _arrays.view(picture.rgba, (picture.height, picture.width, 4), "u1", owner)


def png(picture) -> bytes:
    """
    The bytes of a PNG file with a picture.

    Arguments:
      picture   an array of kyoho.draw, (height, width, 4)
    Example:
      open("sim.png", "wb").write(kyoho.png(kyoho.draw(sim)))
    """
    picture = np.asarray(picture)
    if picture.ndim != 3 or picture.shape[2] not in (3, 4) or not picture.size or picture.dtype != "u1":
        raise UsageError(f"picture has the shape {picture.shape} of {picture.dtype}; it must be (height, width, 3 or 4) of uint8, as kyoho.draw makes it")
    height, width, channels = picture.shape
    lines = np.zeros((height, 1 + width * channels), "u1")  # each line after a 0: no filter
    lines[:, 1:] = picture.reshape(height, -1)

    def chunk(kind, data):
        return binary.pack(">I", len(data)) + kind + data + binary.pack(">I", zlib.crc32(kind + data))

    head = binary.pack(">IIBBBBB", width, height, 8, {3: 2, 4: 6}[channels], 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(lines.tobytes(), 6))
            + chunk(b"IEND", b""))


def html(snapshot, rows):
    """A still of the snapshot and a table, for notebooks; everything is in the text."""
    try:
        keep = []
        still = base64.b64encode(png(pixels(*prepared([snapshot], {"width": 320}, keep)))).decode()
        still = f'<img alt="the bodies" src="data:image/png;base64,{still}">'
    except Error as why:  # bodies that cannot be drawn are shown by their numbers alone
        still = escape.escape(str(why))
    cells = "".join(f"<tr><th>{escape.escape(name)}</th><td>{escape.escape(value)}</td></tr>" for name, value in rows)
    return f"<div>{still}<table>{cells}</table></div>"
