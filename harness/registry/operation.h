#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/inputs/input_library.h"
#include "harness/registry/axis.h"
#include "harness/registry/cache_state.h"
#include "kernels/common/launcher.h"
#include "kernels/common/switches.h"

namespace ablate {

/// What a buffer is to the operation.
enum class buffer_role {
  input,    ///< filled from the workload's contents, never written by a variant
  output,   ///< written by a variant, compared with the oracle
  scratch,  ///< working memory of a variant
  /// What the check keeps on the device, zeros at first: no part of the case's memory, and there once,
  /// however many sets of buffers a case has (of no bytes in the others: only the first is checked).
  reference,
  instruments  ///< event counts of the instrumented form; bound as null when the case is timed
};

/// What stands in a buffer before each launch of a variant (outside of the timed region).
enum class buffer_reset {
  none,        ///< whatever is there
  zeros,       ///< the variant adds to it
  poison,      ///< kernels/common/poison.h: a variant that forgets to write is found out
  background,  ///< poison that the check expects where a variant has nothing to write
  zeros_once   ///< zeros ahead of the first launch; each launch leaves behind what the next one counts on
};

struct buffer {
  std::string name;
  std::size_t bytes = 0;
  buffer_role role = buffer_role::input;
  buffer_reset reset = buffer_reset::none;
};

/// Accesses at random places that no layout of the problem spares (specification: packed_hash §6.5).
struct random_access {
  std::string resource;        ///< random_read_sectors or random_cas: whose ceilings bound it
  double count = 0;            ///< accesses
  double footprint_bytes = 0;  ///< that they spread over, in the smallest layout
};

/// A bound on an operation's atomics by another ceiling than `atomics_distinct`.
struct reduction_bound {
  std::string ceiling;  ///< a calibration of reductions: atomics_full_sectors_f32, say
  double count = 0;     ///< reductions of that kind that no variant is spared
};

/// What an operation must do at least, whatever the variant: the basis of the floors.
struct work_model {
  double bytes = 0;  ///< compulsory bytes, each once: read and written
  /// Those of `bytes` that the region writes, whether it reads them too or not. What fits the L2 may stay
  /// there; the others must come from device memory where caches are cold.
  double written_bytes = 0;
  double flops = 0;  ///< floating-point operations
  /// What the precision of inputs and sums binds the FLOPs to, whichever variant: `fma_f32` or `tensor_bf16`,
  /// whose ceilings are `<pipe>…_flops`. Empty: no pipe in particular.
  std::string flop_pipe = {};
  double atomics =
      0;  ///< compulsory read-modify-writes of distinct addresses in device memory, less `random`'s
  std::vector<random_access> random = {};
  /// Each bounds the atomics; empty: `atomics` of atomics_distinct.
  std::vector<reduction_bound> reductions = {};
};

/// Whose clock times a region.
enum class region_clock {
  device,     ///< events around the launches; the host is ahead of the device throughout
  host,       ///< the host's, from its first call until the device is idle: with what the host waits for
  host_graph  ///< the host's, around one launch of a CUDA graph of the region
};

struct check_result {
  bool ok = false;
  std::string message = {};   ///< where and how it differs; empty when ok
  double max_error = 0;       ///< in the operation's own measure
  double accepted_error = 0;  ///< the most that max_error may be, in the same measure; 0: equal or wrong
};

/// One input of an operation on the host, with all that is known of its answer. Shared by every variant that
/// runs on the same axes.
struct workload {
  /// For each buffer of the operation, in order: the bytes to fill it with, or empty.
  std::vector<std::span<const std::byte>> contents;
  /// Compares the whole output with the oracle; one host pointer for each buffer, null unless it is an
  /// output.
  std::function<check_result(std::span<const std::byte* const>)> check;
  /// The host reference: computes the answer into host buffers, as a variant does on a GPU.
  std::function<void(std::span<void* const>)> reference;
  work_model work;
  /// `hash` of the input's bytes and facts of it: points, valid, non_finite, occupied …
  nlohmann::ordered_json input;
  /// Figures of an output beyond right and wrong, by name with unit (`locality_rms_m`): an object of numbers
  /// and nulls. Empty where the operation has none.
  std::function<nlohmann::ordered_json(std::span<const std::byte* const>)> quality;
  /// A small sample of an output to be drawn: the `picture` of reports/schema/record.schema.json. Empty where
  /// the operation has none.
  std::function<nlohmann::ordered_json(std::span<const std::byte* const>)> picture;
  /// Turns the instruments' raw counts into named figures; empty where the operation has no instruments.
  /// Returns null where the variant has no instrumented form.
  std::function<nlohmann::ordered_json(std::span<const std::uint64_t>)> read_instruments;
  /// Keeps alive what the spans and functions above refer to.
  std::shared_ptr<const void> storage;
};

/// What everybody may know of a variant.
struct variant_facts {
  std::string name;
  std::string description;
  ablate::switches switches;
  axis_conditions only_where;  ///< applies only at these axis values; elsewhere not_applicable
  int minimum_compute_capability = 80;
  bool has_launch = false;  ///< false in a build without CUDA
  /// Names of the buffers that it does without, inputs or scratch: it gets null in their place, and its cases
  /// have no memory for them.
  std::vector<std::string> without = {};
};

/// A case that every run on a GPU measures before its own: what the chip reaches, against which floors are
/// computed. All variants that apply at these axes run; the best one is the ceiling.
struct calibration {
  std::string ceiling;  ///< name in the record's context.ablate.ceilings
  axis_values axes;
  cache_state state = cache_state::cold_clean;
};

/// What is computed, independent of how. Operations are made by `define` (define.h) and found in the
/// registry.
class operation {
 public:
  virtual ~operation() = default;

  std::string name;
  std::string description;
  std::vector<axis> axes;
  std::vector<variant_facts> variants;
  std::string baseline;                   ///< the variant that speed-ups refer to
  std::vector<calibration> calibrations;  ///< empty unless the operation measures the chip itself

  /// The buffers at these axes, without generating any data.
  virtual std::vector<buffer> buffers(const axis_values&, const input_library&) const = 0;
  /// The same for a case of this variant (null: the host reference): no bytes of what it does without. Throws
  /// std::logic_error where that is no buffer of the operation.
  std::vector<buffer> buffers_of(const variant_facts*, const axis_values&, const input_library&) const;
  /// Inputs, oracle and work model. Throws input_missing or bad_input.
  virtual workload prepare(const axis_values&, const input_library&) const = 0;
  /// A closure that launches the variant once on the given device buffers.
  virtual std::function<void(launcher&)> bind(const variant_facts&, const axis_values&, const input_library&,
                                              std::span<void* const> buffers) const = 0;
  /// Whether something is done before the timed region begins (`bind_ahead`). Throws as `buffers` does.
  virtual bool has_ahead(const axis_values&, const input_library&) const { return false; }
  /// Whether the region leaves what was done ahead of it as it found it, so that many launches can follow
  /// each other.
  virtual bool keeps_ahead() const { return false; }
  /// Whose clock times the region. Other than the device's: cold-clean only. Throws as `buffers` does.
  virtual region_clock clock(const axis_values&, const input_library&) const { return region_clock::device; }
  /// A closure that launches what is done before the timed region begins, on the same buffers as the variant:
  /// called each time after their reset, never timed. Empty where the region begins with the inputs.
  virtual std::function<void(launcher&)> bind_ahead(const variant_facts&, const axis_values&,
                                                    const input_library&, std::span<void* const>) const {
    return {};
  }
  /// A closure that launches what brings a variant's own memory to the outputs that the check reads: called
  /// before each check, after the variant, on the same buffers; never timed, never counted. Empty where the
  /// variant writes its outputs itself.
  virtual std::function<void(launcher&)> bind_readback(const variant_facts&, const axis_values&,
                                                       const input_library&, std::span<void* const>) const {
    return {};
  }
  /// A closure that launches, once on fresh buffers and before everything else, what fills those that are too
  /// large for the host, those of this variant (null: all). Empty where there are none.
  virtual std::function<void(launcher&)> bind_fill(const variant_facts*, const axis_values&,
                                                   const input_library&, std::span<void* const>) const {
    return {};
  }
  /// Why these axis values make no case, or nothing.
  virtual std::optional<std::string> refuses(const axis_values&) const = 0;

  const variant_facts* find_variant(std::string_view name) const;
};

}  // namespace ablate
