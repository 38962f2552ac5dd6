"""The processors of this machine."""
from collections import namedtuple

from ._library import ffi, lib, struct

Device = namedtuple("Device", "engine name usable reason")
Device.__doc__ = """A processor. `engine` is its name for the option `engine`. `reason` says why it is not usable, or when the engine
"auto" takes it."""


def devices() -> list:
    """
    The processors of this machine, as a list of kyoho.Device.

    Arguments: none. `engine` of an element is its name for the option `engine`.
    Example:
      [device.engine for device in kyoho.devices() if device.usable]
    """
    found, device = [], struct("ky_device")
    while lib.ky_device_get(len(found), device) == 0:
        engine, name, reason = (ffi.string(text).decode() for text in (device.engine, device.name, device.reason))
        found.append(Device(engine, name, bool(device.usable), reason))
    return found
