"""A lock for books that several threads keep; no hot path takes one."""

from threading import RLock

__all__ = ["RLock"]
