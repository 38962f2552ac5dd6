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


class NoFileError(BadDataError, FileNotFoundError):
    """A file to be read is not there."""

    def __str__(self):  # that of FileNotFoundError has the number of the error and the name
        return str(self.args[0])


class DeviceError(Error, RuntimeError):
    """A device failed or ran out of memory."""


class StoppedError(Error, RuntimeError):
    """A simulation stopped early; the next call continues.

    `reason` is the word for it: "close pair", or the option that asked for the stop, "stop_collision", "stop_pair",
    "stop_escape" or "stop_box"; "asked" after Simulation.stop. `ids` and `indices` are of the two bodies, or of the one body,
    `distance` is of the two, or of the body from the centre, and `time` is when it was. `count` pairs or bodies met the
    condition together, and the ids are those of the nearest pair or of the farthest body.
    """

    reason, ids, indices, distance, time, asked, count = "", (), (), float("nan"), float("nan"), False, 0


class CannotWriteError(Error, OSError):
    """A file cannot be written."""


# By enum ky_status.
BY_STATUS = (None, FaultError, UsageError, UnsupportedError, BadDataError, DeviceError, StoppedError, CannotWriteError)
