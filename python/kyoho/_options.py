"""Options as keyword arguments: they go into the structs of the library by name, and into docstrings from its table."""
from __future__ import annotations

import re
import textwrap
from typing import Callable, TypeVar

from . import _arrays, _fields, _table, _words
from ._library import NULL, call, encoded, ffi, lib, struct
from ._table import in_python
from .errors import UsageError
from .units import is_quantity

FORCE = ("engine", "force")
MOTION = ("engine", "force", "integrator", "stopping")
ENGINE = ("engine",)
SEARCH = ("engine", "box")  # this section and this option

What = TypeVar("What")
_tables = {}


def table(kind, sections=None):
    """{keyword: Option} of the structs of this kind, of these sections and options alone unless `sections` is None."""
    if kind not in _tables:
        _tables[kind] = {option.keyword: option for option in _table.options_of(ffi, lib, kind)}
    return {keyword: option for keyword, option in _tables[kind].items() if sections is None or (
        keyword in sections or option.section in sections and (keyword != "ranks" or "integrator" in sections))}  # ranks are of simulations


def _plain(number, option, units):
    """A number of a list as text without its unit."""
    try:
        float(number)
        return number
    except ValueError:
        return repr(units.real(number, option.unit, option.keyword))


def text(option, value, units):
    """The value as the command line would have it."""
    if isinstance(value, str):
        return value if option.kind != "text" or not units.has(option.unit) else ",".join(_plain(one, option, units) for one in value.split(","))
    if callable(value) and option.kind == "text":
        raise TypeError(f"{option.keyword} cannot be a function here")
    if option.kind == "flag":
        if value not in (True, False):
            raise TypeError(f"{option.keyword} must be True or False, not {value!r}")
        return "yes" if value else "no"
    if is_quantity(value):
        value = units.number(value, option.unit, option.keyword)
    if not _arrays.single(value):
        if option.kind != "text":
            raise TypeError(f"{option.keyword} must be one value, not {value!r}")
        return ",".join(text(option, one, units) for one in value)
    if option.kind == "integer":
        return str(_arrays.whole(value, option.keyword, least=-2 ** 63))  # the library knows the range
    return repr(_arrays.number(value, option.keyword)) if option.kind == "real" else str(value)


def fill(values, kind, options, allowed, units, keep):
    """Sets the fields that `options` name. `keep` receives the texts, which must live as long as the struct.

    TypeError for a name that is not in `allowed`. None stands for the default.
    """
    scales = struct("ky_units")
    units.put(scales)
    for keyword, value in options.items():
        if keyword not in allowed:
            raise _words.no_option(keyword, allowed)
        if value is None:
            continue
        option = allowed[keyword]
        name, given = encoded(option.name), encoded(text(option, value, units))
        keep += [given]
        try:
            call(lib.ky_draw_options_set, kind, values, name, given, scales)
        except UsageError as why:  # begins with the name as the command has it
            raise UsageError(re.sub(f"^{option.name}:", keyword + ":", str(why))) from None


def divided(options, *tables):
    """A dict for each table, with the options that it has. TypeError for a name that is in none of them."""
    for keyword in options:
        if not any(keyword in one for one in tables):
            raise _words.no_option(keyword, {name for one in tables for name in one})
    return [{keyword: value for keyword, value in options.items() if keyword in one} for one in tables]


class Parameters:
    """A struct ky_parameters, filled from keyword arguments, with the memory of its texts."""

    def __init__(self, options, sections, units):
        self.values, self.keep = struct("ky_parameters", g=units.g), []
        named, self.function = _fields.divided(options.get("field"))
        self.asked = _fields.Function(self.function) if self.function else None
        if self.asked:
            options = {**options, "field": named}
            self.values.field_places = self.asked.places
            self.asked.belongs_to(self.values)
        units.put(self.values.units)
        self.given = [keyword for keyword, value in options.items() if value is not None]
        self.allowed = table(lib.KY_OPTIONS_PARAMETERS, sections)
        fill(self.values, lib.KY_OPTIONS_PARAMETERS, options, self.allowed, units, self.keep)

    def settle(self):
        """Chooses a force that takes the given options. UsageError for an option that the force ignores."""
        names = [encoded(self.allowed[keyword].name) for keyword in self.given]
        call(lib.ky_parameters_choose_force, self.values, ffi.new("char *[]", [*names, NULL]))
        told = ffi.new("struct ky_parameters *", self.values[0])
        for keyword, name in zip(self.given, names):
            because = lib.ky_parameters_ignore(told, name)
            if because != NULL:
                raise UsageError(f"{keyword} has no effect with {in_python(ffi.string(because).decode())}")


class Options(dict):
    """{option: its help}, which shows itself as a text."""

    def __repr__(self):
        return "\n".join(f"{keyword}: {help}" for keyword, help in self.items())


def _explained(option):
    """The values, the help with its unit, and the default."""
    choices = "|".join(option.choices) or {"flag": "bool", "integer": "int", "real": "float", "text": "str"}[option.kind]
    initial = f" (default {option.initial})" if option.initial and option.kind != "flag" else ""
    return f"{choices}\n" + textwrap.fill(_table.explained(option) + initial, 92, initial_indent=" " * 4, subsequent_indent=" " * 4)


_described = {}  # {the name of a public function or class: its options}


def options(of) -> Options:
    """
    The options of a function or class of this package, with their values, units and defaults.

    Arguments:
      of   the function or class
    Returns {option: help}, which shows itself as a text.
    Example:
      kyoho.options(kyoho.gravity)
      print(kyoho.options(kyoho.Simulation)["step"])
    """
    described = _described.get(getattr(of, "__name__", None))
    if isinstance(of, str) and of in _described:
        raise UsageError(f"give the function or class itself: kyoho.options(kyoho.{of})")
    if described is None or of.__module__.partition(".")[0] != __name__.partition(".")[0]:
        raise UsageError(f"{getattr(of, '__name__', repr(of))} has no options; there are {', '.join(sorted(_described))}")
    return Options({option.keyword: _explained(option) for option in described()})


def documented(kind, sections=None, without=(), more=list) -> Callable[[What], What]:
    """Names the options of the library's table, and those that more() tells, in the docstring of a function or class; kyoho.options
    explains them."""
    def add(what):
        def described():
            own = {} if kind is None else table(kind, sections)
            return [option for keyword, option in own.items() if keyword not in without] + more()
        names = textwrap.fill(", ".join(option.keyword for option in described()), 134, initial_indent="  ", subsequent_indent="  ")
        what.__doc__ = (textwrap.dedent(what.__doc__).strip() + f"\n\nOptions, which kyoho.options(kyoho.{what.__name__}) explains:\n{names}\n")
        _described[what.__name__] = described
        return what
    return add
