#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/inputs/input_library.h"
#include "harness/registry/axis.h"
#include "harness/registry/buffer.h"
#include "harness/registry/cache_state.h"
#include "harness/registry/points.h"
#include "harness/version.h"
#include "kernels/common/launcher.h"
#include "kernels/common/switch_entry.h"

namespace ABLATE_ABI {

/// Accesses at random places, which no data layout avoids where rows come one by one
/// (docs/operations/hash_search.md, "Work").
struct random_access {
  std::string resource;        ///< random_read_sectors or random_cas: its ceilings apply
  double count = 0;            ///< accesses
  double footprint_bytes = 0;  ///< footprint of the accesses, in the smallest layout
};

/// Bounds an operation's atomics by a ceiling other than `atomics_distinct`.
struct reduction_bound {
  std::string ceiling;  ///< a reduction calibration, e.g. atomics_full_sectors_f32
  double count = 0;     ///< reductions of that kind
};

/// All steps of one kind, of a pass whose steps follow one another. Amounts are of all of them together.
struct work_step {
  std::string kind;
  double count = 0;  ///< of launches, one each
  double bytes = 0, written_bytes = 0, flops = 0, exponentials = 0;
};

/// The work of an operation, the same for all variants: the basis of the floors. Bytes, FLOPs and
/// exponentials are what every variant must do at least. Atomics, random accesses, gathered bytes and steps
/// are what one way of doing it needs: they make a model, which another way may beat.
struct work_model {
  double bytes = 0;  ///< compulsory bytes read and written, each counted once
  /// The part of `bytes` that the region writes, whether or not it also reads them. Writes that fit in L2 may
  /// stay there; the rest of `bytes` must come from device memory when caches are cold.
  double written_bytes = 0;
  double flops = 0;  ///< floating-point operations
  /// The pipe that the input and accumulator precision dictates for every variant: `fma_f32` or
  /// `tensor_bf16`, with ceilings `<pipe>…_flops`. Empty: no particular pipe.
  std::string flop_pipe = {};
  double atomics = 0;  ///< read-modify-writes of distinct addresses, except `random`'s
  std::vector<random_access> random = {};
  /// Each bounds the atomics; empty: `atomics` are bounded by atomics_distinct.
  std::vector<reduction_bound> reductions = {};
  double exponentials = 0;  ///< bounded by the fastest of the ceilings `exponentials_…`
  /// Read from L2 by a variant that shares nothing between its blocks: the same data each time it is asked
  /// for.
  double gathered_bytes = 0;
  std::vector<work_step> steps = {};  ///< of a pass; their times add up
};

/// Which clock times a region.
enum class region_clock {
  device,     ///< events around the launches; the host stays ahead of the device throughout
  host,       ///< host clock, from the first call until the device is idle: includes host waits
  host_graph  ///< host clock, around one launch of the region as a CUDA graph
};

struct check_result {
  bool ok = false;
  std::string message = {};   ///< where and how the output differs; empty when ok
  double max_error = 0;       ///< in the operation's own measure
  double accepted_error = 0;  ///< upper limit on max_error, in the same measure; 0: must be equal
};

/// Bytes of a buffer's contents that are others.
struct changed_bytes {
  static constexpr std::size_t most = 1024;

  std::size_t buffer = 0, offset = 0;
  std::vector<std::byte> bytes = {};  ///< at most so many
};

/// Inputs that differ from each other in a few elements, numbered from 1. The harness gives them to timed
/// launches in turn: a kernel that keeps an output and returns it later is wrong, or has to look at all of
/// its input each time.
struct input_editions {
  /// What is other than in `workload::contents`.
  std::function<std::vector<changed_bytes>(std::uint64_t edition)> changes;
  /// From now on `check` and `learn` mean the answer to this edition, 0: to the contents. Returns whether
  /// `learn` has to be called before `check`.
  std::function<bool(std::uint64_t edition)> turn_to;
};

/// One input of an operation, on the host, with everything known about its answer. Shared by all variants
/// that run on the same axes.
struct workload {
  /// The bytes to fill each of the operation's buffers with, in order; or empty.
  std::vector<std::span<const std::byte>> contents;
  /// Compares the whole output with the oracle; one host pointer per buffer, null for all but outputs and
  /// findings.
  std::function<check_result(std::span<const std::byte* const>)> check;
  /// Checks a case's later launches, after a first one that `check` found right, for whatever a launch may
  /// get wrong by itself. For operations whose oracle is too slow to run for each. Empty: `check`.
  std::function<check_result(std::span<const std::byte* const>)> check_again = {};
  /// The variant whose outputs are the answer, of an operation without an oracle of its own; else empty.
  std::string oracle_variant = {};
  /// Takes that variant's outputs, in the form in which `check` does, before the first check of every case;
  /// empty unless a variant is the oracle.
  std::function<void(std::span<const std::byte* const>)> learn = {};
  /// Nothing: all launches have the same inputs.
  std::optional<input_editions> editions = {};
  /// The host reference: computes the answer in host buffers as a variant does on a GPU. Empty if there is
  /// none: then `learn` is not.
  std::function<void(std::span<void* const>)> reference;
  work_model work;
  /// `hash` of the input's bytes, and facts about the input: points, valid, non_finite, occupied …
  nlohmann::ordered_json input;
  /// Quality metrics of an output beyond right and wrong, named with their units (`locality_rms_m`): an
  /// object of numbers and nulls. Empty if the operation has none.
  std::function<nlohmann::ordered_json(std::span<const std::byte* const>)> quality;
  /// A small sample of an output for plotting: `picture` in reports/schema/record.schema.json. Empty if the
  /// operation has none.
  std::function<nlohmann::ordered_json(std::span<const std::byte* const>)> picture;
  /// Turns the instruments' raw counts into named figures; empty if the operation has no instruments. Returns
  /// null if the variant has no instrumented form.
  std::function<nlohmann::ordered_json(std::span<const std::uint64_t>)> read_instruments;
  /// Owns what the spans and functions above refer to.
  std::shared_ptr<const void> storage;
};

/// The public description of a variant.
struct variant_facts {
  std::string name;
  std::string description = {};
  ablate::switches switches = {};
  axis_conditions only_where = {};  ///< applies only at these axis values; elsewhere not_applicable
  int minimum_compute_capability = 80;
  bool has_launch = false;  ///< false in a build without CUDA
  /// Names of the input or scratch buffers that it does not use: it gets null for them, and its cases
  /// allocate no memory for them.
  std::vector<std::string> without = {};
  /// It promises that each launch leaves the same bits in outputs and results: one that does not is wrong.
  bool same_bits = false;
  /// What its launch function takes beside `switches`: the points around it.
  std::vector<switch_range> takes = {};
};

/// A value of a switch, and what it does: "lanes of a cell are merged before they count". Of a number nothing
/// needs to be said.
struct switch_value {
  std::string word, meaning = {};
};

/// A switch of an operation's kernels: a dimension of the space whose points its variants are. A variant that
/// does not state it has it off, which is a value only where its meaning needs a word.
struct switch_facts {
  std::string name;
  std::string description;  ///< what is chosen, with its unit: "threads of a block"
  std::vector<switch_value> values;
  std::string counter = {};  ///< what should move: "L2 atomic lanes, down"
  std::string source = {};   ///< paper and section; empty: ours
  /// Other switches at these values: where none of them holds, this one means nothing and no point states it.
  axis_conditions only_with = {};
};

/// A switch that means something only where `other` has one of these values, as `search` does only where a
/// table is kept in shared memory. Nested: where either holds.
inline switch_facts only_with(std::string other, std::vector<std::string> values, switch_facts of) {
  of.only_with.emplace_back(std::move(other), std::move(values));
  return of;
}

/// Variants, or points, that go by a common name beside `baseline`.
struct preset_lists {
  std::vector<std::string> published = {};  ///< as the sources of the operation have it
  /// At nearly every workload of the committed records the fastest is one of these, or within 2 % of one.
  std::vector<std::string> best = {};
};

/// A case that every GPU run measures before its own cases: what the chip achieves, from which floors are
/// computed. All variants that apply at these axes run; the best one sets the ceiling.
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
  std::vector<switch_facts> switches;  ///< empty: not declared
  std::vector<variant_facts> variants;
  std::string baseline;  ///< the variant that speedups are relative to
  preset_lists presets;
  std::vector<calibration> calibrations;  ///< empty unless the operation measures the chip itself

  /// The buffers at these axes, without generating any data.
  virtual std::vector<buffer> buffers(const axis_values&, const input_library&) const = 0;
  /// The same for a case of this variant (null: the host reference), with zero bytes for buffers it does not
  /// use. Throws std::logic_error if `without` names no buffer of the operation.
  std::vector<buffer> buffers_of(const variant_facts*, const axis_values&, const input_library&) const;
  /// Inputs, oracle and work model. Throws input_missing or bad_input.
  virtual workload prepare(const axis_values&, const input_library&) const = 0;
  /// A closure that launches the variant once on the given device buffers.
  virtual std::function<void(launcher&)> bind(const variant_facts&, const axis_values&, const input_library&,
                                              std::span<void* const> buffers) const = 0;
  /// Whether there is untimed work ahead of the timed region (`bind_ahead`). Throws as `buffers` does.
  virtual bool has_ahead(const axis_values&, const input_library&) const { return false; }
  /// Whether the region leaves the result of that work unchanged, so that it can be launched repeatedly.
  virtual bool keeps_ahead() const { return false; }
  /// Which clock times the region. Any but the device's: cold-clean only. Throws as `buffers` does.
  virtual region_clock clock(const axis_values&, const input_library&) const { return region_clock::device; }
  /// A closure that launches the work ahead of the timed region, on the same buffers as the variant: called
  /// after every reset, never timed. Empty if the region starts from the inputs.
  virtual std::function<void(launcher&)> bind_ahead(const variant_facts&, const axis_values&,
                                                    const input_library&, std::span<void* const>) const {
    return {};
  }
  /// A closure that turns a variant's own memory into outputs, if only the variant can, and compares them on
  /// the device: called after the variant and before each check, on the same buffers; never timed, never
  /// counted. Empty if the check reads the outputs as the variant left them.
  virtual std::function<void(launcher&)> bind_readback(const variant_facts&, const axis_values&,
                                                       const input_library&, std::span<void* const>) const {
    return {};
  }
  /// A closure that fills the buffers too large for the host, those of this variant (null: all): launched
  /// once on fresh buffers, before everything else. Empty if there are none.
  virtual std::function<void(launcher&)> bind_fill(const variant_facts*, const axis_values&,
                                                   const input_library&, std::span<void* const>) const {
    return {};
  }
  /// Why these axis values are not a valid case, or nothing.
  virtual std::optional<std::string> refuses(const axis_values&) const = 0;

  /// A variant by name, or a point by its spelling; null where there is none.
  const variant_facts* find_variant(std::string_view name) const;
  /// The variants of a preset: `baseline`, `published` or `best`. Empty for any other name, a variant's too,
  /// and where the operation has no such preset.
  std::vector<const variant_facts*> preset(std::string_view name) const;
  /// The point around a variant that has these values, a variant of its own name where one has just them;
  /// null where the launch function does not take them.
  const variant_facts* point(const variant_facts&, const switch_values&) const;

 private:
  mutable std::mutex making_points_;
  mutable std::map<std::string, variant_facts, std::less<>> points_;  ///< that were asked for
};

}  // namespace ABLATE_ABI
