#pragma once

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
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
  /// Begins when the kernel before it on the stream lets it (dependent_launch.cuh); sm_90 and later.
  bool overlaps_previous = false;
  std::string symbol = {};  ///< of a kernel that a library launched: its mangled name, or the library's
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
  static launcher describing(const device_limits& device) { return launcher(device, false); }
  /// As `describing`, and what libraries launch is described too, kernel by kernel. Needs a GPU.
  static launcher describing_libraries(const device_limits& device) { return launcher(device, true); }

  /// Launches (or describes) one kernel; `arguments` holds the address of each parameter. A launch of zero
  /// blocks is no launch. Throws launch_error.
  void submit(const kernel_launch& launch, void** arguments);

  /// Work of a library that launches its own kernels on the stream that it is given (cub's device-wide
  /// algorithms). A describing launcher does not do it, and enters one launch with the library's name.
  void call(const char* library, const std::function<void(CUstream_st*)>& work);

  /// Waits for everything launched so far and returns what then stands at `on_device`: a round trip to the
  /// host, so only in regions that the host's clock times. A describing launcher returns `described`; one
  /// that describes libraries reads what the last launch left, where there is memory, so that what was chosen
  /// by it is described.
  template <class T>
  T read(const T* on_device, const T& described) {
    T value = described;
    read_bytes(&value, on_device, sizeof(T));
    return value;
  }

  /// From here on `announce` is called ahead of every launch, which is then waited for: what a tool reports
  /// in between concerns that kernel. A library's call is one launch under the library's name.
  void announce_to(std::function<void(const kernel_launch&)> announce) { announce_ = std::move(announce); }

  const device_limits& device() const { return device_; }
  bool only_describes() const { return only_describes_; }
  /// What a describing launcher was asked to launch, in order.
  const std::vector<kernel_launch>& described() const { return described_; }

 private:
  launcher(const device_limits& device, bool describes_libraries)
      : device_(device), only_describes_(true), describes_libraries_(describes_libraries) {}
  void read_bytes(void* to, const void* from, std::size_t bytes);
  void wait_if_announced(const std::string& what) const;

  CUstream_st* stream_ = nullptr;
  device_limits device_;
  bool only_describes_ = false, describes_libraries_ = false;
  std::function<void(const kernel_launch&)> announce_;
  std::vector<kernel_launch> described_;
};

}  // namespace ablate
