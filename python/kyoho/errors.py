"""What goes wrong, as exceptions: one class for each status of the library, and the standard class that fits beside it."""


class Error(Exception):
    """Something that Kyoho cannot do. The text is one line: what is wrong, where, and what would be right."""


class FaultError(Error, RuntimeError):
    """Out of memory, or an error in the library itself."""


class UsageError(Error, ValueError):
    """An argument is out of its range or contradicts another, or a file would be overwritten."""


class UnsupportedError(Error, NotImplementedError):
    """Not available in this build, on this machine or with this engine."""


class BadDataError(Error, ValueError):
    """A file or the bodies are not what they should be."""


class DeviceError(Error, RuntimeError):
    """A device failed or ran out of memory."""


class StoppedError(Error, RuntimeError):
    """A simulation stopped early; the next call continues.

    `ids`, `indices` and `distance` tell of the two bodies of a close pair, `time` when it was.
    """

    ids, indices, distance, time, asked = (), (), float("nan"), float("nan"), False


class CannotWriteError(Error, OSError):
    """A file cannot be written."""


# By enum ky_status.
BY_STATUS = (None, FaultError, UsageError, UnsupportedError, BadDataError, DeviceError, StoppedError, CannotWriteError)
