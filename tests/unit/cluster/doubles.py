"""Objects of the module, made of what a test has doubles for."""

import inspect


def built(kind, doubles, **others):
    """Return an object of a class whose constructor takes its parts by name.

    Parameters
    ----------
    kind : type
    doubles : object
        Has parts as attributes of their names; a part that it does not have is None.
    **others
        More of them.
    """
    names = inspect.signature(kind).parameters
    assert others.keys() <= names.keys()
    return kind(**{name: others.get(name, getattr(doubles, name, None)) for name in names})
