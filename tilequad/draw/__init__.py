"""Borders to the libraries that draw: `image` for Pillow, `arcade` for python-arcade."""
