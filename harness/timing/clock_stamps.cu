#include "harness/device/cuda_check.cuh"
#include "harness/timing/clock_stamps.cuh"

namespace ablate {

namespace {

/// Each SM counts its own cycles, so only SM 0 writes.
__global__ void write_stamp(clock_stamp* to) {
  unsigned sm;
  asm("mov.u32 %0, %%smid;" : "=r"(sm));
  if (sm != 0) return;
  clock_stamp now;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(now.cycles));
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now.nanoseconds));
  *to = now;
}

}  // namespace

clock_stamps::clock_stamps(int samples, int multiprocessors)
    : multiprocessors_(multiprocessors),
      on_device_(2 * static_cast<std::size_t>(samples) * sizeof(clock_stamp)),
      stamps_(2 * static_cast<std::size_t>(samples)) {
  forget(nullptr);
  ABLATE_CUDA_CHECK(cudaStreamSynchronize(nullptr));
}

void clock_stamps::before(cudaStream_t stream, int sample) const {
  enqueue(stream, 2 * static_cast<std::size_t>(sample));
}

void clock_stamps::after(cudaStream_t stream, int sample) const {
  enqueue(stream, 2 * static_cast<std::size_t>(sample) + 1);
}

/// Blocks go one to each idle SM before any SM gets a second.
void clock_stamps::enqueue(cudaStream_t stream, std::size_t place) const {
  write_stamp<<<static_cast<unsigned>(multiprocessors_), 1, 0, stream>>>(
      static_cast<clock_stamp*>(on_device_.address()) + place);
  ABLATE_CUDA_CHECK(cudaGetLastError());
}

void clock_stamps::forget(cudaStream_t stream) const {
  ABLATE_CUDA_CHECK(cudaMemsetAsync(on_device_.address(), 0, on_device_.bytes(), stream));
}

counted_cycles clock_stamps::counted(cudaStream_t stream) {
  ABLATE_CUDA_CHECK(cudaMemcpyAsync(stamps_.data(), on_device_.address(), on_device_.bytes(),
                                    cudaMemcpyDeviceToHost, stream));
  forget(stream);
  ABLATE_CUDA_CHECK(cudaStreamSynchronize(stream));
  counted_cycles all;
  for (std::size_t i = 0; i < stamps_.size(); i += 2) {
    const clock_stamp &first = stamps_[i], &last = stamps_[i + 1];
    if (first.nanoseconds == 0 || last.nanoseconds <= first.nanoseconds || last.cycles <= first.cycles)
      continue;
    all += {static_cast<double>(last.cycles - first.cycles),
            static_cast<double>(last.nanoseconds - first.nanoseconds)};
  }
  return all;
}

}  // namespace ablate
