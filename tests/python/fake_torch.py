"""A stand-in for PyTorch with a GPU: just enough of it for the logic of `tactus.torch`.

Tensors are lists of numbers. A graph that is captured keeps what was enqueued instead of doing it, and
does it when it is replayed, on the same memory; so static buffers work as they do on a GPU, and what
is allocated during a capture stays with it. Waiting for the GPU during a capture fails with the words
of PyTorch.
"""

import contextlib
import math
import types

SYNC = "called a synchronizing CUDA operation"


class State:
    memory = {}  #: storages by address
    capturing = None
    sync_debug = "default"
    streams = 0
    pools = []
    external = []


class Tensor:
    def __init__(self, shape, dtype="float", where="cpu", storage=None, offset=0, pinned=False):
        self.shape, self.dtype, self.where = tuple(shape), dtype, where
        self.size = math.prod(self.shape)
        self.storage = [0] * self.size if storage is None else storage
        self.offset, self.pinned = offset, pinned

        State.memory[id(self.storage)] = self.storage

    def numel(self):
        return self.size

    def element_size(self):
        return 1

    def data_ptr(self):
        return id(self.storage)

    def view(self, what):
        """As another type, or with another shape."""
        shape, dtype = (what, self.dtype) if isinstance(what, tuple) else (self.shape, what)
        return Tensor(shape, dtype, self.where, self.storage, self.offset, self.pinned)

    def clone(self):
        made = Tensor(self.shape, self.dtype, self.where)
        return made.copy_(self)

    @property
    def is_cuda(self):
        return self.where != "cpu"

    @property
    def device(self):
        return self.where

    def detach(self):
        return self

    def pin_memory(self):
        self.pinned = True
        return self

    def unsqueeze(self, at):
        assert at == 0
        return Tensor((1, *self.shape), self.dtype, self.where, self.storage, self.offset)

    def __getitem__(self, at):
        if isinstance(at, slice):
            rest = self.shape[1:]
            size = math.prod(rest)
            return Tensor((at.stop - at.start, *rest), self.dtype, self.where, self.storage,
                          self.offset + at.start * size)
        rest = self.shape[1:]
        return Tensor(rest, self.dtype, self.where, self.storage, self.offset + at * math.prod(rest))

    def numbers(self):
        return self.storage[self.offset : self.offset + self.size]

    def write(self, numbers):
        self.storage[self.offset : self.offset + self.size] = numbers

    def copy_(self, other, non_blocking=False):
        assert self.shape == other.shape, (self.shape, other.shape)
        both = self.is_cuda or other.is_cuda
        return self._do(lambda: self.write(other.numbers()), both)

    def zero_(self):
        return self._do(lambda: self.write([0] * self.size))

    def add_(self, number):
        return self._do(lambda: self.write([x + number for x in self.numbers()]))

    def index_copy_(self, at, index, source):
        assert at == 0 and source.shape[1:] == self.shape[1:]
        return self._do(lambda: self[int(index.numbers()[0])].write(source.numbers()))

    def __mul__(self, factor):
        made = Tensor(self.shape, self.dtype, self.where)
        made._do(lambda: made.write([x * factor for x in self.numbers()]))
        return made

    def __add__(self, other):
        made = Tensor(self.shape, self.dtype, self.where)
        made._do(lambda: made.write([x + y for x, y in zip(self.numbers(), other.numbers())]))
        return made

    def item(self):
        if self.is_cuda:
            if State.sync_debug == "error":
                raise RuntimeError(SYNC)
            if State.capturing is not None:
                raise RuntimeError("CUDA error: operation not permitted when stream is capturing")
        return self.numbers()[0]

    def tolist(self):
        return self.numbers()

    def _do(self, action, on_gpu=None):
        on_gpu = self.is_cuda if on_gpu is None else on_gpu
        if on_gpu and State.capturing is not None:
            State.capturing.append(action)
        else:
            action()
        return self


class Stream:
    def __init__(self, device=None, priority=0):
        self.priority = priority
        State.streams += 1

    def wait_stream(self, other):
        pass

    def synchronize(self):
        if State.capturing is not None:
            raise RuntimeError("CUDA error: operation not permitted when stream is capturing")


class CUDAGraph:
    def __init__(self, keep_graph=False):
        assert keep_graph, "the graph itself is needed"
        self.work = None

    def raw_cuda_graph(self):
        return id(self)

    def replay(self):
        for action in self.work:
            action()


class Event:
    def __init__(self, enable_timing=False):
        pass

    def record(self):
        pass

    def synchronize(self):
        pass

    def elapsed_time(self, other):
        return 2.0


@contextlib.contextmanager
def graph(graph, stream=None, capture_error_mode="global"):
    assert State.capturing is None
    State.capturing = []
    try:
        yield
        graph.work = State.capturing
    finally:
        State.capturing = None


@contextlib.contextmanager
def nothing(*_args, **_more):
    yield


def index_select(source, at, index, out):
    assert at == 0
    out._do(lambda: out.write(source[int(index.numbers()[0])].numbers()))


def remainder(x, n, out):
    out._do(lambda: out.write([value % n for value in x.numbers()]))


def tensor(numbers, dtype="float", device="cpu"):
    made = Tensor((len(numbers),), dtype, str(device))
    made.write(list(numbers))
    return made


def add(x, number, out):
    out._do(lambda: out.write([value + number for value in x.numbers()]))


def as_tensor(value, device=None):
    if hasattr(value, "__cuda_array_interface__"):  # the same memory, seen from the device
        about = value.__cuda_array_interface__
        return Tensor(about["shape"], "uint8", "cuda", State.memory[about["data"][0]])
    return value if isinstance(value, Tensor) else tensor(value)


def _set_sync_debug(mode):
    State.sync_debug = mode


class Device(str):
    index = 0

    @property
    def type(self):
        return str(self)


def module():
    """A new module `torch`, to be put into sys.modules."""
    torch = types.ModuleType("torch")
    torch.Tensor, torch.tensor, torch.as_tensor = Tensor, tensor, as_tensor
    torch.int64, torch.uint8 = "int64", "uint8"
    torch.index_select, torch.remainder, torch.add = index_select, remainder, add
    torch.__version__ = "2.99"
    torch.device = lambda kind, number=0: Device(kind.split(":")[0])
    torch.get_num_threads, torch.set_num_threads = lambda: 1, lambda number: None
    make = lambda shape, dtype="float", device="cpu", pin_memory=False: Tensor(
        shape if isinstance(shape, tuple) else (shape,), dtype, str(device), pinned=pin_memory)
    torch.empty = torch.zeros = make
    torch.arange = lambda n, dtype: tensor(range(n), dtype)
    torch.no_grad = torch.enable_grad = nothing
    torch.cuda = types.SimpleNamespace(
        device_count=lambda: 1, get_device_name=lambda device: "fake GPU",
        is_available=lambda: True, is_initialized=lambda: False, current_device=lambda: 0, current_stream=lambda device=None: Stream(),
        Stream=Stream, stream=nothing, device=nothing, synchronize=lambda device=None: None,
        CUDAGraph=CUDAGraph, graph=graph, Event=Event,
        get_sync_debug_mode=lambda: 0, set_sync_debug_mode=_set_sync_debug,
        MemPool=lambda: State.pools.append("pool") or "pool", use_mem_pool=nothing,
        ExternalStream=lambda handle, device=None: State.external.append(handle) or Stream(),
        get_device_properties=lambda device: types.SimpleNamespace(multi_processor_count=16),
    )  # fmt: skip
    return torch
