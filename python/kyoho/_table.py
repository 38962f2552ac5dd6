"""The library's tables of options, read through ky_draw_options_get and ky_model_option_get.

This module needs neither numpy nor the package, since the build reads the tables too.
"""
import re
from collections import namedtuple

# `keyword`: the name as an argument in Python. `kind`: "flag", "integer", "real", "choice" or "text".
Option = namedtuple("Option", "section name keyword kind initial choices unit help")

KINDS = ("flag", "integer", "real", "choice", "text")


def in_python(text):
    """The library's text with its options written as arguments: --softening-kind becomes softening_kind."""
    text = re.sub(r"(?:`kyoho run )?--resume (?!continues\b)([^\s;,`]*[^\s;,.`])`?", r'kyoho.resume("\1")', text)
    for words, here in (("--resume", "kyoho.resume"), ("--output", "folder"), ("--view-port", "port"), ("`kyoho devices`", "kyoho.devices()"),
                        ("`kyoho help run` lists", 'kyoho.options(kyoho.Simulation)["field"] lists'), ("(kyoho run)", ""), (" -n ", " n=")):
        text = text.replace(words, here)
    return re.sub(r"(?<![\w-])--([a-z][a-z0-9-]*)", lambda found: found.group(1).replace("-", "_"), text)


def text_of(ffi, pointer):
    """The C text as str; None for NULL."""
    return None if pointer == ffi.NULL else ffi.string(pointer).decode()


def explained(option):
    """The help of an option in words of Python, with its unit."""
    unit = f"[{option.unit}]"
    return in_python(option.help) + (f" {unit}" if option.unit and unit not in option.help else "")


def option_of(ffi, about):
    """The struct ky_option_about as Option."""
    name = text_of(ffi, about.name)
    choices = text_of(ffi, about.choices)
    return Option(text_of(ffi, about.section), name, name.replace("-", "_"), KINDS[about.kind], text_of(ffi, about.initial),
                  tuple(choices.split("|")) if choices else (), ffi.string(about.unit).decode(), text_of(ffi, about.help))


def rows(ffi, get):
    """The options that get(index, about) tells, until it has no more."""
    about, found = ffi.new("struct ky_option_about *"), []
    about.size = ffi.sizeof("struct ky_option_about")
    while get(len(found), about) == 0:
        found.append(option_of(ffi, about))
    return found


def options_of(ffi, lib, kind):
    """The options of the structs of this kind, such as lib.KY_OPTIONS_RUN."""
    return rows(ffi, lambda index, about: lib.ky_draw_options_get(kind, index, about))


def model_names(ffi, lib):
    names = []
    while lib.ky_model_name(len(names)) != ffi.NULL:
        names.append(text_of(ffi, lib.ky_model_name(len(names))))
    return names


def model_options_of(ffi, lib, name):
    """The options of the model with this name."""
    return rows(ffi, lambda index, about: lib.ky_model_option_get(name.encode(), index, about))
