"""An ordinary PyTorch program that knows nothing of Tactus: the same chain of layers over and over,
every result compared bit by bit with the first.   torch_loop.py SECONDS"""

import sys
import time

import torch

SECONDS = float(sys.argv[1])
torch.manual_seed(1)
x = torch.randn(2048, 2048, device="cuda")
w = torch.randn(2048, 2048, device="cuda") / 45.3


def chain():
    y = x
    for _ in range(20):
        y = torch.relu(y @ w) + 0.01 * x
    torch.cuda.synchronize()
    return y


chain()
first = chain()
count, wrong, longest = 0, 0, 0.0
start = time.time()
while time.time() - start < SECONDS:
    before = time.time()
    y = chain()
    longest = max(longest, time.time() - before)
    count += 1
    wrong += 0 if torch.equal(first, y) else 1
took = time.time() - start
print(
    f"torch_loop: torch {torch.__version__}, {count} iterations in {took:.2f} s, "
    f"{count / took:.1f} a second, longest {longest * 1e3:.2f} ms, {wrong} wrong"
)
sys.exit(1 if wrong else 0)
