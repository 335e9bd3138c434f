#pragma once

#include <cstddef>

struct CUstream_st;

// Every `.cu` file includes this, and nvcc reads it again for the host and for each architecture: no
// std::string, std::vector or std::function here. What the host keeps of launches is in kernel_launch.h.

namespace ablate {

struct extent3 {
  unsigned x = 1, y = 1, z = 1;
};

/// The device properties a launch function may use to choose its grid: those of the GPU it runs on, or of a
/// named chip when it only describes.
struct device_limits {
  int multiprocessors = 0;
  std::size_t shared_bytes_per_block = 0;  ///< the maximum per block (opt-in)
};

/// One kernel launch as a launch function requests it.
struct launch_request {
  const void* function =
      nullptr;          ///< host stub, its symbol mangled; of a kernel_launch with a symbol a CUfunction
  extent3 grid, block;  ///< grid: 0 for a library whose kernels were not described
  std::size_t dynamic_shared_bytes = 0;
  unsigned cluster_blocks = 1;  ///< thread blocks per cluster, along x (sm_90 and later)
  bool cooperative = false;     ///< all blocks are co-resident, so they may wait for each other
  /// May begin when the previous kernel on the stream allows it (dependent_launch.cuh); sm_90 and later.
  bool overlaps_previous = false;
};

struct kernel_launch;  // kernel_launch.h
struct kernel_launches;
struct launch_listener;

/// The only way to launch a kernel. A launcher either launches on a stream or only describes: then it touches
/// neither GPU nor driver, which is how `list` and `plan` know block size, shared memory and occupancy on any
/// machine.
class launcher {
 public:
  launcher(CUstream_st* stream, const device_limits& device) : stream_(stream), device_(device) {}
  static launcher describing(const device_limits& device) { return launcher(device, false); }
  /// Like `describing`, and also describes what libraries launch, kernel by kernel. Needs a GPU.
  static launcher describing_libraries(const device_limits& device) { return launcher(device, true); }
  launcher(const launcher&);
  launcher& operator=(const launcher&) = delete;
  ~launcher();

  /// Launches (or describes) one kernel; `arguments` holds the address of each parameter. A launch of zero
  /// blocks is no launch. Throws launch_error.
  void submit(const launch_request& launch, void** arguments);
  /// The same for a kernel that was loaded at run time, if it has a symbol.
  void submit(const kernel_launch& launch, void** arguments);

  /// Calls a library that launches its own kernels on the stream it is given (cub's device-wide algorithms):
  /// `work(stream)`. A describing launcher does not call it, and records one launch under the library's name.
  template <class Work>
  void call(const char* library, const Work& work) {
    call(
        library, [](const void* of, CUstream_st* stream) { (*static_cast<const Work*>(of))(stream); }, &work);
  }

  /// A launcher whose kernels may run beside this one's. They wait for what `wait_for` says, and this one has
  /// to wait for them before the region ends. There is one beside each launcher.
  launcher beside() const;

  /// What is launched here from now on begins when all that the other one has launched so far is done.
  void wait_for(launcher& other);

  /// Waits for everything launched so far and returns the value then at `on_device`: a round trip to the
  /// host, so only for regions timed by the host's clock. A describing launcher returns `described`; one that
  /// describes libraries reads the result of the last launch, if there is memory, so that launches that
  /// depend on it are described.
  template <class T>
  T read(const T* on_device, const T& described) {
    T value = described;
    read_bytes(&value, on_device, sizeof(T));
    return value;
  }

  /// From here on `announce` is called before every launch, which is then waited for: whatever a tool reports
  /// in between belongs to that kernel. A library call is one launch under the library's name.
  void announce_to(const launch_listener& announce);

  const device_limits& device() const { return device_; }
  bool only_describes() const { return only_describes_; }
  /// The launches requested from a describing launcher, in order.
  const kernel_launches& described() const;

 private:
  /// What only those need that describe or announce.
  struct listeners;
  using library_work = void (*)(const void* of, CUstream_st*);

  launcher(const device_limits& device, bool describes_libraries);
  void call(const char* library, library_work, const void* of);
  void read_bytes(void* to, const void* from, std::size_t bytes);
  void wait_if_announced(const char* what) const;
  bool announces() const;
  void announce(const kernel_launch&) const;
  void describe(const kernel_launch&);
  launcher beside_describing() const;

  CUstream_st* stream_ = nullptr;
  bool is_beside_ = false;
  device_limits device_;
  bool only_describes_ = false, describes_libraries_ = false;
  listeners* listeners_ = nullptr;  ///< null of a launcher that just launches
};

}  // namespace ablate
