"""Names of arguments that are misspelt, or come from other programs: the hints that the command gives too."""
import difflib
import functools
import inspect
from typing import Callable, TypeVar

from ._library import NULL, ffi, lib
from ._table import in_python, text_of

What = TypeVar("What", bound=Callable)

# Words for arguments that the command has not.
ARGUMENTS = (("pos", "position"), ("positions", "position"), ("coordinates", "position"), ("position", "pos"), ("vel", "velocity"),
             ("velocities", "velocity"), ("masses", "mass"), ("m", "mass"), ("ids", "id"), ("softening", "eps"), ("nbody", "n"), ("bodies", "n"))


def _same(word):
    """The word without capitals and dashes, by which t_end is tend."""
    return word.lower().replace("_", "").replace("-", "")


@functools.lru_cache(maxsize=None)
def _others():
    """[(word, argument, hint)] of all words of other programs; the argument may have a value, "force direct"."""
    found, name, hint = [(word, argument, None) for word, argument in ARGUMENTS], ffi.new("char **"), ffi.new("char **")
    while True:
        word = lib.ky_option_word(len(found) - len(ARGUMENTS), name, hint)
        if word == NULL:
            return found
        found.append((text_of(ffi, word), text_of(ffi, name[0]), text_of(ffi, hint[0])))


def other_word(word, names):
    """What the word of another program is called among these names: "step", 'force="direct"'; None where it is none of them."""
    for other, argument, hint in _others():
        option, _, value = argument.partition(" ")
        keyword = option.replace("-", "_")
        if keyword in names and (word == other or (len(other) > 1 and _same(word) == _same(other))):
            return keyword + (f'="{value}"' if value else "") + (", " + in_python(hint) if hint else "")
    return None


def guess(word, names):
    """"; did you mean step?" for a word that is not among the names, or ""."""
    near = other_word(word, names) or next(iter(difflib.get_close_matches(word, names, 1, 0.7)), None)
    return f"; did you mean {near}?" if near else ""


def no_option(word, names):
    """TypeError for a keyword that is not among these names."""
    hint = guess(word, names)
    return TypeError(f"there is no option {word!r} here" + (hint or f"; there are {', '.join(sorted(names))}"))


def hinted(function: What) -> What:
    """The function, which tells what arguments are called whose names are those of other programs, such as pos= or eps=."""
    names = [one.name for one in inspect.signature(function).parameters.values() if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)]

    @functools.wraps(function)
    def asked(*arguments, **more):
        for word in more:
            meant = word not in names and other_word(word, names)
            if meant:
                raise TypeError(f"{function.__qualname__.replace('.__init__', '')} has no argument {word!r}; did you mean {meant}?")
        return function(*arguments, **more)
    return asked  # type: ignore[return-value]
