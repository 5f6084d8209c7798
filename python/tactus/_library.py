"""libtactus.so by ctypes: found, loaded, and each function with its types."""

from __future__ import annotations

import ctypes
import os
import pathlib
import threading
from typing import Any, Callable, Optional, Sequence, Union

_HERE = pathlib.Path(__file__).resolve().parent


#: What the names of the libraries end with where a system has them in one place for all programs.
_INTERFACE = "0"


def library_path(name: str, variable: str) -> str:
    """Where a library is: named by the environment, beside the package (in a wheel), in the build
    folder of the source tree, or where the system keeps its libraries (Debian's packages)."""
    named = os.environ.get(variable)
    places = [pathlib.Path(named)] if named else []
    places += [_HERE / "lib" / name, _HERE.parent.parent / "build" / name]
    for place in places:
        if place.is_file():
            return str(place)
    of_system = f"{name}.{_INTERFACE}"
    try:
        ctypes.CDLL(of_system)
    except OSError:
        raise ImportError(
            f"{name} was not found; build it (./run --version), or let {variable} name it. Looked for: "
            + ", ".join([str(place) for place in places] + [of_system])
        ) from None
    return of_system


Progress = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_void_p)
CpuFunction = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
AnswerFunction = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p)
EnqueueFunction = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)


class Overrun(ctypes.Structure):
    """`tactus_overrun`."""

    _fields_ = [
        ("task", ctypes.c_char_p), ("node", ctypes.c_char_p), ("job", ctypes.c_uint32),
        ("limit_ns", ctypes.c_int64), ("took_ns", ctypes.c_int64),
    ]  # fmt: skip


class JobRecord(ctypes.Structure):
    """`tactus_session_job`."""

    _fields_ = [
        ("task", ctypes.c_uint32), ("job", ctypes.c_uint32), ("state", ctypes.c_uint32),
        ("lost", ctypes.c_uint32), ("release_ns", ctypes.c_int64), ("end_ns", ctypes.c_int64),
        ("origin_ns", ctypes.c_int64),
    ]  # fmt: skip


OverrunFunction = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Overrun), ctypes.c_void_p)

_text = ctypes.c_char_p
_handle = ctypes.c_void_p
_FUNCTIONS: "dict[str, tuple[Any, list[Any]]]" = {
    "tactus_version": (_text, []),
    "tactus_answer_status": (ctypes.c_int, [_handle]),
    "tactus_answer_document": (_text, [_handle]),
    "tactus_answer_problems": (_text, [_handle]),
    "tactus_answer_free": (None, [_handle]),
    "tactus_call_new": (_handle, []),
    "tactus_call_on_progress": (None, [_handle, Progress, ctypes.c_void_p]),
    "tactus_call_cancel": (None, [_handle]),
    "tactus_call_free": (None, [_handle]),
    "tactus_check": (_handle, [_text, _text]),
    "tactus_canonical": (_handle, [_text, _text]),
    "tactus_analyze": (_handle, [_text, _text, _handle]),
    "tactus_slack": (_handle, [_text, _text, _handle]),
    "tactus_advise": (_handle, [_text, _text, _handle]),
    "tactus_reserve_dry": (_handle, [_text, _text, _handle]),
    "tactus_plan": (_handle, [_text, _text, _handle]),
    "tactus_check_plan": (_handle, [_text, _text, _text]),
    "tactus_deploy": (_handle, [_text, _text]),
    "tactus_doctor": (_handle, [_text, _text]),
    "tactus_simulate": (_handle, [_text, _text, _handle]),
    "tactus_validate": (_handle, [_text, _handle]),
    "tactus_generate": (_handle, [_text]),
    "tactus_init": (_handle, [_text]),
    "tactus_import": (_handle, [_text, _text]),
    "tactus_export": (_handle, [_text, _text]),
    "tactus_methods": (_handle, [_text]),
    "tactus_recipes": (_handle, []),
    "tactus_profiles": (_handle, []),
    "tactus_add_method": (_handle, [_text, AnswerFunction, ctypes.c_void_p]),
    "tactus_reply_set": (None, [_handle, _text]),
    "tactus_html": (_handle, [_text, _text, _text]),
    "tactus_session_open": (_handle, [_text, _text, _handle, ctypes.POINTER(_handle)]),
    "tactus_session_bind_cpu": (_handle, [_handle, _text, _text, CpuFunction, _handle]),
    "tactus_session_bind_graph": (_handle, [_handle, _text, _text, _handle]),
    "tactus_session_bind_stream": (_handle, [_handle, _text, _text, EnqueueFunction, _handle]),
    "tactus_session_bind_callbacks": (
        _handle,
        [_handle, _text, _text, CpuFunction, CpuFunction, _handle],
    ),
    "tactus_session_bind_copy": (
        _handle,
        [_handle, _text, _text, _handle, _handle, ctypes.c_size_t],
    ),
    "tactus_session_measure": (_handle, [_handle, _text, _handle]),
    "tactus_session_run": (_handle, [_handle, _text]),
    "tactus_session_stop": (None, [_handle]),
    "tactus_session_report": (_handle, [_handle]),
    "tactus_session_metrics": (_handle, [_handle]),
    "tactus_session_close": (None, [_handle]),
    "tactus_session_on_arrival": (_handle, [_handle, _text, ctypes.c_uint32]),
    "tactus_session_arrive": (ctypes.c_int64, [_handle, _text, ctypes.c_int64]),
    "tactus_session_on_overrun": (_handle, [_handle, OverrunFunction, _handle]),
    "tactus_session_jobs": (
        ctypes.c_int64,
        [_handle, ctypes.POINTER(JobRecord), ctypes.c_size_t, ctypes.c_int],
    ),
}

_loading = threading.Lock()
_loaded: Optional[ctypes.CDLL] = None


def library() -> ctypes.CDLL:
    """The library; loaded when it is first used."""
    global _loaded
    with _loading:
        if _loaded is None:
            found = ctypes.CDLL(library_path("libtactus.so", "TACTUS_LIBRARY"))
            for name, (result, arguments) in _FUNCTIONS.items():
                function = getattr(found, name)
                function.restype = result
                function.argtypes = arguments
            _loaded = found
    return _loaded


#: A text, a handle, or nothing.
Argument = Union[str, int, None]


class Answer:
    """How a question turned out: status, document, problems."""

    YES, NO, BAD_INPUT, UNKNOWN = range(4)

    def __init__(self, handle: Optional[int]) -> None:
        lib = library()
        try:
            self.status: int = lib.tactus_answer_status(handle)
            document: Optional[bytes] = lib.tactus_answer_document(handle)
            self.document: Optional[str] = None if document is None else document.decode()
            self.problems: str = lib.tactus_answer_problems(handle).decode()
        finally:
            lib.tactus_answer_free(handle)


def ask(name: str, *arguments: Optional[str]) -> Answer:
    """Calls a function that takes texts. The GIL is released meanwhile."""
    function: Callable[..., Optional[int]] = getattr(library(), name)
    return Answer(function(*(None if a is None else a.encode() for a in arguments)))


def ask_with_call(name: str, call: Optional[int], arguments: Sequence[Argument]) -> Answer:
    """The same for a function whose last argument is a `tactus_call`; it may take handles too."""
    function: Callable[..., Optional[int]] = getattr(library(), name)
    plain = (a.encode() if isinstance(a, str) else a for a in arguments)
    return Answer(function(*plain, call))
