#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "harness/inputs/input_library.h"
#include "harness/runner/cuda_buffers.cuh"
#include "harness/runner/found_outputs.h"
#include "harness/runner/kept_outputs.cuh"
#include "harness/suite/suite.h"
#include "harness/timing/gpu_timing.cuh"

namespace ablate {

/// A case bound to its buffers. Each buffer set can be restored, launched and read independently, all on one
/// stream.
class bound_case {
 public:
  /// Binds the case to every buffer set and enqueues the fills that run on the device. The buffers must
  /// outlive it, and so must what is kept of outputs, if that is given: they are compared with it.
  bound_case(const suite_case&, const input_library&, cuda_buffers&, cudaStream_t, const device_limits&,
             kept_outputs* = nullptr);

  std::size_t sets() const { return sets_.size(); }
  cudaStream_t stream() const { return stream_; }
  const device_limits& limits() const { return limits_; }
  /// Launches the case once on the first set, with any launcher.
  const std::function<void(launcher&)>& launch_function() const { return sets_.front().launch; }
  bool has_ahead() const { return static_cast<bool>(sets_.front().ahead); }
  /// Whether launches without a reset in between accumulate into the same outputs, which then cannot be
  /// checked.
  bool accumulates() const;

  /// The timed region, with or without the work that precedes each launch. Its reset changes inputs, too.
  timed_region region(bool with_ahead) const;

  /// Gives every set other inputs, which differ in a few elements, where the operation has such.
  void change_inputs() const;
  /// Restores a set of buffers to its state before a launch, its inputs to the workload's contents.
  void restore(std::size_t set = 0) const;
  /// Restores only its outputs and reruns the work that precedes a launch. Scratch keeps its contents, which
  /// exposes a launch that depends on earlier ones (a work queue they drained), except where the answer
  /// itself is in scratch, to be read back: then everything is restored.
  void clear_outputs(std::size_t set) const;
  void launch(std::size_t set = 0) const;

  /// The outputs of a set once the preceding launches have finished, until others follow; read back where the
  /// operation does so.
  class set_outputs final : public found_outputs {
   public:
    std::uint64_t edition() const override { return device_.edition(set_); }
    host_outputs room() const override { return device_.room(); }
    void copy_to(host_outputs& to) const override { device_.copy_outputs(to, set_); }
    void keep() const override {
      if (kept_) kept_->keep(device_.outputs(set_), stream_);
    }
    bool are_kept() const override { return kept_ && kept_->are(device_.outputs(set_), stream_); }
    void keep_results() const override {
      if (!device_.results(set_).empty()) first_results_.keep(device_.results(set_), stream_);
    }
    std::optional<differing_bytes> changed_results() const override {
      if (device_.results(set_).empty()) return differing_bytes{};
      return first_results_.differing(device_.results(set_), stream_);
    }

   private:
    friend bound_case;
    set_outputs(const cuda_buffers& device, kept_outputs* kept, kept_outputs& first_results, std::size_t set,
                cudaStream_t stream)
        : device_(device), kept_(kept), first_results_(first_results), set_(set), stream_(stream) {}
    const cuda_buffers& device_;
    kept_outputs* kept_;
    kept_outputs& first_results_;
    std::size_t set_;
    cudaStream_t stream_;
  };
  set_outputs outputs(std::size_t set = 0) const;

 private:
  struct bound_set {
    std::function<void(launcher&)> launch, ahead, readback;  ///< the latter two may be empty
  };
  bool has_readback() const { return static_cast<bool>(sets_.front().readback); }
  void run(const std::function<void(launcher&)>&) const;

  cuda_buffers& device_;
  kept_outputs* kept_;
  std::unique_ptr<kept_outputs> first_results_;  ///< of this case's first launch
  cudaStream_t stream_;
  device_limits limits_;
  std::vector<bound_set> sets_;
};

}  // namespace ablate
