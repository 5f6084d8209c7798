"""PyTorch, imported when it is first used."""

from __future__ import annotations

import importlib
import os
import sys
import warnings
from typing import Any, Optional

from .._problems import NotNow, TactusWarning

#: Streams of a process share this many queues to the GPU. With CUDA's own 8, networks on different
#: SMs now and then wait for each other in a queue.
_QUEUES = "CUDA_DEVICE_MAX_CONNECTIONS"


def ask_for_queues() -> None:
    """For all streams that CUDA makes from now on; too late once it is initialised."""
    os.environ.setdefault(_QUEUES, "32")


_module = sys.modules.get("torch")
_too_late = _module is not None and _module.cuda.is_initialized() and _QUEUES not in os.environ
if not _too_late:
    ask_for_queues()


def torch(gpu: Optional[bool] = None) -> Any:
    """The module `torch`; ImportError or `NotNow` say what is missing. With `gpu` it must have one."""
    global _too_late
    try:
        module: Any = importlib.import_module("torch")
    except ImportError as missing:
        raise ImportError("tactus.torch needs PyTorch (2.7 or newer, with CUDA)") from missing
    if gpu and not module.cuda.is_available():
        raise NotNow("tactus.torch needs a GPU that PyTorch can use: torch.cuda.is_available() is "
                     'false. Session(backend="cpu") tests a program without one')
    if _too_late and gpu is not False:
        _too_late = False  # said once
        warnings.warn(
            f"CUDA was in use before tactus.torch was imported, without {_QUEUES}=32: networks may "
            "wait for each other. Import tactus.torch first, or set the variable",
            TactusWarning,
            stacklevel=3,
        )
    return module
