#pragma once

#include <cstdint>
#include <vector>

#include "harness/device/cuda_memory.cuh"
#include "harness/runner/buffers.h"

namespace ablate {

/// What stands in memory that no input fills: zeros, or whatever the allocation held, so that a sanitizer
/// sees who reads what nobody wrote.
enum class fresh_memory { zeros, unwritten };

/// The buffers of one case on the GPU, in one or (for rotating) several sets, inputs filled in.
class cuda_buffers {
 public:
  /// Throws out_of_memory.
  cuda_buffers(const std::vector<buffer>&, const workload&, std::size_t sets,
               fresh_memory = fresh_memory::zeros);

  std::size_t sets() const { return sets_.size(); }
  /// Addresses in the operation's order; the instruments' is null unless `instrumented`.
  std::vector<void*> addresses(std::size_t set, bool instrumented) const;

  /// Brings every buffer of the first set to what stands in it before a launch: zeros, poison, or untouched.
  void reset_all(cudaStream_t) const;
  /// Only those that a variant adds to: what poison covers is written anyway and need not cost time between
  /// samples.
  void reset_zeros(cudaStream_t) const;
  bool must_reset_while_timing() const;

  /// The outputs of the first set, as workload::check takes them; valid until the next call.
  std::vector<const std::byte*> download();
  /// The same as the last call left them.
  std::vector<const std::byte*> downloaded() const { return host_.pointers(); }
  /// Remembers the outputs of the last call of download().
  void remember() { host_.remember(); }
  /// What share of the last call's outputs are other bytes than those remembered.
  double changed_share() const { return host_.changed_share(); }
  std::vector<std::uint64_t> instruments() const;

 private:
  std::vector<buffer> buffers_;
  std::vector<std::vector<device_memory>> sets_;
  host_outputs host_;
};

}  // namespace ablate
