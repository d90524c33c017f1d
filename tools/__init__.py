"""Generators and checks for developers; the package never imports them."""
