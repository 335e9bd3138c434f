#include "harness/device/cuda_check.cuh"
#include "harness/device/cuda_memory.cuh"
#include "harness/timing/spin.cuh"

namespace ablate {

namespace {

__device__ unsigned long long now_ns() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}

__global__ void spin(unsigned long long nanoseconds) {
  const unsigned long long start = now_ns();
  while (now_ns() - start < nanoseconds) {
  }
}

__global__ void spin_cycles(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
}

struct clock_reading {
  long long cycles;
  unsigned long long nanoseconds;
};

/// Counts between two ticks of the global timer, which are a microsecond apart on some chips.
__global__ void read_clock(unsigned long long at_least_ns, clock_reading* out) {
  unsigned long long start = now_ns();
  for (const unsigned long long before = start; start == before;) start = now_ns();
  const long long first = clock64();
  unsigned long long end = now_ns();
  while (end - start < at_least_ns) end = now_ns();
  for (const unsigned long long before = end; end == before;) end = now_ns();
  *out = {clock64() - first, end - start};
}

}  // namespace

void enqueue_spin_cycles(cudaStream_t stream, long long cycles) {
  spin_cycles<<<1, 1, 0, stream>>>(cycles);
  ABLATE_CUDA_CHECK(cudaGetLastError());
}

double measured_sm_clock_mhz(cudaStream_t stream) {
  constexpr unsigned long long at_least_ns = 300'000;
  const device_memory on_device(sizeof(clock_reading));
  read_clock<<<1, 1, 0, stream>>>(at_least_ns, static_cast<clock_reading*>(on_device.address()));
  ABLATE_CUDA_CHECK(cudaGetLastError());
  clock_reading read{};
  ABLATE_CUDA_CHECK(cudaMemcpyAsync(&read, on_device.address(), sizeof read, cudaMemcpyDeviceToHost, stream));
  ABLATE_CUDA_CHECK(cudaStreamSynchronize(stream));
  return 1e3 * static_cast<double>(read.cycles) / static_cast<double>(read.nanoseconds);
}

void enqueue_spin(cudaStream_t stream, unsigned long long nanoseconds) {
  spin<<<1, 1, 0, stream>>>(nanoseconds);
  ABLATE_CUDA_CHECK(cudaGetLastError());
}

}  // namespace ablate
