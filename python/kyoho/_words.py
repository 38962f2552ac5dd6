"""Names of arguments that are misspelt, or come from other programs: the hints that the command gives too."""
import difflib
import functools
import inspect
from typing import TYPE_CHECKING, Callable, TypeVar

from ._library import NULL, ffi, lib
from ._table import in_python, text_of

What = TypeVar("What", bound=Callable)

# Words for arguments that the command has not.
ARGUMENTS = (("pos", "position"), ("positions", "position"), ("coordinates", "position"), ("position", "pos"), ("positions", "pos"), ("coordinates", "pos"),
             ("vel", "velocity"), ("velocities", "velocity"), ("masses", "mass"), ("m", "mass"), ("ids", "id"), ("t", "time"), ("softening", "eps"), ("epsilon", "eps"), ("nbody", "n"), ("bodies", "n"), ("N", "n"),
             ("output", "folder"), ("directory", "folder"), ("filename", "path"),
             ("G", "g"), ("cmap", "colours"), ("colormap", "colours"), ("colours", "cmap"), ("colormap", "cmap"))
# Words that are taken in each other's place, since packages differ in them: the softening.
SAME = {"eps": "softening", "softening": "eps"}


def counted(n):
    """The text "1 body", "2,000 bodies"."""
    return f"{n:,} bod{'y' if n == 1 else 'ies'}"


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


def _cut(word, names):
    """The names that begin with the word: soft for softening."""
    return [name for name in names if len(word) > 2 and name.startswith(word)]


def guess(word, names):
    """"; did you mean step?" for a word that is not among the names, or ""."""
    near = other_word(word, names) or next(iter(difflib.get_close_matches(word, names, 1, 0.7) or _cut(word, names)), None)
    return f"; did you mean {near}?" if near else ""


def no_option(word, names):
    """TypeError for a keyword that is not among these names."""
    hint = guess(word, names)
    return TypeError(f"there is no option {word!r} here" + (hint or f"; there are {', '.join(sorted(names))}"))


def _meant(word, names, arguments):
    """What the word of another program means: "; did you mean pos?" or, of a method, the attribute that has it; "" if nothing is known."""
    attributes = [name for name in dir(type(arguments[0])) if isinstance(getattr(type(arguments[0]), name), property)] if arguments else ()
    if word in attributes or not guess(word, names):
        meant = word if word in attributes else other_word(word, attributes)
        return f"; set the attribute before: .{meant} = ..." if meant else ""
    return guess(word, names)


def hinted(function: What, also=()) -> What:
    """The function, which tells what arguments are called whose names are misspelt or those of other programs, such as pos= or dt=, and takes
    eps= for softening= and the other way round. `also` are more names, of its options."""
    parameters = inspect.signature(function).parameters.values()
    names = [one.name for one in parameters if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)] + list(also)
    is_closed = not any(one.kind == one.VAR_KEYWORD for one in parameters)
    is_method = names[:1] == ["self"]
    other = functools.lru_cache(maxsize=64)(lambda word: other_word(word, names))

    @functools.wraps(function)
    def asked(*arguments, **more):
        for word in [word for word in more if word not in names]:
            if SAME.get(word) in names:
                if more.get(SAME[word]) is not None:
                    raise TypeError(f"{word} and {SAME[word]} are the same: give one of them")
                more[SAME[word]] = more.pop(word)
                continue
            hint = _meant(word, names, arguments if is_method else ()) if is_closed or other(word) else ""
            if hint or is_closed:
                raise TypeError(f"{function.__qualname__.replace('.__init__', '')} has no argument {word!r}{hint}")
        return function(*arguments, **more)
    return asked  # type: ignore[return-value]


class Named:
    """A class whose attributes get a hint where their name is misspelt, or that of another program: sim.dt, bodies.pos = array. Names that
    are like none of them are free for users."""

    @staticmethod
    def _options():
        """The names of the options that set() changes."""
        return ()

    if not TYPE_CHECKING:  # to which each name would then be one of the class
        def __getattr__(self, name):  # of what is not there
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}{_hint(type(self), name)}")

        def __setattr__(self, name, value):
            hint = "" if name in vars(self) else _hint(type(self), name)
            if hint:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}{hint}")
            object.__setattr__(self, name, value)


@functools.lru_cache(maxsize=None)
def _hint(kind, name):
    """What a name may mean that is no attribute of objects of this class; "" where nothing is known, and for attributes."""
    annotated = {one for of in kind.__mro__ for one in vars(of).get("__annotations__", ())}
    attributes = sorted(one for one in {*dir(kind), *annotated} if not one.startswith("_"))
    if name.startswith("_") or name in attributes:
        return ""
    option = f"{name}=..." if name in kind._options() else other_word(name, kind._options())
    if option and not other_word(name, attributes):
        return f"; use the option: set({option if '=' in option else option + '=...'})"
    return guess(name, attributes)


def softened(function: What) -> What:
    """The same for a function that has `softening` among its options."""
    return hinted(function, ("softening",))
