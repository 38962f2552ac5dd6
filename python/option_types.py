"""Types of the options, for editors and type checkers: kyoho/_option_types.pyi, which hatch_build.py writes."""
import textwrap

HEAD = '''"""Options of Kyoho by name, made from the library's tables when the package was built."""
from typing import Any, Literal, Protocol, Sequence, TypedDict, Union

class Quantity(Protocol):
    """A number with a unit, of astropy or unyt."""
    def to_value(self, unit: Any) -> Any: ...

Number = Union[float, str, Quantity, None]
Text = Union[str, Sequence[float], Quantity, None]
'''


FEW = ("engine", "threads", "isa", "orbit_steps", "tolerance", "slow_down", "stop_escape", "stop_collision", "body_radius")
RESUMED = ("end", "steps", "max_wall", "restart_every", "engine", "isa", "threads", "ranks")
NOT_IN_PLOTS = ("rim", "columns", "colours", "brightness", "trails", "divide", "title")
TUNED = ("force", "opening", "cell", "multipole", "order", "curve", "leaf", "group", "precision", "softening", "softening_kind", "g", "field")


def type_of(option):
    if option.kind == "choice":
        return "Literal[%s, None]" % ", ".join(f'"{choice}"' for choice in option.choices)
    return {"flag": "Union[bool, None]", "integer": "Union[int, None]", "real": "Number", "text": "Text"}[option.kind]


def typed_dict(table, name, options):
    """The class of keyword arguments with these options, each with its help as a docstring."""
    lines = [f"class {name}(TypedDict, total=False):"]
    for option in options:
        lines += [f"    {option.keyword}: {type_of(option)}"]
        lines += ['    """' + "\n    ".join(textwrap.wrap(table.explained(option).replace("\\", "\\\\"), 100)) + '"""']
    return "\n".join(lines) + "\n"


def stub(table, ffi, lib):
    """The text of the module; `table` is kyoho/_table.py."""
    parameters = table.options_of(ffi, lib, lib.KY_OPTIONS_PARAMETERS)
    motion = [option for option in parameters if option.keyword != "softening"]  # this one is an argument of its own
    models = {option.keyword: option for name in table.model_names(ffi, lib)
              for option in table.model_options_of(ffi, lib, name) if option.keyword != "bodies"}
    engine = [option for option in motion if option.section == "engine"]
    once = [option for option in motion if option.keyword != "ranks"]
    field = [option for option in once if option.section in ("engine", "force") and option.keyword != "mutual"]
    alone = [option for option in once if option.section == "engine"]
    search = [option for option in once if option in alone or option.keyword == "box"]
    groups = table.options_of(ffi, lib, lib.KY_OPTIONS_GROUPS)
    draw = [option for option in table.options_of(ffi, lib, lib.KY_OPTIONS_DRAW) if option.keyword != "overwrite"]
    film = table.options_of(ffi, lib, lib.KY_OPTIONS_FILM)
    run = [option for option in table.options_of(ffi, lib, lib.KY_OPTIONS_RUN) if option.keyword != "output"]
    resumed = [option for option in run + engine if option.keyword in RESUMED]
    profile = [option for option in table.options_of(ffi, lib, lib.KY_OPTIONS_PROFILE) if option.keyword != "g"]
    tuned = [option for option in parameters if option in alone or option.keyword in TUNED]
    binaries = [option for option in parameters if option in alone or option.keyword in ("softening", "softening_kind", "g")]
    few = [option for option in parameters if option.keyword in FEW]
    plot = [option for option in draw if option.keyword not in NOT_IN_PLOTS]
    classes = {"PlotOptions": plot, "ProfileOptions": profile, "TuneOptions": tuned, "BinaryOptions": binaries, "FewOptions": few, "RunOptions": run + parameters, "ResumeOptions": resumed, "SearchOptions": search, "FieldOptions": field, "ForceOptions": [option for option in once if option.section in ("engine", "force")],
               "SimulationOptions": motion, "SomeOptions": parameters, "ModelOptions": models.values(),
               "MergeOptions": table.options_of(ffi, lib, lib.KY_OPTIONS_MERGE), "GroupOptions": groups,
               "GroupSearchOptions": groups + search, "DrawOptions": draw + film}
    return HEAD + "".join("\n" + typed_dict(table, name, options) for name, options in classes.items())
