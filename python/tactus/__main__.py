"""`python -m tactus VERB ...`: the command line."""

from ._programs import tactus

if __name__ == "__main__":
    tactus()
