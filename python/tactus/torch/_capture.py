"""Modules as CUDA graphs with static buffers."""

from __future__ import annotations

import contextlib
import warnings
from typing import Any, Callable, Iterator, List, Optional, Sequence

from .._problems import Problem, TactusError
from ._buffers import Copies, InputSlots, Mapped, OutputRing, static_copy
from ._lazy import torch
from ._trees import Rebuild, flatten

#: Runs before anything is captured or measured: lazy initialisation, autotuning of cuDNN and Triton,
#: `torch.compile`, and TorchScript's profiling runs.
WARM_UP = 5


class CaptureError(TactusError):
    """A module cannot be captured as a CUDA graph; the message has PyTorch's reason and what can be
    done. ``reason`` is what PyTorch says."""

    def __init__(self, what: str, cause: BaseException) -> None:
        self.reason = _first_line(_root(cause))
        hint = (
            "A captured graph cannot wait for a value on the CPU: `.item()`, `.cpu()`, `if` and "
            "`print` of a tensor, masks as indices. Ways out: do that part in a function behind it "
            "(`.cpu(name, function)`), or enqueue only the part without it (`.gpu_stream(name, "
            "function)`)"
        )
        if "cudagraph" in self.reason.lower():
            hint = "Compile it without mode='reduce-overhead', which captures graphs of its own"
        super().__init__(
            [Problem(f"{what} cannot be captured as a CUDA graph. PyTorch says: {self.reason}. {hint}")]
        )


def _root(error: BaseException) -> BaseException:
    """What went wrong first: the end of a failed capture fails too."""
    seen = error
    while seen.__context__ is not None and seen.__cause__ is None:
        seen = seen.__context__
    return seen.__cause__ or seen


def _first_line(error: BaseException) -> str:
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0].rstrip(".")


@contextlib.contextmanager
def _synchronizing_is_an_error() -> Iterator[None]:
    """So a module that waits is found before a capture fails, which PyTorch recovers from badly."""
    t = torch()
    before = t.cuda.get_sync_debug_mode()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that this does not find everything: the capture does
        t.cuda.set_sync_debug_mode("error")
    try:
        yield
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            t.cuda.set_sync_debug_mode(before)


class Piece:
    """What a GPU node does for one job: takes its inputs, calls the module, keeps its outputs."""

    def __init__(
        self,
        what: str,
        function: Callable[..., Any],
        inputs: Sequence[Any],
        device: Any,
        *,
        grad: bool = False,
        warm_up: int = WARM_UP,
        priority: int = 0,
    ) -> None:
        t = torch()
        for number, x in enumerate(inputs):
            if not isinstance(x, t.Tensor):
                raise TypeError(
                    f"input {number} of {what} is a {type(x).__name__}; inputs are tensors"
                )
        self.what, self.function, self.device, self.grad = what, function, device, grad
        self.inputs: List[Any] = list(inputs)  #: static, on the device
        self.slots: Optional[InputSlots] = None
        self.host_inputs: Optional[List[Mapped]] = None
        self.ring: Optional[OutputRing] = None
        self.host_outputs: Optional[List[Mapped]] = None
        self._copies = Copies(device)
        self.stream = t.cuda.Stream(device, priority=priority)
        self.pools: List[Any] = []  # of what was captured in a partition
        self.graph: Any = None
        self.outputs: List[Any] = []  #: static, on the device
        self._rebuild: Rebuild = next
        self._try(max(warm_up, 1))

    def rebuilt(self, leaves: Sequence[Any]) -> Any:
        """Values in the structure that the module returns."""
        return self._rebuild(iter(leaves))

    def _call(self) -> Any:
        t = torch()
        with t.enable_grad() if self.grad else t.no_grad():
            return self.function(*self.inputs)

    def _try(self, warm_up: int) -> None:
        """Runs it until everything lazy has been done, and learns what it returns."""
        t = torch()
        self.stream.wait_stream(t.cuda.current_stream(self.device))
        with t.cuda.device(self.device), t.cuda.stream(self.stream):
            for _ in range(warm_up):
                made = self._call()
            self.stream.synchronize()
            try:
                with _synchronizing_is_an_error():
                    made = self._call()
            except RuntimeError as error:
                raise CaptureError(self.what, error) from error
            found, self._rebuild = flatten(made)
            for x in found:
                if not isinstance(x, t.Tensor):
                    raise TypeError(
                        f"{self.what} returns a {type(x).__name__}; tensors, and tuples, lists and "
                        "dicts of tensors can be kept"
                    )
            self.outputs = [static_copy(x, self.device) for x in found]
            del made, found
        self.stream.synchronize()

    # -- where data comes from and goes to; before the capture

    def take_newest(self) -> None:
        self.slots = InputSlots(self.inputs, self.device)

    def take_from_host(self) -> None:
        self.host_inputs = self._mapped(self.inputs)

    def _mapped(self, tensors: Sequence[Any]) -> List[Mapped]:
        made = [Mapped(x, self.device) for x in tensors]
        for mapped, x in zip(made, tensors):
            mapped.host.copy_(x)
        return made

    def keep_outputs(self) -> None:
        self.ring = OutputRing(self.outputs, self.device)

    def give_to_host(self) -> None:
        self.host_outputs = self._mapped(self.outputs)

    # -- the work

    def enqueue(self) -> None:
        """One job, on the current stream."""
        t = torch()
        with t.no_grad():
            if self.slots is not None:
                self.slots.enqueue(self.inputs)
            for x, mapped in zip(self.inputs, self.host_inputs or ()):
                self._copies.copy(x, mapped.device)
        made, _ = flatten(self._call())
        with t.no_grad():
            for x, y in zip(self.outputs, made):
                self._copies.copy(x, y)
            if self.ring is not None:
                self.ring.enqueue(self.outputs)
            for mapped, x in zip(self.host_outputs or (), self.outputs):
                self._copies.copy(mapped.device, x)

    def enqueue_on(self, handle: int) -> None:
        """The same on a stream of a partition, which is being captured: memory that the module
        allocates meanwhile belongs to the graph."""
        t = torch()
        with t.cuda.device(self.device):
            pool = t.cuda.MemPool()
            self.pools.append(pool)
            stream = t.cuda.ExternalStream(handle, device=self.device)
            with t.cuda.stream(stream), t.cuda.use_mem_pool(pool):
                self.enqueue()

    def capture(self) -> int:
        """The address of its graph, which is captured now."""
        t = torch()
        if self.graph is None:
            graph = t.cuda.CUDAGraph(keep_graph=True)
            t.cuda.synchronize(self.device)
            try:
                with t.cuda.device(self.device):
                    with t.cuda.graph(
                        graph, stream=self.stream, capture_error_mode="thread_local"
                    ):
                        self.enqueue()
            except RuntimeError as error:
                raise CaptureError(self.what, error) from error
            self.graph = graph
        return int(self.graph.raw_cuda_graph())


class Captured:
    """A module as a CUDA graph, to be launched by yourself: in a process of its own under the
    arbiter, or to compare. `inputs` and `outputs` are the static tensors on the device."""

    def __init__(self, piece: Piece) -> None:
        self._piece = piece
        piece.capture()

    @property
    def inputs(self) -> List[Any]:
        """What the graph reads; write into them in place (``copy_``)."""
        return self._piece.inputs

    @property
    def outputs(self) -> Any:
        """What the graph writes, in the structure that the module returns."""
        return self._piece.rebuilt(self._piece.outputs)

    @property
    def graph(self) -> Any:
        """The `torch.cuda.CUDAGraph`."""
        return self._piece.graph

    def replay(self) -> None:
        """Launches it on the current stream; does not wait."""
        self._piece.graph.replay()

    def __call__(self, *values: Any) -> Any:
        """Copies the values to the inputs, runs the graph, waits for it, and returns the outputs."""
        t = torch()
        if len(values) != len(self.inputs):
            raise ValueError(f"{len(self.inputs)} inputs are needed, not {len(values)}")
        with t.no_grad():
            for to, value in zip(self.inputs, values):
                to.copy_(value, non_blocking=True)
        self.replay()
        t.cuda.current_stream(self._piece.device).synchronize()
        return self.outputs


def capture(
    module: Callable[..., Any],
    *examples: Any,
    grad: bool = False,
    device: Any = None,
    warm_up: int = WARM_UP,
    priority: int = 0,
) -> Captured:
    """Captures a module (eager, compiled or TorchScript), called with tensors like the examples, as
    a CUDA graph; `CaptureError` has PyTorch's reason where that is not possible. With `grad` it may
    be a whole training step. `priority` is that of its kernels (as of streams: lower is more urgent):
    PyTorch replays a graph with the priority of the stream on which it was captured, whatever the
    stream of the replay."""
    t = torch()
    on = t.device("cuda", t.cuda.current_device()) if device is None else t.device(device)
    static = [static_copy(x, on) if isinstance(x, t.Tensor) else x for x in examples]
    return Captured(Piece("the module", module, static, on, grad=grad, warm_up=warm_up, priority=priority))
