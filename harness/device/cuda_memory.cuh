#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <utility>

#include "harness/device/cuda_check.cuh"

namespace ablate {

/// Device memory with an owner.
class device_memory {
 public:
  device_memory() = default;
  explicit device_memory(std::size_t bytes) : bytes_(bytes) {
    // A buffer of no bytes still gets an address: kernels may form pointers from it.
    ABLATE_CUDA_CHECK(cudaMalloc(&address_, bytes == 0 ? 1 : bytes));
  }
  device_memory(device_memory&& other) noexcept
      : address_(std::exchange(other.address_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  device_memory& operator=(device_memory&& other) noexcept {
    std::swap(address_, other.address_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~device_memory() { cudaFree(address_); }

  void* address() const { return address_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void* address_ = nullptr;
  std::size_t bytes_ = 0;
};

class stream {
 public:
  stream() { ABLATE_CUDA_CHECK(cudaStreamCreateWithFlags(&handle_, cudaStreamNonBlocking)); }
  stream(const stream&) = delete;
  ~stream() { cudaStreamDestroy(handle_); }
  operator cudaStream_t() const { return handle_; }

 private:
  cudaStream_t handle_ = nullptr;
};

class event {
 public:
  event() { ABLATE_CUDA_CHECK(cudaEventCreate(&handle_)); }
  event(event&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  ~event() {
    if (handle_) cudaEventDestroy(handle_);
  }
  operator cudaEvent_t() const { return handle_; }

 private:
  cudaEvent_t handle_ = nullptr;
};

inline double elapsed_us(const event& start, const event& stop) {
  float milliseconds = 0;
  ABLATE_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  return 1e3 * milliseconds;
}

}  // namespace ablate
