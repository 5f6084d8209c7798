"""What a captured CUDA graph consists of, as the driver tells it."""

from __future__ import annotations

import ctypes
import pathlib
import re
from typing import Any, List, Optional

_KERNEL = 0  #: CUgraphNodeType
_VERSION = pathlib.Path("/proc/driver/nvidia/version")


class _KernelNode(ctypes.Structure):
    """CUDA_KERNEL_NODE_PARAMS_v2."""

    _fields_ = [
        ("function", ctypes.c_void_p), ("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3),
        ("shared_bytes", ctypes.c_uint), ("parameters", ctypes.c_void_p), ("extra", ctypes.c_void_p),
        ("kernel", ctypes.c_void_p), ("context", ctypes.c_void_p),
    ]  # fmt: skip


def driver_version() -> str:
    """Of the kernel's driver."""
    try:
        found = re.search(r"\b(\d+\.\d+(\.\d+)?)\b", _VERSION.read_text(encoding="utf-8"))
    except OSError:
        found = None
    return found.group(1) if found else "unknown"


def nodes_of(graph: int, library: Any = None) -> List[Any]:
    """The kernels (name, grid, block, shared memory) and the types of other nodes, in the driver's order.
    Empty where the driver does not tell."""
    try:
        cuda = ctypes.CDLL("libcuda.so.1") if library is None else library
        count = ctypes.c_size_t()
        if cuda.cuGraphGetNodes(ctypes.c_void_p(graph), None, ctypes.byref(count)):
            return []
        nodes = (ctypes.c_void_p * count.value)()
        if cuda.cuGraphGetNodes(ctypes.c_void_p(graph), nodes, ctypes.byref(count)):
            return []
        return [_node(cuda, ctypes.c_void_p(node)) for node in nodes]
    except (OSError, AttributeError):
        return []


def _node(cuda: Any, node: ctypes.c_void_p) -> Any:
    kind = ctypes.c_int(-1)
    cuda.cuGraphNodeGetType(node, ctypes.byref(kind))
    if kind.value != _KERNEL:
        return kind.value
    seen = _KernelNode()
    if cuda.cuGraphKernelNodeGetParams_v2(node, ctypes.byref(seen)):
        return kind.value
    return [_name(cuda, seen), list(seen.grid), list(seen.block), seen.shared_bytes]


def _name(cuda: Any, seen: _KernelNode) -> Optional[str]:
    name = ctypes.c_char_p()
    ask, handle = (
        ("cuFuncGetName", seen.function) if seen.function else ("cuKernelGetName", seen.kernel)
    )
    try:
        if not handle or getattr(cuda, ask)(ctypes.byref(name), ctypes.c_void_p(handle)):
            return None
    except AttributeError:  # before CUDA 12.3
        return None
    return None if name.value is None else name.value.decode(errors="replace")
