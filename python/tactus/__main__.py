"""`python -m tactus VERB ...`: the command line."""

from ._programs import tactus

tactus()
