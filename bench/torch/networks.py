"""The networks of the comparison: fp16, batch 1, random weights (the same for the same seed), and a
training loop that uses all of a GPU."""

import torch
import torchvision

#: Name, network, period in ms, priority.
TASKS = [
    ("front", "resnet50", "33.333 ms", 3),
    ("rear", "resnet50", "33.333 ms", 2),
    ("scene", "vit_b_16", "66.667 ms", 1),
    ("grip", "mobilenet_v3_large", "10 ms", 4),
]


def network(name, seed):
    torch.manual_seed(seed)
    return getattr(torchvision.models, name)(weights=None).cuda().half().eval()


def frame(seed):
    torch.manual_seed(1000 + seed)
    return torch.randn(1, 3, 224, 224).half()


class Block(torch.nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.first, self.second = torch.nn.LayerNorm(width), torch.nn.LayerNorm(width)
        self.qkv, self.out = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)
        self.up, self.down = torch.nn.Linear(width, 4 * width), torch.nn.Linear(4 * width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (
            part.view(batch, length, self.heads, -1).transpose(1, 2)
            for part in self.qkv(self.first(x)).chunk(3, dim=-1)
        )
        seen = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(seen.transpose(1, 2).reshape(batch, length, width))
        return x + self.down(torch.nn.functional.gelu(self.up(self.second(x))))


class Language(torch.nn.Module):
    def __init__(self, width=2048, layers=8, heads=16, words=16384):
        super().__init__()
        self.embed = torch.nn.Embedding(words, width)
        self.blocks = torch.nn.Sequential(*(Block(width, heads) for _ in range(layers)))
        self.norm, self.head = torch.nn.LayerNorm(width), torch.nn.Linear(width, words)

    def forward(self, tokens):
        return self.head(self.norm(self.blocks(self.embed(tokens))))


def training_step(batch=8, length=1024, words=16384):
    """A step of the training of a small language model (0.5 billion parameters, bf16), to be captured
    as a whole; and how many tokens it has."""
    torch.manual_seed(7)
    model = Language(words=words).cuda().bfloat16()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True, capturable=True)
    tokens = torch.randint(0, words, (batch, length + 1), device="cuda")

    def step():
        optimizer.zero_grad(set_to_none=True)
        logits = model(tokens[:, :-1])
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1).float(), tokens[:, 1:].flatten())
        loss.backward()
        optimizer.step()
        return loss

    return step, batch * length
