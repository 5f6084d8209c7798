"""Modules as CUDA graphs with static buffers."""

from __future__ import annotations

import contextlib
import time
import warnings
from typing import Any, Callable, Iterator, List, Mapping, Optional, Sequence

from .._problems import Problem, TactusError, invalid
from ._buffers import PLACES, Copies, InputSlots, Mapped, OutputRing, static_copy
from ._lazy import torch
from ._place import Gpu, Place
from ._trees import Rebuild, flatten, structure

#: Runs before anything is captured or measured: lazy initialisation, autotuning of cuDNN and Triton,
#: `torch.compile`, and TorchScript's profiling runs.
WARM_UP = 5


class WrongType(TactusError, TypeError):
    """A value of a type that cannot be used here."""

    def __init__(self, message: str) -> None:
        super().__init__([Problem(message)])


def gpu(device: Any) -> Gpu:
    """A device as PyTorch names it (by default the current one), which must be there."""
    t = torch(gpu=True)
    number = t.cuda.current_device() if device is None else None
    if number is None:
        try:
            named = t.device("cuda", device) if isinstance(device, int) else t.device(device)
        except RuntimeError as error:
            raise invalid(f"{device!r} is no device: {_first_line(error)}") from None
        if named.type != "cuda":
            raise invalid(f'{device!r} is no GPU; Session(backend="cpu") works without one')
        number = named.index if named.index is not None else t.cuda.current_device()
    if number >= t.cuda.device_count():
        raise invalid(f"there is no GPU {number}; PyTorch has {t.cuda.device_count()}")
    return Gpu(t.device("cuda", number))


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
        if "capturable" in self.reason.lower():
            hint = "Make the optimizer with capturable=True"
        elif "cudagraph" in self.reason.lower() or "reduce-overhead" in self.reason.lower():
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


class Call:
    """A module with example arguments, called with other tensors in their places. What is no tensor
    (numbers, texts) stays as it was."""

    def __init__(
        self,
        what: str,
        function: Callable[..., Any],
        examples: Sequence[Any],
        named: Mapping[str, Any],
        place: Place,
    ) -> None:
        t = torch()
        self._what, self.function = what, function
        self._leaves, self._rebuild = flatten((tuple(examples), dict(named)))
        self._structure = structure((tuple(examples), dict(named)))
        self._leaves = [t.as_tensor(x) if hasattr(x, "__array__") else x for x in self._leaves]
        self._tensors = [at for at, x in enumerate(self._leaves) if isinstance(x, t.Tensor)]
        self.static = [static_copy(self._leaves[at], place.device) for at in self._tensors]

    def __call__(self, *tensors: Any) -> Any:
        leaves = list(self._leaves)
        for at, x in zip(self._tensors, tensors):
            leaves[at] = x
        examples, named = self._rebuild(iter(leaves))
        return self.function(*examples, **named)

    def tensors_of(self, values: Sequence[Any], named: Mapping[str, Any]) -> List[Any]:
        """The tensors among other arguments of the same structure."""
        given = (tuple(values), dict(named))
        if structure(given) != self._structure:
            raise invalid(
                f"{self._what} needs inputs like its examples, {self._structure}, not {structure(given)}"
            )
        leaves, _ = flatten(given)
        return [leaves[at] for at in self._tensors]


class Piece:
    """What a GPU node does for one job: takes its inputs, calls the module, keeps its outputs."""

    def __init__(
        self,
        what: str,
        function: Callable[..., Any],
        inputs: Sequence[Any],
        place: Place,
        *,
        grad: bool = False,
        warm_up: int = WARM_UP,
        priority: int = 0,
    ) -> None:
        self.what, self.function, self.place, self.grad = what, function, place, grad
        self.inputs: List[Any] = list(inputs)  #: static, on the device
        self.slots: Optional[InputSlots] = None
        self.host_inputs: Optional[List[Mapped]] = None
        self.ring: Optional[OutputRing] = None
        self.host_outputs: Optional[List[Mapped]] = None
        self._copies = Copies(place.device)
        self.stream = place.stream(priority)
        self.pools: List[Any] = []  # of what was captured in a partition
        self.graph: Any = None
        self.outputs: List[Any] = []  #: static, on the device
        self._rebuild: Rebuild = next
        self._try(max(warm_up, 1))
        if place.pinned:
            self._captured_by(self._call)  # what cannot be captured is found now, not in a run

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
        self.stream.wait_stream(self.place.current())
        with self.place.on(self.stream):
            for _ in range(warm_up):
                made = self._call()
            self.stream.synchronize()
            if self.place.pinned:
                try:
                    with _synchronizing_is_an_error():
                        made = self._call()
                except RuntimeError as error:
                    raise CaptureError(self.what, error) from error
            found, self._rebuild = flatten(made)
            for x in found:
                if not isinstance(x, t.Tensor):
                    raise WrongType(
                        f"{self.what} returns a {type(x).__name__}; tensors, and tuples, lists and "
                        "dicts of tensors can be kept"
                    )
            self.outputs = [static_copy(x, self.place.device) for x in found]
            del made, found
        self.stream.synchronize()

    # -- where data comes from and goes to; before the capture

    def take_inputs(self, queue: Optional[int]) -> None:
        """Each job takes the newest input, or, with a queue, the next one."""
        if queue is None:
            self.slots = InputSlots(self.inputs, self.place)
        else:
            self.slots = InputSlots(self.inputs, self.place, in_order=True, places=queue + PLACES)

    def take_from_host(self) -> None:
        self.host_inputs = self._mapped(self.inputs)

    def _mapped(self, tensors: Sequence[Any]) -> List[Mapped]:
        made = [Mapped(x, self.place) for x in tensors]
        for mapped, x in zip(made, tensors):
            mapped.host.copy_(x)
        return made

    def keep_outputs(self, taken: Any, queue: Optional[int]) -> None:
        """For whoever reads them, with the number of the input."""
        places = PLACES if queue is None else queue + PLACES
        self.ring = OutputRing(self.outputs, self.place, taken=taken, places=places)

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
        if not self.place.pinned:
            return self.enqueue()
        cuda = torch().cuda
        with self.place.on(self.place.external(handle)):
            pool = cuda.MemPool()
            self.pools.append(pool)
            with cuda.use_mem_pool(pool):
                self.enqueue()

    def capture(self) -> int:
        """The address of its graph, which is captured now."""
        if self.graph is None:
            self.graph = self._captured_by(self.enqueue)
        return int(self.graph.raw_cuda_graph())

    def milliseconds(self) -> float:
        """How long it takes now, once."""
        if not self.place.pinned:
            begin = time.perf_counter()
            self.enqueue()
            return (time.perf_counter() - begin) * 1000
        cuda = torch().cuda
        first, last = cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
        first.record()
        self.graph.replay()
        last.record()
        last.synchronize()
        return float(first.elapsed_time(last))

    def _captured_by(self, work: Callable[[], Any]) -> Any:
        cuda = torch().cuda
        graph = cuda.CUDAGraph(keep_graph=True)
        self.place.synchronize()
        try:
            with cuda.device(self.place.device):
                with cuda.graph(graph, stream=self.stream, capture_error_mode="thread_local"):
                    work()
        except RuntimeError as error:
            raise CaptureError(self.what, error) from error
        return graph


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
            raise invalid(f"{len(self.inputs)} inputs are needed, not {len(values)}")
        with t.no_grad():
            for to, value in zip(self.inputs, values):
                to.copy_(value, non_blocking=True)
        self.replay()
        self._piece.place.current().synchronize()
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
    place = gpu(device)
    call = Call("the module", module, examples, {}, place)
    return Captured(
        Piece("the module", call, call.static, place, grad=grad, warm_up=warm_up, priority=priority)
    )
