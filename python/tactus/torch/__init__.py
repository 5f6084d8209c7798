"""PyTorch modules with deadlines: captured, measured, proved, and run beside each other.

::

    import tactus.torch as tt

    session = tt.Session()                                  # this GPU
    detector = session.task("detector", period="33 ms")
    detector.gpu("net", model, example)                     # captured as a CUDA graph
    detector.cpu("post", nms)                               # any Python function
    session.best_effort("train", step)
    session.measure(units=[8, 16, 32, 64])                  # beside enemies
    best = session.advise()
    with session.run(best) as running:
        running.inputs("detector").put(frame)
        boxes = running.outputs("detector").get().value
    print(running.report())

PyTorch is imported when a `Session` is made, or a module captured. GPU work is launched and watched
by threads of the library that never take the GIL; Python functions on CPU nodes take it.
docs/use/python.md is the tutorial.
"""

from ._capture import Captured, CaptureError, capture
from ._flow import Full, Output
from ._running import Inputs, Outputs, Running
from ._session import Session, Task

__all__ = [
    "Session", "Task", "Running", "Inputs", "Outputs", "Output", "Full", "capture", "Captured",
    "CaptureError",
]  # fmt: skip
