#pragma once

#include <cstddef>
#include <stdexcept>
#include <vector>

struct CUstream_st;

namespace ablate {

struct extent3 {
  unsigned x = 1, y = 1, z = 1;
};

/// What a launch function may know of the device when it chooses its grid: facts of the GPU it runs on, or of
/// a named chip when it only describes.
struct device_limits {
  int multiprocessors = 0;
  std::size_t shared_bytes_per_block = 0;  ///< the most that one block may ask for (opt-in)
};

/// One kernel launch as it was asked for.
struct kernel_launch {
  const void* function = nullptr;  ///< host stub of the kernel; its symbol carries the kernel's mangled name
  extent3 grid, block;
  std::size_t dynamic_shared_bytes = 0;
  unsigned cluster_blocks = 1;  ///< thread blocks of a cluster, along x (sm_90 and later)
  bool cooperative = false;     ///< all blocks run at the same time, so they may wait for each other
};

/// A launch that the CUDA runtime refused; what() names the kernel, its geometry and the runtime's word.
struct launch_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The one way to launch a kernel. A launcher either launches on a stream or only describes: it then touches
/// no GPU and no driver, which is how `list` and `plan` know block, shared memory and occupancy on any
/// machine.
class launcher {
 public:
  launcher(CUstream_st* stream, const device_limits& device) : stream_(stream), device_(device) {}
  static launcher describing(const device_limits& device) { return launcher(device); }

  /// Launches (or describes) one kernel; `arguments` holds the address of each parameter. A launch of zero
  /// blocks is no launch. Throws launch_error.
  void submit(const kernel_launch& launch, void** arguments);

  const device_limits& device() const { return device_; }
  /// What a describing launcher was asked to launch, in order.
  const std::vector<kernel_launch>& described() const { return described_; }

 private:
  explicit launcher(const device_limits& device) : device_(device), only_describes_(true) {}

  CUstream_st* stream_ = nullptr;
  device_limits device_;
  bool only_describes_ = false;
  std::vector<kernel_launch> described_;
};

}  // namespace ablate
