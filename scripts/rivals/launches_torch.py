"""How many kernels a launch is, and how often the host waits within it. What does not wait is captured into a CUDA graph, whose
kernels are counted; what does is seen by torch.profiler once, which should come after all timing: CUPTI stays in the process.
"""
import ctypes
import typing

from spent_seconds import SPENT

KERNEL_NODE = 0  # of CUgraphNodeType


class Captured(typing.NamedTuple):
    """`outputs`: of the launch, tensors that each replay fills; `peak_bytes`: what it took from the allocator at its peak, beside
    what was there before. A graph knows addresses of what it reads and keeps none of it alive: `launch`, with its weights and
    tables, must live as long, or their memory goes to somebody else, whose numbers a replay then takes for weights."""
    graph: typing.Any
    outputs: typing.Any
    peak_bytes: int
    launch: typing.Callable

    def replay(self):
        self.graph.replay()
        return self.outputs


def peak_bytes(torch, launch):
    """Of a launch, as `Captured` has it; and what it returned."""
    cuda = torch.cuda
    cuda.reset_peak_memory_stats()
    before = cuda.memory_allocated()
    outputs = launch()
    cuda.synchronize()
    return cuda.max_memory_allocated() - before, outputs


@SPENT.on("capturing")
def captured(torch, launch):
    """A graph of a launch that was launched before."""
    graph, stream = torch.cuda.CUDAGraph(keep_graph=True), torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        launch()
    torch.cuda.current_stream().wait_stream(stream)
    torch.cuda.synchronize()

    def capture():
        with torch.cuda.graph(graph, capture_error_mode="thread_local"):
            return launch()
    most, outputs = peak_bytes(torch, capture)
    graph.instantiate()
    return Captured(graph, outputs, most, launch)


def kernels_of(graph, driver):
    """`driver`: libcuda, whose graphs are the runtime's."""
    handle, count = ctypes.c_void_p(graph.raw_cuda_graph()), ctypes.c_size_t()
    if driver.cuGraphGetNodes(handle, None, ctypes.byref(count)) != 0:
        raise RuntimeError("the nodes of a CUDA graph cannot be read")
    nodes, kind = (ctypes.c_void_p * count.value)(), ctypes.c_int()
    driver.cuGraphGetNodes(handle, nodes, ctypes.byref(count))
    kernels = 0
    for node in nodes:
        if driver.cuGraphNodeGetType(ctypes.c_void_p(node), ctypes.byref(kind)) != 0:
            raise RuntimeError("the type of a CUDA graph's node cannot be read")
        kernels += kind.value == KERNEL_NODE
    return kernels


def of_graph(graph):
    return {"launches": kernels_of(graph, ctypes.CDLL("libcuda.so.1")), "host_waits": 0}


def profiled(torch, launch):
    launch()
    torch.cuda.synchronize()
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=activities) as profile:
        launch()
        torch.cuda.synchronize()
    return counted((event.name, event.device_type == torch.autograd.DeviceType.CUDA) for event in profile.events())


def counted(events):
    """Of (name, whether it ran on the device)."""
    events = list(events)
    kernels = [name for name, is_on_device in events if is_on_device and not name.startswith(("Memcpy", "Memset"))]
    waits = [name for name, is_on_device in events if not is_on_device and name == "cudaStreamSynchronize"]
    if not kernels:
        raise RuntimeError("the profiler saw no kernel")
    return {"launches": len(kernels), "host_waits": len(waits)}
