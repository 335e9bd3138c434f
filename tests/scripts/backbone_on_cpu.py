"""What tests of backbones in PyTorch on a CPU have in common: tasks on what `ablate dev inputs` writes, attention by plain arithmetic,
since its cores need a GPU, and the functions as autocast on a GPU has them."""
import contextlib
import gc
import os
import pathlib
import subprocess
import sys
import types
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/rivals"))

import torch  # noqa: E402
from torch.multiprocessing.reductions import StorageWeakRef  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402
from torch.utils._pytree import tree_flatten  # noqa: E402

import backbone_tasks  # noqa: E402
import backbone_torch  # noqa: E402
import launches_torch  # noqa: E402
import written_inputs  # noqa: E402

SEED = 1


def attend(qkv, shape, core):
    packed = qkv.view(shape.windows, shape.window, 3, shape.heads, shape.width)
    q, k, v = (packed[:, :, of].transpose(1, 2).float() for of in range(3))
    p = torch.softmax(q @ k.transpose(2, 3) / shape.width ** 0.5, -1).bfloat16()
    return (p.float() @ v).bfloat16().transpose(1, 2).reshape(shape.windows * shape.window, -1)


def grouped(x, lists, of_lists, middle, bias):
    """List by list."""
    begins = [0, *lists["ends"].tolist()]
    sums = x.float() @ middle.float() + bias.float()
    for of_list, begin, end in zip(of_lists, begins, begins[1:]):
        products = (x[lists["ins"][begin:end].long()].float() @ of_list.float()).bfloat16()
        sums.index_add_(0, lists["outs"][begin:end].long(), products.float())
    return sums.bfloat16()


OPERATORS = backbone_tasks.Operators(attend, grouped)


def functional_of_a_gpu():
    """Autocast of a GPU gives fp32 to a norm; that of a CPU does not."""
    functional = torch.nn.functional
    plain = {name: getattr(functional, name) for name in ("linear", "gelu", "silu", "pad")}
    return types.SimpleNamespace(**plain, layer_norm=lambda x, *of: functional.layer_norm(x.float(), *of),
                                 batch_norm=lambda x, *of, **with_: functional.batch_norm(x.float(), *of, **with_).to(x.dtype))


def tasks_of(folder, pattern, form="columns", suite="backbone_quick", wanted=backbone_tasks.INFERENCE):
    """Of a suite's workloads on which nothing waits: (task, (operation, shape)). `wanted`: the pass."""
    program = os.environ["ABLATE_PROGRAM"]
    subprocess.run([program, "dev", "inputs", str(ROOT / f"suites/{suite}.json"), "--filter", pattern, "--outputs",
                    "index,out,x_gradient,gradients", "--out", folder], check=True, capture_output=True)
    bench = backbone_torch.BackboneBench.__new__(backbone_torch.BackboneBench)
    bench.torch, bench.device, bench.eager = torch, "cpu", OPERATORS
    bench.cores = bench.trained_cores = types.SimpleNamespace(core_of=lambda shape: "plain")
    bench.convolutions = types.SimpleNamespace(form_of=lambda shape: form)
    bench.inputs = written_inputs.WrittenInputs(folder)
    shapes = [(entry["operation"], backbone_torch.shape_of(entry)) for entry in bench.inputs.all
              if backbone_torch.is_for_rivals(entry, wanted)]
    return [(backbone_tasks.task_of(bench, *of, backbone_torch.axes_of(of[1])), of) for of in shapes if of[1]["host"] == "absent"]


def rounding_of(task):
    return task.checker.rounding()["out_error_of_bf16"]


def storages_of(*of):
    references = [StorageWeakRef(part.untyped_storage()) for part in tree_flatten(of)[0] if isinstance(part, torch.Tensor)]
    return {reference.cdata: reference for reference in references}


# Which have no place in a CUDA graph: the host waits for what they find, or copies from its own memory.
WAITING = {"_local_scalar_dense", "_unique2", "bincount", "equal", "is_nonzero", "lift_fresh", "masked_select", "nonzero",
           "unique_consecutive", "unique_dim"}


class Reads(TorchDispatchMode):
    """Weak references to the memory that operators read and that none of them made; and the operators that wait."""

    def __init__(self):
        super().__init__()
        self.read, self.made, self.waits = {}, {}, set()

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        name = function.overloadpacket.__name__
        by_flags = name.startswith("index") and any(part.dtype == torch.bool for part in tree_flatten(args[1])[0]
                                                    if isinstance(part, torch.Tensor))
        if name in WAITING or by_flags:
            self.waits.add(name)
        self.read |= {at: of for at, of in storages_of(args, kwargs).items() if at not in self.made}
        out = function(*args, **(kwargs or {}))
        self.made |= {at: of for at, of in storages_of(out).items() if at not in self.read}
        return out

    def lost(self):
        """How much of it is gone."""
        gc.collect()
        return sum(reference.expired() for reference in self.read.values())


def captured(task):
    """The tuned form as a CUDA graph's owner keeps it, without a graph: what launches_torch.captured returns, and its Reads."""
    reads = Reads()
    stream = types.SimpleNamespace(wait_stream=lambda _: None)
    cuda = types.SimpleNamespace(
        CUDAGraph=lambda keep_graph: types.SimpleNamespace(instantiate=lambda: None), Stream=lambda: stream,
        current_stream=lambda: stream, stream=contextlib.nullcontext, synchronize=lambda: None, memory_allocated=lambda: 0,
        max_memory_allocated=lambda: 0, reset_peak_memory_stats=lambda: None, graph=lambda graph, capture_error_mode: reads)
    capture = launches_torch.captured
    with unittest.mock.patch.object(launches_torch, "captured",
                                    lambda _, launch: capture(types.SimpleNamespace(cuda=cuda), launch)):
        return task.captured_once("torch_tuned", lambda: task.tuned(OPERATORS)), reads


def expect_a_graph_holds(test, task):
    """What a launch reads as long as its graph is kept; returns how much of it goes with the graph, since nobody else has it."""
    graph, reads = captured(task)
    test.assertEqual(reads.waits, set(), task.shape)
    test.assertGreater(len(reads.read), 4)
    test.assertEqual(reads.lost(), 0, task.shape)
    del graph
    task.graphs.clear()
    return reads.lost()
