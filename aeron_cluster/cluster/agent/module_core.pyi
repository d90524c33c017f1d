# Nothing here is seen from Python: the .pxd is its face.
