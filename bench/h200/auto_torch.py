"""Ordinary PyTorch programs that know nothing of Tactus.

    auto_torch.py eager|compile|graph|decoder SECONDS     every 20 ms a job; each result is compared bit by bit with
                                                          the first; writes a line of JSON
    auto_torch.py train FILE                              trains without end; FILE gets a line per step: seconds, loss
"""

import json
import sys
import time

import torch

kind, argument = sys.argv[1:3]
torch.manual_seed(1)
torch.backends.cudnn.benchmark = False


def resnet():
    from torchvision.models import resnet50

    return resnet50().cuda()


def train():
    model, loss_of = resnet(), torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    images = torch.randn(64, 3, 224, 224, device="cuda")
    labels = torch.randint(0, 1000, (64,), device="cuda")
    with open(argument, "w", buffering=1) as out:
        while True:
            optimizer.zero_grad(set_to_none=True)
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = loss_of(model(images), labels)
            loss.backward()
            optimizer.step()
            out.write(f"{time.monotonic()} {loss.item()}\n")


class Decoder:
    """One layer of attention with a cache, 16 tokens a job; each token is looked at on the host."""

    def __init__(self):
        size = 1024
        self.weights = [torch.randn(size, size, device="cuda", dtype=torch.float16) / 40 for _ in range(24)]
        self.words = torch.randn(2048, size, device="cuda", dtype=torch.float16) / 30
        self.keys = torch.zeros(64, size, device="cuda", dtype=torch.float16)
        self.values = torch.zeros_like(self.keys)

    def __call__(self):
        token, said = 7, []
        for place in range(16):
            x = self.words[token]
            for i in range(0, 24, 4):
                q, k, v, o = (x @ w for w in self.weights[i : i + 4])
                self.keys[place], self.values[place] = k, v
                seen = torch.softmax(self.keys[: place + 1] @ q / 32, 0) @ self.values[: place + 1]
                x = torch.nn.functional.layer_norm((x + torch.tanh(o + seen)).float(), (1024,)).half()
            token = int((self.words @ x).argmax().item())
            said.append(token)
        return torch.tensor(said)


def make():
    if kind == "decoder":
        return Decoder()
    model = resnet().eval().half()
    image = torch.randn(1, 3, 224, 224).half().pin_memory()
    if kind == "compile":
        model = torch.compile(model)
    if kind != "graph":

        def job():
            return model(image.cuda(non_blocking=True)).cpu()

        return job
    there = image.cuda()
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for _ in range(3):
            model(there)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out = model(there)

    def replay():
        there.copy_(image, non_blocking=True)
        graph.replay()
        return out.cpu()

    return replay


def measure():
    job = make()
    for _ in range(20):
        expected = job().clone()
    times, wrong, release = [], 0, time.monotonic()
    end = release + float(argument)
    while release < end:
        while time.monotonic() < release:
            time.sleep(0.0002)
        result = job()
        times.append((time.monotonic() - release) * 1e3)
        wrong += 0 if torch.equal(result, expected) else 1
        release = max(release + 0.02, time.monotonic())
    times.sort()
    at = lambda part: round(times[int(part * (len(times) - 1))], 3)
    print(json.dumps({"jobs": len(times), "wrong": wrong, "p50": at(0.5), "p99": at(0.99), "max": at(1)}), flush=True)


with torch.no_grad() if kind != "train" else torch.enable_grad():
    train() if kind == "train" else measure()
