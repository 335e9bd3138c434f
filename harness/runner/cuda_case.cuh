#pragma once

#include <string>
#include <vector>

#include "harness/runner/bound_case.cuh"
#include "harness/runner/cuda_device.cuh"

namespace ablate {

/// Where a variant is the oracle: launches it once on these buffers of a case and has the workload learn its
/// outputs.
void learn_answer(const cuda_device&, const suite_case&, const workload&, const input_library&,
                  cuda_buffers&);

/// A case with its workload on a device: its buffers, and its launches bound to them. All of these must
/// outlive it, and so must what is kept of outputs, if that is given.
struct cuda_case {
  cuda_case(const cuda_device&, const suite_case&, const workload&, const input_library&, cuda_buffers&,
            kept_outputs* = nullptr);

  /// Restores the first set of buffers, puts the caches into the case's state, and waits.
  void prepare() const;
  /// A record's `kernels`.
  std::vector<measured_case::kernel_launch> kernels() const;

  const cuda_device& device;
  const suite_case& spec;
  const workload& work;
  const input_library& inputs;
  cuda_buffers& buffers;
  bound_case bound;
};

/// The names in a record's `kernels`.
std::vector<std::string> kernel_names(const std::vector<measured_case::kernel_launch>& kernels);

}  // namespace ablate
