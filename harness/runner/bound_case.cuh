#pragma once

#include <functional>
#include <vector>

#include "harness/inputs/input_library.h"
#include "harness/runner/cuda_buffers.cuh"
#include "harness/suite/suite.h"
#include "harness/timing/gpu_timing.cuh"

namespace ablate {

/// A case on its buffers: restored, launched and read, each set of them on its own. All of it on one stream.
class bound_case {
 public:
  /// Binds the case to every set, and enqueues what fills the buffers that are filled on the device. The
  /// buffers must outlive it.
  bound_case(const suite_case&, const input_library&, cuda_buffers&, cudaStream_t, const device_limits&);

  std::size_t sets() const { return sets_.size(); }
  cudaStream_t stream() const { return stream_; }
  const device_limits& limits() const { return limits_; }
  /// Launches the case once on the first set, by any launcher.
  const std::function<void(launcher&)>& launch_function() const { return sets_.front().launch; }
  bool has_ahead() const { return static_cast<bool>(sets_.front().ahead); }
  /// Whether launches that nothing is reset between add to each other's outputs: those then tell nothing.
  bool accumulates() const;

  /// What is timed. With what goes ahead of each launch, or without: where the region keeps it.
  timed_region region(bool with_ahead) const;

  /// Brings a set of buffers to where a launch begins.
  void restore(std::size_t set = 0) const;
  /// Brings its outputs alone to there, and does again what goes ahead. Scratch stays as the launches before
  /// left it, so a launch that lives on what they did shows (a work queue that they drained); not so where
  /// the answer itself is in scratch, to be read back.
  void clear_outputs(std::size_t set) const;
  void launch(std::size_t set = 0) const;

  /// What the outputs of a set are once the launches before are through; valid until the next call.
  const host_outputs& outputs(std::size_t set = 0);

 private:
  struct bound_set {
    std::function<void(launcher&)> launch, ahead, readback;  ///< the latter two may be empty
  };
  bool has_readback() const { return static_cast<bool>(sets_.front().readback); }
  void run(const std::function<void(launcher&)>&) const;

  cuda_buffers& device_;
  cudaStream_t stream_;
  device_limits limits_;
  std::vector<bound_set> sets_;
};

}  // namespace ablate
