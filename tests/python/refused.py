# Calls that must fail. It is not a test itself, since it is not executable.
from tap import check


def refused(kind, name, wanted, function, *arguments, **options):
    """The call raises this exception, and its text has the words that are wanted."""
    try:
        function(*arguments, **options)
    except kind as why:
        check(all(word in str(why) for word in wanted), f"{name}: {kind.__name__} with {', '.join(wanted) or 'a text'}", why)
        return
    except Exception as why:
        check(False, f"{name} is {kind.__name__}", repr(why))
        return
    check(False, f"{name} is refused", "it was accepted")
