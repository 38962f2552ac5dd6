"""Has yt 4.1 know kyoho_yt; later versions find it by its entry point.

Python imports this module at its start (kyoho_yt.pth). kyoho_yt is imported once yt 4.1 has been, and nothing before."""
import sys


class Finder:
    """Stands first in sys.meta_path, and finds yt as the others do. It stays there, since a program may look for yt before it imports it."""

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name != "yt":
            return None
        others = (finder.find_spec(name, path, target) for finder in list(sys.meta_path) if finder is not cls and hasattr(finder, "find_spec"))
        spec = next(filter(None, others), None)
        if spec and spec.loader:
            spec.loader.exec_module = then_ours(spec.loader.exec_module)
        return spec


def then_ours(exec_module):
    """The function that executes the module yt and imports kyoho_yt after 4.1."""
    def both(module):
        exec_module(module)
        if getattr(module, "__version__", "").startswith("4.1."):
            import kyoho_yt  # noqa: F401, which adds its class to those that yt.load tries
    return both


sys.meta_path.insert(0, Finder)
