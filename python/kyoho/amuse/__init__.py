"""Kyoho in AMUSE, with a worker that is ready to run: Kyoho and KyohoField. docs/amuse.md is the manual."""
try:
    import amuse.rfi.core  # noqa: F401
except ImportError as why:
    raise ImportError("kyoho.amuse needs the framework of AMUSE: install amuse-framework, or AMUSE from its source, in this "
                      "environment of Python") from why
from .interface import Kyoho, KyohoField, KyohoFieldInterface, KyohoInterface

__all__ = ["Kyoho", "KyohoField", "KyohoFieldInterface", "KyohoInterface"]
