#pragma once

#include <cstdint>
#include <vector>

#include "harness/device/cuda_memory.cuh"
#include "harness/runner/buffers.h"

namespace ablate {

/// What stands in memory that no input fills: zeros, or whatever the allocation held, so that a sanitizer
/// sees who reads what nobody wrote. Buffers that a variant counts on to begin as zeros do so either way.
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

  /// Brings every buffer of a set to what stands in it before a launch: zeros, poison, or untouched.
  void reset_all(cudaStream_t, std::size_t set = 0) const;
  /// Only the outputs: scratch stays as the launches before left it.
  void reset_outputs(cudaStream_t, std::size_t set = 0) const;
  /// Only what a variant adds to, in the first set.
  void reset_zeros(cudaStream_t) const;
  /// Those, and what the check expects where a variant writes nothing: all that a launch cannot do without.
  void reset_counted_on(cudaStream_t) const;
  /// Whether a variant adds to what stands in a buffer of this role.
  bool adds_to(buffer_role) const;

  /// The outputs of a set, as workload::check takes them; valid until the next call.
  std::vector<const std::byte*> download(std::size_t set = 0);
  /// The outputs as the last call of download() found them.
  const host_outputs& downloaded() const { return host_; }
  std::vector<std::uint64_t> instruments() const;

 private:
  void reset(std::size_t buffer, std::size_t set, cudaStream_t) const;

  std::vector<buffer> buffers_;
  std::vector<std::vector<device_memory>> sets_;
  host_outputs host_;
};

}  // namespace ablate
