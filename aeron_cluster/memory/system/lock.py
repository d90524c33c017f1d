"""A lock for data shared by several threads; never used in hot paths."""

from threading import RLock

__all__ = ["RLock"]
