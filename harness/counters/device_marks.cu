#include "harness/counters/device_marks.cuh"
#include "harness/timing/spin.cuh"

namespace ablate {

namespace {

__device__ unsigned long long timer_ns() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}

__global__ void stamp(unsigned long long* at) { *at = timer_ns(); }

/// Keeps one block a multiprocessor busy.
__global__ void mark(unsigned long long* from_to, unsigned long long nanoseconds) {
  const unsigned long long start = timer_ns();
  unsigned long long now;
  do now = timer_ns();
  while (now - start < nanoseconds);
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    from_to[0] = start;
    from_to[1] = now;
  }
}

constexpr std::size_t marker_times_count = 2;

unsigned long long* address(const device_memory& of, std::size_t place) {
  return static_cast<unsigned long long*>(of.address()) + place;
}

}  // namespace

device_marks::device_marks(int device, std::size_t stamps)
    : times_((marker_times_count + stamps) * sizeof(unsigned long long)) {
  ABLATE_CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, device));
  stamp<<<1, 1>>>(address(times_, 0));
  mark<<<1, 1>>>(address(times_, 0), 0);
  enqueue_spin(nullptr, 0);
  ABLATE_CUDA_CHECK(cudaGetLastError());
  ABLATE_CUDA_CHECK(cudaDeviceSynchronize());
}

void device_marks::enqueue_marker(cudaStream_t stream, unsigned long long before_ns,
                                  unsigned long long marker_ns) const {
  enqueue_spin(stream, before_ns);
  mark<<<static_cast<unsigned>(multiprocessors_), 32, 0, stream>>>(address(times_, 0), marker_ns);
  enqueue_spin(stream, marker_ns);
  ABLATE_CUDA_CHECK(cudaGetLastError());
}

void device_marks::enqueue_stamp(cudaStream_t stream, std::size_t place) const {
  stamp<<<1, 1, 0, stream>>>(address(times_, marker_times_count + place));
  ABLATE_CUDA_CHECK(cudaGetLastError());
}

std::vector<std::uint64_t> device_marks::read(std::size_t first, std::size_t count) const {
  static_assert(sizeof(std::uint64_t) == sizeof(unsigned long long));
  std::vector<std::uint64_t> out(count);
  ABLATE_CUDA_CHECK(
      cudaMemcpy(out.data(), address(times_, first), count * sizeof(std::uint64_t), cudaMemcpyDeviceToHost));
  return out;
}

marker_times device_marks::marker() const {
  const std::vector<std::uint64_t> times = read(0, marker_times_count);
  return {times[0], times[1]};
}

std::vector<std::uint64_t> device_marks::stamps() const {
  return read(marker_times_count, times_.bytes() / sizeof(std::uint64_t) - marker_times_count);
}

}  // namespace ablate
