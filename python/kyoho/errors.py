"""What goes wrong, as exceptions: one class for each status of the library, and the standard class that fits beside it."""


class Error(Exception):
    """Any error of Kyoho. The text is one line: what is wrong, where, and how to correct it."""


class FaultError(Error, RuntimeError):
    """Out of memory, or an error in the library itself."""


class UsageError(Error, ValueError):
    """An argument is out of its range or contradicts another, or a file would be overwritten."""


class UnsupportedError(Error, NotImplementedError):
    """Not available in this build, on this machine or with this engine."""


class BadDataError(Error, ValueError):
    """A file is damaged, or bodies have impossible values."""


class NoFileError(BadDataError, FileNotFoundError):
    """A file to be read is not there."""

    def __str__(self):  # that of FileNotFoundError has the number of the error and the name
        return str(self.args[0])


class DeviceError(Error, RuntimeError):
    """A device failed or ran out of memory."""


class StoppedError(Error, RuntimeError):
    """A simulation stopped early; the next call continues.

    `reason` is "close pair", or the option that has stopped it: "stop_collision", "stop_pair", "stop_escape", "stop_box",
    "max_wall" or "stop_core"; or "asked" after Simulation.stop. `ids` and `indices` name the two bodies, or the one body.
    `distance` is the distance of the two bodies, or of the body from the centre. `time` is the time of the stop. `count` is the
    number of pairs or bodies that met the condition at this time; `ids` are those of the nearest pair or of the farthest body.
    """

    reason, ids, indices, distance, time, asked, count = "", (), (), float("nan"), float("nan"), False, 0


class CannotWriteError(Error, OSError):
    """A file cannot be written."""


# By enum ky_status.
BY_STATUS = (None, FaultError, UsageError, UnsupportedError, BadDataError, DeviceError, StoppedError, CannotWriteError)
