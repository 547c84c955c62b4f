"""Tests of the package: python3 -m unittest discover -s python/tests -t python, with HEARSAY naming the program."""
