"""PyTorch, imported when it is first used."""

from __future__ import annotations

import importlib
from typing import Any


def torch() -> Any:
    """The module `torch`, with CUDA; ImportError or RuntimeError say what is missing."""
    try:
        module: Any = importlib.import_module("torch")
    except ImportError as missing:
        raise ImportError("tactus.torch needs PyTorch (2.7 or newer, with CUDA)") from missing
    if not module.cuda.is_available():
        raise RuntimeError("tactus.torch needs a GPU that PyTorch can use: torch.cuda.is_available()"
                           " is false")
    return module
