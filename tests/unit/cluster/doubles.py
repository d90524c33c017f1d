"""Objects of the module, built with doubles."""

import inspect


def built(kind, doubles, **others):
    """Return an object of a class whose constructor takes its parts by name.

    Parameters
    ----------
    kind : type
        The class.
    doubles : object
        Has the parts as attributes; a missing part is None.
    **others
        Further parts.
    """
    names = inspect.signature(kind).parameters
    assert others.keys() <= names.keys()
    return kind(**{name: others.get(name, getattr(doubles, name, None)) for name in names})
