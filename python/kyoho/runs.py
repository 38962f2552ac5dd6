"""Runs in a folder, as `kyoho run` makes them: snapshots, energy.csv, run.json, run.log and restart files."""
from __future__ import annotations

import json
import math
import os
from collections import namedtuple
from typing import TYPE_CHECKING

import numpy as np

from . import _arrays
from ._aside import call_aside
from ._library import NULL, call, encoded, ffi, lib, no_file, struct
from ._options import MOTION, Parameters, divided, documented, fill, table
from ._progress import Progress, left
from ._table import in_python, text_of
from ._words import hinted, softened
from .errors import BadDataError, StoppedError, UsageError
from .simulation import Simulation, explain
from .snapshot import Snapshot, read, snapshot_of, with_box
from .units import Units, is_quantity

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._option_types import ResumeOptions, RunOptions

# What kyoho.resume takes, of the options of a run and of its parameters.
RESUMED = ((lib.KY_OPTIONS_RUN, ("end", "steps", "max_wall", "restart_every")),
           (lib.KY_OPTIONS_PARAMETERS, ("engine", "isa", "threads", "ranks")))


Plan = namedtuple("Plan", "step steps snapshots host_bytes device_bytes rank_bytes disk_bytes largest_n choice")
Plan.__doc__ = """The needs of a run: `step` [time], the numbers of steps and snapshots, and bytes of memory and disk. `largest_n` is the largest number
of bodies that fits into the free memory. `choice` is the line about what Kyoho chose, or None."""


class Run:
    """
    The folder of a run, of `kyoho run`, kyoho.run or kyoho.resume.

    Arguments:
      folder   its path
    Example:
      run = kyoho.Run("first")
      run[-1].position, len(run), run.energy["time"], run.units

    run[0] is its first Snapshot and run[-1] its last. `for snapshot in run` reads them one after the other. `energy` has the
    columns of energy.csv by name, in the units of the run.
    """

    def __init__(self, folder):
        if isinstance(folder, Run):
            folder = folder.folder
        self.folder = os.fspath(folder)
        if not os.path.isdir(self.folder):
            why = "is a file, not the folder of a run" if os.path.exists(self.folder) else "there is no such folder"
            raise no_file(folder, f"{self.folder}: {why}")

    @property
    def snapshots(self) -> list[str]:
        """The paths of the snapshots, in their order."""
        paths = struct("ky_paths")
        try:
            call(lib.ky_run_snapshots, encoded(self.folder), paths)
        except BadDataError:
            if os.path.exists(os.path.join(self.folder, "run.json")):  # a run with every=0 may have none
                return []
            raise
        owner = ffi.gc(paths, lib.ky_paths_free)
        return [text_of(ffi, owner.path[k]) for k in range(owner.count)]

    @property
    def energy(self) -> np.ndarray:
        """(rows) of energy.csv, with a field for each column; docs/command.md explains them."""
        path = self._file("energy.csv")
        try:
            return np.atleast_1d(np.genfromtxt(path, delimiter=",", names=True))
        except ValueError as why:
            raise BadDataError(f"{path}: is damaged, or a run is writing it now: {' '.join(str(why).split())}") from None

    @property
    def record(self) -> dict:
        """run.json: the options, the units, the processor, and how the run has ended."""
        path = self._file("run.json")
        try:
            with open(path, encoding="utf-8") as file:
                return json.load(file)
        except ValueError as why:
            raise BadDataError(f"{path}: is damaged: {why}") from None

    def _file(self, name):
        """The path of a file of the run. NoFileError where there is none."""
        path = os.path.join(self.folder, name)
        if not os.path.exists(path):
            raise no_file(path, f"{path}: there is no such file; is {self.folder} the folder of a run?")
        return path

    @property
    def units(self) -> Units:
        """The units of the run."""
        found = self.record["units"]
        made = struct("ky_units", **{name: found[name] or 0.0 for name in ("length_cm", "mass_g", "velocity_cm_s", "g")})
        return Units.from_struct(made)

    def __len__(self):
        return len(self.snapshots)

    def __getitem__(self, which) -> Snapshot:
        try:
            files = self.snapshots[which]
        except IndexError:
            raise IndexError(f"snapshot {which}: the run has {len(self)} snapshots") from None
        return [read(file) for file in files] if isinstance(which, slice) else read(files)

    def __iter__(self):
        return map(read, self.snapshots)

    def __repr__(self):
        return f"<kyoho.Run in {self.folder}, {len(self)} snapshot{'' if len(self) == 1 else 's'}>"


class _Calls:
    """What a run calls after its steps: progress, and a function of the user with the simulation."""

    def __init__(self, values, parameters, units, progress, heartbeat, heartbeat_every):
        self.parameters, self.units, self.progress, self.heartbeat = parameters, units, progress, heartbeat
        self.raised, self.sim, self.stop = [], None, ffi.new("int *")
        self.ended, self.keep = 0, []  # ended: whether the heartbeat has ended the run
        values.stop = self.stop
        if parameters.asked:
            parameters.asked.stop = self.stop
        if progress:
            self.keep.append(ffi.callback("void(void *, struct ky_progress *)", self._tell, onerror=self._failed))
            values.progress = ffi.cast("void (*)(void *, const struct ky_progress *)", self.keep[-1])
        if heartbeat is not None:
            if not callable(heartbeat):
                raise TypeError(f"heartbeat must be a function of the simulation, not {heartbeat!r}")
            self.keep.append(ffi.callback("enum ky_status(void *, struct ky_sim *, struct ky_error *)", self._visit))
            values.visit = self.keep[-1]
            values.visit_every = _arrays.whole(heartbeat_every, "heartbeat_every")
            if not values.visit_every:
                raise UsageError("heartbeat_every is 0; it must be at least 1 step")

    def _failed(self, kind, why, trace):
        self.raised.append(why)
        self.stop[0] = 1

    def _tell(self, context, at):
        change = "-" if math.isnan(at.energy_change) else f"{at.energy_change:+.1e}" + (" (beyond 1e-3)" if at.energy_is_off else "")
        done = at.steps / at.steps_at_end if at.steps_at_end else 1.0
        self.progress(done, f"time {self.units.times(at.time, at.end)}  step {at.steps} ({100 * done:.0f} %)  {at.steps_per_s:.3g} steps/s  "
                            f"dE/E {change}{left(at.seconds_left)}")

    def _visit(self, context, handle, error):
        try:
            if self.sim is None or self.sim._sim is None:  # the user may have closed it
                self.sim = Simulation._borrowed(handle, self.parameters, self.units, self.stop)
            self.sim._arrays = {}
            if self.heartbeat(self.sim):
                self.stop[0] = self.ended = 1
            return lib.KY_OK
        except BaseException as why:
            self.raised.append(why)
            return lib.KY_FAULT

    def end(self):
        """Raises what a function has raised. The simulation is closed: the library has freed it."""
        if self.sim is not None:
            self.sim._sim = None
        if self.raised:
            raise self.raised[0]


def _follow(function, parameters, values, calls, *arguments):
    """Calls ky_run or ky_resume, and tells why it has stopped."""
    values.stopped = reason = struct("ky_stop")
    try:
        call_aside(parameters.values, function, parameters.values, values, *arguments)
    except StoppedError as stop:
        calls.end()
        explain(stop, reason)
        if not (calls.ended and stop.asked):
            raise
    finally:
        calls.end()


@documented(lib.KY_OPTIONS_RUN, without=("output",), more=lambda: list(table(lib.KY_OPTIONS_PARAMETERS, MOTION).values()))
@softened
def run(bodies, folder, *, progress=False, heartbeat=None, heartbeat_every=1, dry_run=False, **options: Unpack[RunOptions]) -> Run:
    """
    Follows the motion of bodies and writes the results to a folder, as `kyoho run` does. Returns it as kyoho.Run.

    Arguments:
      bodies      a Snapshot or a Simulation; options are in its units
      folder      for snapshots, energy.csv, run.json, run.log and restart files
      progress    True shows a line in a terminal, or a bar in a notebook
      heartbeat   called with the simulation after every `heartbeat_every` steps; it may read and change the bodies, and
                  ends the run if it returns True
      dry_run     True starts no run, and returns kyoho.runs.Plan: steps, files and memory
    Example:
      run = kyoho.run(bodies, "first", end=1, every=0.25)
      run[-1].position, run.energy["de"]

    Without `step` the run chooses one. kyoho.resume(folder) continues a run that has stopped early, also after Ctrl-C or a
    file named "stop" in the folder. StoppedError has the `reason` of the stop: "max_wall", "stop_core" ... or "asked".
    """
    bodies = snapshot_of(bodies, "run", in_box=True)
    options = with_box(bodies, options)
    units, own = bodies.units, {name: option for name, option in table(lib.KY_OPTIONS_RUN).items() if name != "output"}
    of_run, of_motion = divided(options, own, table(lib.KY_OPTIONS_PARAMETERS, MOTION))
    parameters = Parameters(of_motion, MOTION, units)
    parameters.settle()
    output, origin = encoded(folder), encoded("Python")
    values, keep = struct("ky_run_parameters", output=output, origin=origin, keep=1, choose_ranks=int(options.get("ranks") is None)), []
    fill(values, lib.KY_OPTIONS_RUN, of_run, own, units, keep)
    initial, memory = bodies._struct()
    if dry_run:
        plan = struct("ky_plan")
        call(lib.ky_run_plan, parameters.values, values, initial, plan)
        return Plan(*(getattr(plan, name) for name in Plan._fields[:-1]), in_python(ffi.string(plan.choice).decode()) or None)
    with Progress(progress) as shown:
        calls = _Calls(values, parameters, units, shown, heartbeat, heartbeat_every)
        _follow(lib.ky_run, parameters, values, calls, initial)
    del memory, output, origin
    return Run(folder)


def _resumed():
    return [table(kind)[name] for kind, names in RESUMED for name in names]


@documented(None, more=_resumed)
@hinted
def resume(folder, *, progress=False, heartbeat=None, heartbeat_every=1, field=None, **options: Unpack[ResumeOptions]) -> Run:
    """
    Continues the run of kyoho.run or `kyoho run` in a folder, with the same bits as without the stop. Returns kyoho.Run.

    Arguments:
      folder      of the run
      progress    True shows a line in a terminal, or a bar in a notebook
      heartbeat, heartbeat_every   as of kyoho.run; for the same bits they must be those of the first run
      field       the function that the run had as `field`, if it had one
    Example:
      run = kyoho.resume("first", end=2)  # [time]; without `end` to the planned end of the run

    All other options are those of the first run.
    """
    if field is not None and not callable(field):
        raise UsageError(f"field must be the function that the run had, not {field!r}; the folder has the text of a named field")
    folder = Run(folder).folder
    if not any(os.path.exists(os.path.join(folder, name)) for name in ("restart.kyo", "restart.kyo.previous")):
        raise no_file(folder, f"{folder}: there is no restart.kyo in it; is it the folder of a run?")
    of_run, of_processor = divided(options, *({name: table(kind)[name] for name in names} for kind, names in RESUMED))
    units = Run(folder).units if progress or any(isinstance(value, str) or is_quantity(value) for value in of_run.values()) else Units()
    parameters = Parameters({"field": field}, MOTION, units)
    inside = parameters.values
    inside.engine, inside.isa, inside.threads, inside.ranks = NULL, -1, -1, -1  # those of the run
    fill(inside, lib.KY_OPTIONS_PARAMETERS, of_processor, table(lib.KY_OPTIONS_PARAMETERS), units, parameters.keep)
    output, keep = encoded(folder), []
    values = struct("ky_run_parameters", output=output)
    fill(values, lib.KY_OPTIONS_RUN, of_run, table(lib.KY_OPTIONS_RUN), units, keep)
    with Progress(progress) as shown:
        calls = _Calls(values, parameters, units, shown, heartbeat, heartbeat_every)
        _follow(lib.ky_resume, parameters, values, calls)
    del output
    return Run(folder)
