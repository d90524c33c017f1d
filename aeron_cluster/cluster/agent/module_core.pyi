# Nothing here is visible in Python: the .pxd is its interface.
