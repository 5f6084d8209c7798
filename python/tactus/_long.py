"""Long calls: progress is shown, and Ctrl-C ends them early with what they have."""

from __future__ import annotations

import atexit
import contextlib
import importlib
import os
import sys
import threading
from types import TracebackType
from typing import Any, Callable, Iterator, List, Optional, Sequence, Set, Type, Union

from . import _library
from ._library import Answer
from ._problems import NoAnswer, Problem

#: ``True`` or ``False``, or a function that is called with every line.
ShowProgress = Union[bool, Callable[[str], None], None]


class _Line:
    """Shows the newest line: by tqdm where it is installed, else on the terminal itself."""

    def __init__(self) -> None:
        self._bar: Any = None
        self._wide = 0
        try:
            tqdm = importlib.import_module("tqdm.auto").tqdm
            self._bar = tqdm(total=0, bar_format="{desc}", leave=False)
        except ImportError:
            pass

    def show(self, text: str) -> None:
        if self._bar is not None:
            self._bar.set_description_str(text)
        else:
            sys.stderr.write("\r" + text.ljust(self._wide))
            sys.stderr.flush()
            self._wide = len(text)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
        elif self._wide:
            sys.stderr.write("\r" + " " * self._wide + "\r")


@contextlib.contextmanager
def shown_line(progress: ShowProgress) -> Iterator[Callable[[str], None]]:
    """Shows lines, one in place of the other; or gives them to the caller's function."""
    if callable(progress):
        yield progress
        return
    line = _Line()
    try:
        yield line.show
    finally:
        line.close()


def _shown_by_default() -> bool:
    try:
        return os.isatty(sys.stderr.fileno()) or "ipykernel" in sys.modules
    except (AttributeError, OSError, ValueError):
        return "ipykernel" in sys.modules


_calls: "Set[_Call]" = set()
_calls_change = threading.Condition()
_ending = False

#: How long the end of the program waits for a method of one's own that does not return.
_LAST_PATIENCE_S = 30.0


def _end_all() -> None:
    """Python ends threads that ask for it while it ends, in the middle of the library, which aborts
    the process: so no call may be under way by then."""
    global _ending
    with _calls_change:
        _ending = True
        for call in _calls:
            call.cancel()
        _calls_change.wait_for(lambda: not _calls, _LAST_PATIENCE_S)


def _forget_calls_of_parent() -> None:
    global _calls_change
    _calls_change = threading.Condition()
    _calls.clear()


atexit.register(_end_all)
os.register_at_fork(after_in_child=_forget_calls_of_parent)


class _Call:
    """A `tactus_call`, with the progress that it tells."""

    def __init__(self, progress: ShowProgress) -> None:
        self.handle: Optional[int] = _library.library().tactus_call_new()
        self._line: Optional[_Line] = None
        show: Optional[Callable[[str], None]] = None
        if callable(progress):
            show = progress
        elif progress or (progress is None and _shown_by_default()):
            self._line = _Line()
            show = self._line.show
        self._keep: Any = None  # the callback must live as long as the call
        if show is not None:
            tell = show

            def told(text: bytes, _data: Any) -> None:
                tell(text.decode(errors="replace"))

            self._keep = _library.Progress(told)
            _library.library().tactus_call_on_progress(self.handle, self._keep, None)
        with _calls_change:
            if not _ending:
                _calls.add(self)
                return
        _library.library().tactus_call_free(self.handle)
        raise RuntimeError("the program is ending: nothing can be asked any more")

    def cancel(self) -> None:
        _library.library().tactus_call_cancel(self.handle)

    def __enter__(self) -> "_Call":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        with _calls_change:
            _calls.discard(self)
            _calls_change.notify_all()
        _library.library().tactus_call_free(self.handle)
        if self._line is not None:
            self._line.close()


def ask_long(
    name: str, arguments: Sequence[_library.Argument], progress: ShowProgress
) -> "tuple[Answer, bool]":
    """Asks, and says whether the user interrupted it (then the answer holds what was found)."""
    call = _Call(progress)
    if threading.current_thread() is not threading.main_thread():
        with call:
            return _library.ask_with_call(name, call.handle, arguments), False

    # Only the main thread sees Ctrl-C, and only between two steps of Python: so another one asks.
    answers: List[Answer] = []
    errors: List[BaseException] = []
    done = threading.Event()

    def work() -> None:
        try:
            with call:
                answers.append(_library.ask_with_call(name, call.handle, arguments))
        except BaseException as error:  # told to the caller
            errors.append(error)
        finally:
            done.set()

    threading.Thread(target=work, name=name, daemon=True).start()
    interrupted = False
    while not done.is_set():
        try:
            done.wait(0.1)
        except KeyboardInterrupt:
            if interrupted or done.is_set():
                raise  # the second time it is meant for the program
            interrupted = True
            call.cancel()
    if errors:
        raise errors[0]
    return answers[0], interrupted


def interrupted_without_answer() -> NoAnswer:
    return NoAnswer([Problem("interrupted before there was an answer")])
