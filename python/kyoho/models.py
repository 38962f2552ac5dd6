"""Initial models, and two systems on an orbit about each other."""
from __future__ import annotations

import copy
import math

from typing import TYPE_CHECKING

import numpy as np

from . import _table
from ._aside import call_aside
from ._library import call, encoded, ffi, lib, struct
from ._options import documented, fill, table, text
from ._words import softened
from .errors import UsageError
from .snapshot import Snapshot, snapshot_of
from .units import Units

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._option_types import MergeOptions, ModelOptions


def models() -> dict[str, str]:
    """
    The names of the initial models, each with a line of help.

    Arguments: none. Returns {name: help}.
    Example:
      list(kyoho.models())
    """
    about, found = struct("ky_model_about"), {}
    while lib.ky_model_get(len(found), about) == 0:
        found[ffi.string(about.name).decode()] = ffi.string(about.help).decode()
    return found


def _options_of(name):
    """{keyword: Option} of a model, with those that models share. The number of bodies is `n` in Python."""
    found = {option.keyword: option for option in _table.model_options_of(ffi, lib, name)}
    found["n"] = found.pop("bodies")._replace(keyword="n")
    return found


def model_options(name) -> dict[str, str]:
    """
    The options of an initial model, with their help.

    Arguments:
      name   of the model
    Returns {keyword: help}.
    Example:
      kyoho.model_options("king")["w0"]
    """
    if name not in models():
        raise UsageError(f"there is no model {name!r}; there are {', '.join(models())}")
    return {keyword: option.help for keyword, option in _options_of(name).items() if keyword != "n"}


def _own_options():
    """The options that some models have beside those that all share."""
    found = {}
    for name in models():
        found.update(_options_of(name))
    return [option for keyword, option in found.items() if keyword not in {*table(lib.KY_OPTIONS_MODEL), "n"}]


@documented(lib.KY_OPTIONS_MODEL, without=("bodies",), more=_own_options)
@softened
def model(name, n=None, *, units=None, **options: Unpack[ModelOptions]) -> Snapshot:
    """
    Makes the bodies of an initial model, as a Snapshot.

    Arguments:
      name    of the model; kyoho.models() lists them
      n       the number of bodies
      units   of the numbers: "nbody" (G = 1, the default), "galaxy", "cluster", "cosmic", "planets" or kyoho.Units
    Example:
      bodies = kyoho.model("plummer", 500, units="cluster", mass="500 Msun", radius="0.5 pc", seed=3)

    kyoho.model_options(name) has the options of one model. Other options are errors. The same seed gives the same bodies on any
    computer.
    """
    given, asked = struct("ky_units"), units
    units = Units.of(units)
    units.put(given)
    given.g = units.g if units.physical else math.nan
    call(lib.ky_model_units, encoded(name), given)
    if asked is not None and given.length_cm > 0 and not units.physical:
        raise UsageError(f"{name} has units of its own, which N-body units are not: leave out units")
    units = Units.from_struct(given)
    values, keep = struct("ky_model_parameters"), []
    units.put(values.units)
    allowed, shared = _options_of(name), {*table(lib.KY_OPTIONS_MODEL), "n"}
    options = {keyword: value for keyword, value in {"n": n, **options}.items() if value is not None}
    own = {keyword: options.pop(keyword) for keyword in list(options) if keyword in allowed and keyword not in shared}
    fill(values, lib.KY_OPTIONS_MODEL, options, allowed, units, keep)
    keep += [encoded(f"{allowed[keyword].name}={text(allowed[keyword], value, units)}") for keyword, value in own.items()]
    texts = ffi.new("char *[]", [*keep[len(keep) - len(own):], ffi.NULL])
    values.options = ffi.cast("const char *const *", texts)
    made = ffi.new("struct ky_snapshot *")
    call_aside(values, lib.ky_model_make, encoded(name), values, made)
    return Snapshot._from_struct(made)


def _softened(snapshot, softening):
    """The snapshot with another softening, and the same arrays."""
    made = copy.copy(snapshot)
    made.softening = softening
    return made


def _settle_softening(a, b, given):
    """The softening of two snapshots together: both as ky_merge takes them, the softening for bodies of one without, and the
    common softening of the result or None.

    The one that is given; else that of each body, if bodies of one of them have their own; else the larger of two common ones,
    which makes neither system more collisional.
    """
    own = [isinstance(snapshot.softening, np.ndarray) for snapshot in (a, b)]
    common = [snapshot.softening for snapshot in (a, b) if isinstance(snapshot.softening, float)]
    if given is None and any(own):
        return a, b, common[0] if common else math.nan, None
    return _softened(a, None), _softened(b, None), math.nan, max(common, default=None) if given is None else given


@documented(lib.KY_OPTIONS_MERGE)
@softened
def merge(a: Snapshot, b: Snapshot, **options: Unpack[MergeOptions]) -> Snapshot:
    """
    Places two systems on a Kepler orbit about each other in the x-y plane. Returns a Snapshot at time 0 with the bodies of both.

    Arguments:
      a, b   Snapshots or Simulations with the same units; if both have a kind of softening, it must be the same
      separation, pericentre   required [length]
    Example:
      pair = kyoho.merge(a, b, separation=5, pericentre=0.5)

    The orbit is a parabola unless `eccentricity` is given.
    """
    a, b = snapshot_of(a, "merge"), snapshot_of(b, "merge")
    if a.units != b.units:
        raise UsageError(f"the two snapshots have different units: {a.units} and {b.units}")
    kinds = {snapshot.softening_kind for snapshot in (a, b)} - {None}
    if len(kinds) > 1:
        raise UsageError("the two snapshots have different softening_kind; it must be the same")
    values, keep = struct("ky_merge_parameters", g=a.units.g), []
    fill(values, lib.KY_OPTIONS_MERGE, options, table(lib.KY_OPTIONS_MERGE), a.units, keep)
    for required in ("separation", "pericentre"):
        if options.get(required) is None:
            raise UsageError(f"merge needs {required}")
    given = None if math.isnan(values.softening) else values.softening
    a, b, values.softening, common = _settle_softening(a, b, given)
    (first, first_memory), (second, second_memory) = a._struct(), b._struct()
    merged = ffi.new("struct ky_snapshot *")
    lib.ky_snapshot_clear(merged)
    call_aside(values, lib.ky_merge, ffi.addressof(first.bodies), ffi.addressof(second.bodies), values,
               ffi.addressof(merged.bodies))
    del first_memory, second_memory
    a.units.put(merged.units)
    pair = Snapshot._from_struct(merged)
    pair.softening = pair.softening if common is None else common
    pair.softening_kind = min(kinds, default=None)
    return pair
