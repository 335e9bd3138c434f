#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/device/cuda_memory.cuh"
#include "harness/runner/buffers.h"
#include "harness/runner/device_bytes.h"

namespace ablate {

/// The initial contents of memory that no input fills: zeros; whatever the allocation held, so that a
/// sanitizer catches uninitialized reads; or poison, where the sanitizer does not see all writes. Buffers
/// that a variant expects to start as zeros do so in any case.
enum class fresh_memory { zeros, unwritten, poison };

/// The buffers of one case on the GPU, in one or (for rotating) several sets, with the inputs filled in.
class cuda_buffers {
 public:
  /// Throws out_of_memory.
  cuda_buffers(const std::vector<buffer>&, const workload&, std::size_t sets,
               fresh_memory = fresh_memory::zeros);

  std::size_t sets() const { return sets_.size(); }
  /// Addresses in the operation's order; null for the instruments unless `instrumented`.
  std::vector<void*> addresses(std::size_t set, bool instrumented) const;

  /// Whether launches may get other inputs than the workload's contents (workload::editions).
  bool has_editions() const { return editions_.has_value(); }
  /// Gives all sets the next edition of the inputs; on the stream, without waiting.
  void change_inputs(cudaStream_t);
  /// Gives a set the workload's contents again, if it has others.
  void restore_inputs(cudaStream_t, std::size_t set);
  std::uint64_t edition(std::size_t set) const { return given_[set].edition; }
  /// Digests of the current inputs of all sets, by set and buffer. Waits for the stream.
  std::vector<std::uint64_t> input_digests(cudaStream_t) const;
  /// The name of the first input whose digest differs, of two such lists; empty: none.
  std::string differing_input(std::span<const std::uint64_t> before,
                              std::span<const std::uint64_t> after) const;

  /// Resets every buffer of a set to its contents before a launch: zeros, poison, or untouched.
  void reset_all(cudaStream_t, std::size_t set = 0) const;
  /// Resets only the outputs: scratch stays as earlier launches left it.
  void reset_outputs(cudaStream_t, std::size_t set = 0) const;
  /// Resets only the buffers a variant accumulates into, in the first set.
  void reset_zeros(cudaStream_t) const;
  /// Resets those, and the background that the check expects where a variant writes nothing: all that a
  /// launch depends on.
  void reset_counted_on(cudaStream_t) const;
  /// Whether a variant accumulates into a buffer of one of these roles.
  bool adds_to(std::initializer_list<buffer_role>) const;

  /// The outputs of a set, in the form workload::check takes; valid until the next call.
  std::vector<const std::byte*> download(std::size_t set = 0);
  /// The outputs copied by the last call of download().
  const host_outputs& downloaded() const { return host_; }
  /// Host memory for a copy of a set's outputs, and such a copy.
  host_outputs room() const { return host_outputs(buffers_); }
  void copy_outputs(host_outputs& to, std::size_t set) const;
  /// Their addresses, and those of the results that stay on the device.
  std::vector<device_bytes> outputs(std::size_t set) const;
  std::vector<device_bytes> results(std::size_t set) const;
  std::vector<std::uint64_t> instruments() const;

 private:
  void reset(std::size_t buffer, std::size_t set, cudaStream_t) const;
  std::vector<device_bytes> where(std::size_t set, bool (*is_one)(const buffer&)) const;

  void write_inputs(const std::vector<changed_bytes>&, std::size_t set, cudaStream_t) const;

  /// Current contents of a set's inputs.
  struct given_inputs {
    std::uint64_t edition = 0;
    std::vector<changed_bytes> original = {};  ///< of what was changed
  };

  std::vector<buffer> buffers_;
  std::vector<std::vector<device_memory>> sets_;
  std::vector<std::span<const std::byte>> contents_;
  std::optional<input_editions> editions_;
  std::uint64_t last_edition_ = 0;
  std::vector<given_inputs> given_;
  host_outputs host_;
};

}  // namespace ablate
