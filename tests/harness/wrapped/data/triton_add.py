"""Fills Triton's cache, in the folder that TRITON_CACHE_DIR names, with the kernel out = x + y: needs a GPU, torch and triton."""

import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) + tl.load(y + at, mask=at < n), mask=at < n)


elements = 1 << 20
x, y = torch.rand(2, elements, device="cuda")
out = torch.empty_like(x)
add_kernel[(triton.cdiv(elements, 1024),)](x, y, out, elements, BLOCK=1024)
assert torch.equal(out, x + y)
