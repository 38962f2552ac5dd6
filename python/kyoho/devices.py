"""The processors of this machine."""
from collections import namedtuple

from ._library import ffi, lib, struct

Device = namedtuple("Device", "engine name usable reason")
Device.__doc__ = """A processor: `engine` is what the option of this name takes, `reason` says why it is not usable, or when the
engine "auto" takes it."""


def devices() -> list:
    """
    The processors that the library knows of, as kyoho.Device.

    Arguments: none. Returns a list; `engine` of an element is what the option of this name takes.
    Example:
      [device.engine for device in kyoho.devices() if device.usable]
    """
    found, device = [], struct("ky_device")
    while lib.ky_device_get(len(found), device) == 0:
        engine, name, reason = (ffi.string(text).decode() for text in (device.engine, device.name, device.reason))
        found.append(Device(engine, name, bool(device.usable), reason))
    return found
