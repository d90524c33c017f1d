"""Every message and file header, generated from the schemas kept here; channel URIs."""
