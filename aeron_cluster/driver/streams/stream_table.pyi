# Not usable from Python: its interface is the .pxd.
