#!/usr/bin/env python3
"""Two networks with deadlines beside a training loop, on one GPU.

    ./run python examples/torch_deadlines.py [SECONDS]

Needs PyTorch and an NVIDIA GPU (driver for CUDA 12.4 or newer).
"""

import sys
import time

import torch
from torch import nn

import tactus.torch as tt


def convolutions(width: int) -> nn.Module:
    """Stands for your own network."""
    return nn.Sequential(
        nn.Conv2d(3, width, 7, stride=2, padding=3), nn.ReLU(),
        nn.Conv2d(width, width, 3, padding=1), nn.ReLU(),
        nn.Conv2d(width, 2 * width, 3, stride=2, padding=1), nn.ReLU(),
        nn.AdaptiveAvgPool2d(8), nn.Flatten(), nn.Linear(128 * width, 100),
    ).cuda().half().eval()  # fmt: skip


def training_step():  # type: ignore[no-untyped-def]
    model = nn.Sequential(nn.Linear(1024, 4096), nn.GELU(), nn.Linear(4096, 1024)).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, capturable=True)
    x = torch.randn(4096, 1024, device="cuda")

    def step() -> torch.Tensor:
        optimizer.zero_grad(set_to_none=True)
        loss = (model(x) - x).square().mean()
        loss.backward()
        optimizer.step()
        return loss

    return step


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 5.0
    frame = torch.randn(1, 3, 224, 224, device="cuda").half()

    session = tt.Session()
    detector = session.task("detector", period="33 ms")
    detector.gpu("net", convolutions(64), frame)
    detector.cpu("best", lambda scores: int(scores.argmax()))
    session.task("grip", period="10 ms").gpu("net", convolutions(32), frame)
    session.best_effort("train", training_step(), sms=40)

    # More runs, and pairs of enemies (the default), are for the real thing.
    session.measure(units=[8, 16, 32], runs=50, pairs=False)
    best = session.advise()
    print(f"{best.best.method}: all times may grow to {best.best.factor} of those measured")

    with session.run(best) as running:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            running.inputs("detector").put(torch.randn(1, 3, 224, 224).half())  # the camera
            found = running.outputs("detector").get(timeout=1)
    print(f"job {found.number} of the detector saw class {found.value}")
    print(running.report())


if __name__ == "__main__":
    main()
