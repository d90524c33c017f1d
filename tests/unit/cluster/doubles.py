"""Creates objects of the consensus module with test doubles of their parts."""

import inspect


def create_with_doubles(kind, doubles, **others):
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
