"""The SM clock of what PyTorch launches, counted as harness/timing/clock_stamps.cu counts it: a tiny kernel before and after
each sample reads one SM's cycles and the global timer."""
import ctypes

PTX = b"""
.version 7.0
.target sm_70
.address_size 64
.visible .entry write_stamp(.param .u64 to)
{
  .reg .pred %other;
  .reg .b32 %which;
  .reg .b64 %at, %cycles, %ns;
  mov.u32 %which, %smid;
  setp.ne.u32 %other, %which, 0;
  @%other ret;
  mov.u64 %cycles, %clock64;
  mov.u64 %ns, %globaltimer;
  ld.param.u64 %at, [to];
  cvta.to.global.u64 %at, %at;
  st.global.u64 [%at], %cycles;
  st.global.u64 [%at+8], %ns;
  ret;
}
"""


def counted(stamps):
    """Cycles and nanoseconds over the samples that have both stamps; `stamps`: [before, after] of each sample, a stamp being
    [cycles, nanoseconds], 0 where there is none."""
    cycles = nanoseconds = 0
    for (first_cycles, first_ns), (last_cycles, last_ns) in stamps:
        if first_ns and last_ns > first_ns and last_cycles > first_cycles:
            cycles += last_cycles - first_cycles
            nanoseconds += last_ns - first_ns
    return cycles, nanoseconds


class ClockStamps:
    def __init__(self, torch, samples):
        self.torch = torch
        self.multiprocessors = torch.cuda.get_device_properties(0).multi_processor_count
        self.stamps = torch.zeros((samples, 2, 2), dtype=torch.int64, device="cuda")
        self.driver = ctypes.CDLL("libcuda.so.1")
        module, self.kernel = ctypes.c_void_p(), ctypes.c_void_p()
        self.expect(self.driver.cuModuleLoadData(ctypes.byref(module), PTX))
        self.expect(self.driver.cuModuleGetFunction(ctypes.byref(self.kernel), module, b"write_stamp"))

    @staticmethod
    def expect(status):
        if status != 0:
            raise RuntimeError(f"the kernel that counts the SM clock cannot be loaded: CUDA driver error {status}")

    def write(self, sample, after):
        at = ctypes.c_uint64(self.stamps.data_ptr() + 16 * (2 * sample + after))
        arguments = (ctypes.c_void_p * 1)(ctypes.addressof(at))
        stream = ctypes.c_void_p(self.torch.cuda.current_stream().cuda_stream)
        self.expect(self.driver.cuLaunchKernel(self.kernel, self.multiprocessors, 1, 1, 1, 1, 1, 0, stream, arguments,
                                               None))

    def before(self, sample):
        self.write(sample, 0)

    def after(self, sample):
        self.write(sample, 1)

    def ranges(self, count):
        """[from, to] of the first samples, in ns of the device's timer."""
        stamps = self.stamps[:count].cpu().tolist()
        self.stamps.zero_()
        return [[first_ns, last_ns] for (_, first_ns), (_, last_ns) in stamps]

    def counted(self):
        stamps = self.stamps.cpu().tolist()
        self.stamps.zero_()
        return counted(stamps)
