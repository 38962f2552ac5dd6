"""The libraries, through cffi: they are loaded and checked here, and every call that can fail goes through `call`.

The declarations in _declarations.py are made from kyoho.h and draw.h when the package is built. cffi lets other threads of Python run
while the library computes.
"""
import errno
import functools
import logging
import numbers
import os
import threading
import weakref

from . import _table, errors
from ._table import in_python

try:
    from ._declarations import ffi
except ModuleNotFoundError as why:
    raise ImportError("this is the source of the package kyoho, which is not built: run pip install . in the checkout, and start "
                      "Python elsewhere") from why

NULL = ffi.NULL
FOLDER = os.path.dirname(os.path.abspath(__file__))
lib = ffi.dlopen(os.path.join(FOLDER, "libkyoho_draw.so.0"))  # and libkyoho.so.0, which it needs
version = _table.text_of(ffi, lib.ky_version())

# The structs that a _defaults_sized call fills, by the name of the call.
FILLED = ("ky_parameters", "ky_check_parameters", "ky_catalogue_parameters", "ky_run_parameters", "ky_write_options",
          "ky_read_options", "ky_model_parameters", "ky_merge_parameters", "ky_profile_parameters", "ky_draw_parameters",
          "ky_film_parameters", "ky_view_parameters", "ky_tune_parameters", "ky_mass_function_parameters")


def check_sizes():
    """ImportError where the library has other structs than the declarations, and would write past their ends."""
    for name in ffi.list_types()[1]:
        size = lib.ky_abi(name.encode()) or lib.ky_draw_abi(name.encode())
        if size and size != ffi.sizeof(f"struct {name}"):
            raise ImportError(f"{FOLDER} has a library and declarations of different versions: struct {name} has "
                              f"{size} and {ffi.sizeof(f'struct {name}')} bytes; install kyoho again")


check_sizes()


@functools.lru_cache(maxsize=None)
def _members(name):
    return {member for member, _ in ffi.typeof(f"struct {name}").fields}


def struct(name, **members):
    """A new struct of the library, with its defaults, its size and our log where it has these, and then with these members."""
    made = ffi.new(f"struct {name} *")
    known = _members(name)
    if name in FILLED:
        getattr(lib, name + "_defaults_sized")(made, ffi.sizeof(f"struct {name}"))
    elif "size" in known:
        made.size = ffi.sizeof(f"struct {name}")
    if "log" in known:
        made.log = log
    for member, value in members.items():
        setattr(made, member, value)
    return made


LEVELS = {lib.KY_LOG_DETAIL: logging.DEBUG, lib.KY_LOG_INFO: logging.INFO, lib.KY_LOG_WARNING: logging.WARNING}


_of_log = threading.local()  # .raised: what the logger has raised in the call of this thread, such as KeyboardInterrupt


def _keep(kind, why, trace):
    _of_log.raised = why


@ffi.callback("ky_log_function", onerror=_keep)
def log(context, level, line):
    """Passes a remark of the library to the logger "kyoho"; for the member `log` of structs."""
    logging.getLogger("kyoho").log(LEVELS[level], "%s", in_python(ffi.string(line).decode(errors="replace")))


def raise_of_log():
    why, _of_log.raised = getattr(_of_log, "raised", None), None
    if why:
        raise why


functions = weakref.WeakKeyDictionary()  # {struct ky_parameters or simulation: a reference to the _fields.Function that it has}


def raise_of_functions(arguments):
    """Raises what a function of Python has raised that the library called on behalf of these arguments."""
    for given in arguments:
        asked = functions.get(given) if isinstance(given, ffi.CData) else None
        function = asked and asked()
        if function and function.raised:
            why = function.raised[0]
            function.raised.clear()
            raise why


_threads = [0]  # of calls


def use_threads(count=None):
    """
    Sets the number of threads of all later calls without `threads`.

    Arguments:
      count   1 to 1024; None: OMP_NUM_THREADS, or the number of cores
    Example:
      kyoho.use_threads(2)

    Results do not depend on the number. It applies to all threads of the program.
    """
    if count is not None and not (isinstance(count, numbers.Integral) and 1 <= count <= 1024):
        raise errors.UsageError(f"count is {count!r}; it must be a whole number from 1 to 1024, or None")
    _threads[0] = int(count or 0)


def call(function, *arguments):
    """Calls a function of the library whose last parameter is struct ky_error, and raises what it reports."""
    error = ffi.new("struct ky_error *")
    lib.ky_use_threads(_threads[0])
    status = function(*arguments, error)
    raise_of_log()
    if functions:
        raise_of_functions(arguments)
    if status:
        raise errors.BY_STATUS[status](in_python(ffi.string(error.text).decode(errors="replace")))


def call_file(path, function, *arguments):
    """The same for a function that reads this file: NoFileError where there is none."""
    try:
        call(function, *arguments)
    except errors.BadDataError as why:
        if os.path.exists(path):
            raise
        raise no_file(path, str(why)) from None


def no_file(path, text):
    """The NoFileError for this path."""
    missing = errors.NoFileError(text)
    missing.errno, missing.filename = errno.ENOENT, os.fspath(path)
    return missing


def encoded(text):
    """The text or path as C text, whose memory lives as long as what is returned."""
    if not isinstance(text, (str, bytes, os.PathLike)):
        raise TypeError(f"{text!r} must be text or a path")
    text = os.fsencode(text)
    if b"\0" in text:
        raise errors.UsageError(f"{text!r} must not contain the character NUL")
    return ffi.new("char[]", text)
