#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/record/ceilings.h"
#include "base/record/counters.h"
#include "base/record/device_state.h"
#include "base/record/energy.h"
#include "base/record/neighbors.h"
#include "base/record/sampled.h"
#include "base/record/suite_report.h"

namespace ablate {

/// Axis or switch values, in the record's order.
using named_words = std::vector<std::pair<std::string, std::string>>;

/// Named figures, in the record's order; null where one could not be obtained.
using named_figures = counter_values;

/// Null when there is none of that name.
const std::string* find_word(const named_words&, std::string_view name);

/// Of a quantity that changed during sampling; the median represents it.
struct range_of_samples {
  double median, min, max;
  operator double() const { return median; }
};

/// The device's state over the samples of a case that was to run at a steady clock.
struct clock_over_samples {
  bool steady = false;        ///< shown to be
  std::optional<bool> level;  ///< steady, or swinging about one mean; nothing before version 1.19
  std::optional<range_of_samples> sm_mhz, power_w;
  std::optional<double> power_cap_w;
  std::optional<std::vector<std::string>>
      event_reasons;  ///< why the clocks were not higher; nothing: unknown
  double seconds = 0;
  long dropped_samples = 0;  ///< taken before those that count

  bool is_level() const { return steady || level.value_or(false); }
};

/// One entry of `benchmarks`: a case that was measured and found correct.
struct measured_case {
  struct timing {
    double median_us, min_us, mad_us, ci95_low_us, ci95_high_us;
    std::string method;  ///< events, graph, host_clock, host_clock_graph
    long launches_per_sample, warmup_launches;
    std::string stopped_by;                   ///< precision, time, samples
    std::vector<double> samples_us;           ///< in the order of time
    std::optional<clock_over_samples> clock;  ///< for a case that was to run at a steady clock
    /// Of a later launch of a suite: `samples_us` are medians of so many consecutive samples. Since 2.1.
    std::optional<long> samples_per_block = {};
    long sample_count() const { return static_cast<long>(samples_us.size()) * samples_per_block.value_or(1); }
    double half_width_us() const { return (ci95_high_us - ci95_low_us) / 2; }
  };
  struct work_amounts {
    struct random_access {
      std::string resource;
      double count, footprint_bytes;
    };
    /// A bound on the atomics by another ceiling than that of distinct addresses.
    struct reduction {
      std::string ceiling;
      double count;
    };
    /// All steps of one kind, of a pass whose steps follow one another. Amounts are of all of them together.
    struct step {
      std::string kind;
      double count = 0;
      double bytes = 0, written_bytes = 0, flops = 0, exponentials = 0;
    };
    double bytes;
    std::optional<double> written_bytes = {};  ///< of the bytes; nothing in a record before version 1.9
    double flops, atomics;
    std::string flop_pipe = {};              ///< fma_f32 or tensor_bf16; empty in a record before version 1.6
    std::vector<random_access> random = {};  ///< empty in a record before version 1.3
    std::vector<reduction> reductions = {};  ///< the greatest time is that of the atomics
    // Since version 2.2.
    std::optional<double> exponentials = {};
    std::optional<double> gathered_bytes = {};  ///< read from L2 by whoever shares nothing, repeats included
    std::vector<step> steps = {};
    double random_accesses() const;
  };
  /// One set of the case's buffers, without those that its variant does not use.
  struct device_memory_use {
    double bytes;
    std::vector<std::pair<std::string, double>> by_buffer;
  };
  /// The least time by each ceiling; null in the record if the ceiling was not measured. Some bound the task,
  /// others a way of doing it (floors.h): ask floor_of and model_of which one binds.
  struct floor_times {
    stated<double> dram_us, l2_us;  ///< bytes_us is the greater of the two; absent before version 1.9
    std::optional<double> launch_us, bytes_us, atomics_us, flops_us;
    stated<double> random_us;  ///< absent in a record before version 1.3
    /// Absent where there is no such work, and before version 2.2.
    stated<double> exponentials_us, gathered_us, steps_us;
    /// As the file has them: of the task; before version 2.2 of atomics and random accesses, too.
    std::optional<std::string> binding;
    std::optional<double> time_over_floor;
    /// As the file has them: absent where no model takes longer than the floor.
    std::optional<std::string> model_binding = {};
    std::optional<double> time_over_model = {};
  };
  struct kernel_launch {
    std::string name;  ///< demangled
    std::array<long, 3> grid, block;
    long dynamic_shared_bytes;
    counter_values theoretical_occupancy;  ///< by architecture, 0 to 1
  };

  /// A small sample of the output, for plotting: the same points in every panel.
  struct output_picture {
    enum class coloring {
      category,  ///< arbitrary labels; neighboring labels differ in color
      members    ///< 1 in the set, 0 not
    };
    struct panel {
      std::string title;
      coloring kind;
    };
    struct point {
      double x, y;
      std::vector<long> colors;  ///< one per panel
    };
    std::string title, x_title, y_title;
    std::vector<panel> panels;
    std::vector<point> points;
  };

  /// One contestant's time in one of its turns.
  struct turn {
    double median_us;
    std::optional<double> sm_mhz, power_w;
    std::optional<std::vector<std::string>> event_reasons;  ///< nothing: unknown
    bool steady = false;
    std::size_t place = 0;  ///< in its round
  };

  std::string name, operation, variant, cache_state;
  named_words switches, axes;
  std::optional<std::string> ceiling;  ///< of a calibration: the ceiling that it measures
  std::string specimen;                ///< a GPU's UUID or a host's name; empty where it is not known
  std::optional<double> elapsed_s;     ///< of the whole case, its input and checks too; since 1.12

  /// What `elapsed_s` went into, without phases below a millisecond.
  struct phases {
    std::optional<double> inputs, buffers, checks, samples, counters, sampling, rest;
  };
  std::optional<phases> phases_s;            ///< since 1.19
  std::optional<long> neighbors_busy;        ///< of a run on several devices
  std::optional<double> injected_delay_pct;  ///< by which the case was slowed on purpose, to test a gate

  /// The baseline of a long bundle, timed again at its end; since 1.16.
  struct timed_again {
    double median_us;
    double after_s;    ///< the first time
    double drift_pct;  ///< of the median; more than a percent says that the bundle's times may be off so far
  };
  std::optional<timed_again> again;
  timing time;
  work_amounts work;
  std::optional<device_memory_use> memory;  ///< nothing for the host reference and before version 1.4
  std::optional<floor_times> floors;
  counter_readings counters;
  stated<activity_timeline> timeline;
  std::string timeline_reason;       ///< why there is none where it was asked for
  stated<sampled_activity> sampled;  ///< if the suite requests it; nothing before version 1.16
  std::string sampled_reason;        ///< why there is none where it was asked for
  stated<energy_use> energy;         ///< if the suite requests it; nothing before version 2.1
  std::string energy_reason;         ///< why there is none where it was asked for
  std::vector<kernel_launch> kernels;
  named_figures instrumented;  ///< counts of the instrumented form; empty where there is none
  named_figures counted;  ///< the part of `instrumented` to show: empty where `points_per_atomic` sums it up
  named_figures quality;  ///< of the output, beyond right and wrong; empty if the operation has none
  std::optional<output_picture> picture;
  nlohmann::ordered_json input;  ///< an object that the operation makes: hash, points, …
  named_words dispatch;          ///< from `input`: policy and the variant that it picks here

  /// Of the outputs against the oracle.
  struct output_check {
    std::string before = "ok", after = "ok";  ///< not_checked in a gate's launch
    std::string timed;                        ///< of the timed launches; empty for rivals and before 1.8
    written_number max_error;                 ///< of the outputs compared, in the operation's own measure
    std::optional<double> accepted_error;     ///< upper limit on max_error; nothing before version 1.8
    std::optional<double> changed_share;  ///< of the bytes written, between the launches that were compared
    std::string against;                  ///< the variant that is the oracle; empty: the operation's own

    bool is_made() const { return before == "ok" && after == "ok"; }
  };
  output_check check;
  std::optional<states_of_device> device_state;
  /// For a rival that took turns with Ablate's variants: one map per round, by variant, including the rival's
  /// own turn.
  std::vector<std::map<std::string, turn>> in_turns;

  /// Energy-delay: the joules of a launch by its median.
  std::optional<double> energy_delay_mj_us() const {
    return energy ? std::optional(energy->launch_mj() * time.median_us) : std::nullopt;
  }
  /// The items that one launch processes, over all batches: `input.points`, if the input has it.
  std::optional<double> items() const;
  /// As counted by the instrumented kernel; nothing if there is none.
  std::optional<double> points_per_atomic() const;
  /// The launches that each of `counters.kernels` counted: one, or all of that name. Empty if there are no
  /// counters, or if they do not match the launches.
  std::vector<std::vector<const kernel_launch*>> counted_launches() const;
};

/// One entry of `unmeasured`.
struct unmeasured_case {
  std::string name, operation, variant, cache_state, status, reason;
  named_words axes;
  std::optional<std::string> ceiling = {};  ///< this and what follows as of a measured case
  std::string specimen = {};
  std::optional<double> elapsed_s = {};
  std::optional<long> neighbors_busy = {};
};

/// What became of a case: an entry of either kind.
class case_entry {
 public:
  case_entry(measured_case of) : is_(std::move(of)) {}
  case_entry(unmeasured_case of) : is_(std::move(of)) {}

  /// Null for one of the other kind.
  const measured_case* measured() const { return std::get_if<measured_case>(&is_); }
  measured_case* measured() { return std::get_if<measured_case>(&is_); }
  const unmeasured_case* unmeasured() const { return std::get_if<unmeasured_case>(&is_); }
  /// Calls `with` with either, for what both have.
  auto visit(const auto& with) const { return std::visit(with, is_); }
  auto visit(const auto& with) { return std::visit(with, is_); }

 private:
  std::variant<measured_case, unmeasured_case> is_;
};

/// What the compiler reports for a kernel on one architecture.
struct compiled_kernel {
  long registers;
  std::optional<long> spill_store_bytes, spill_load_bytes;  ///< nothing where machine code alone was read
  long stack_bytes, static_shared_bytes;
};

/// What Google Benchmark says of the host, and of itself.
struct benchmark_facts {
  std::string host_name, executable;
  long num_cpus = 0;
  written_number mhz_per_cpu;
  bool cpu_scaling_enabled = false;
  nlohmann::ordered_json caches = nlohmann::ordered_json::array();  ///< as Google Benchmark lists them
  std::vector<double> load_avg;
  std::string library_build_type;
};

/// What a program was built of. One of outside of the tree holds an Ablate, too.
struct program_build {
  struct held_library {
    std::string version, commit;
    bool dirty = false;
    std::string source_hash;
  };
  std::string version, commit;
  bool dirty = false;
  std::string source_hash, compiler;
  std::optional<std::string> cuda_compiler;
  std::vector<std::string> cuda_architectures;
  std::string build_type;
  std::optional<held_library> ablate;

  /// The hash of the sources; of a program outside of Ablate's tree also that of the Ablate that it holds:
  /// "hash+hash".
  std::string sources() const { return ablate ? source_hash + "+" + ablate->source_hash : source_hash; }
};

/// How a run was set up beside its suite.
struct run_settings {
  struct sampling_rule {
    long minimum_samples = 0, maximum_samples = 0;
    double half_width = 0, maximum_seconds = 0;
  };
  sampling_rule sampling;
  std::string filter;
  std::optional<std::string> counters;
  bool timeline = false;
  std::vector<std::string> only, ceilings;
  std::optional<std::uint64_t> order_seed;
  std::string together;  ///< operation, or empty
};

/// The part of a plan that was run.
struct shard_facts {
  std::optional<long> index;  ///< from 1; nothing in a merged record
  long count = 1;
  std::string plan;                                 ///< its hash
  std::vector<std::pair<std::string, long>> cases;  ///< of all parts, with their shards; empty in a whole one
};

/// Of a run on several devices: the process that drove one.
struct worker_facts {
  struct bound_cpus {
    long numa_node = 0;
    std::string list;
  };
  long number = 0, count = 0;
  std::optional<bound_cpus> cpus;
  std::optional<neighbor_facts> neighbors;
};

/// The counters that a run asked for.
struct asked_counters {
  struct meaning {
    std::string display, unit;
  };
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  std::vector<std::pair<std::string, meaning>> metrics;
};

/// A record file (reports/schema/record.schema.json; an older one upgraded), read and checked.
struct record {
  struct evidence_rung {
    std::string rung;
    bool available = false;
    std::string reason;
  };
  /// Of an operation that was not built into the program.
  struct outside_file {
    std::string file, hash;
  };
  struct operation_facts {
    std::string name, description, baseline;
    named_words axes;      ///< name, description with unit
    named_words variants;  ///< name, description
    /// Name, default: ids leave them out there; none in a record before version 1.17.
    named_words silent_axes = {};
    std::optional<outside_file> from = {};
  };
  /// Third-party kernels that a script added to the record as variants.
  struct rival_facts {
    std::string script, date;
    named_words software;  ///< name, version
    std::vector<std::string> operations, variants;
  };
  /// One of the runs that a merged record was made of.
  struct part {
    std::string hash;  ///< of the run's own record
    long shard = 1;
    std::string specimen, host_name, date, command;
    std::optional<worker_facts> worker;
    measured_ceilings ceilings;
    std::vector<std::pair<std::string, double>> calibrations;  ///< median in us by case

    /// In a run on several devices, if it could be measured; or null.
    const neighbor_facts* neighbors() const {
      return worker && worker->neighbors ? &*worker->neighbors : nullptr;
    }
  };
  using kernel_builds = std::vector<std::pair<std::string, compiled_kernel>>;  ///< by architecture

  std::filesystem::path path;
  /// Ids as the file has them, by today's, of cases whose names are of an earlier version (old_names.h).
  std::map<std::string, std::string> written_names;
  std::string date, schema, suite_name, suite_description, suite_hash, command;
  std::string upgraded_from;  ///< the version that it was written with; empty where nothing was upgraded
  benchmark_facts benchmark;
  /// Values that `run --axes` gave instead of the suite's, by axis; also `variants` and `cache`.
  std::vector<std::pair<std::string, std::vector<std::string>>> overrides;
  /// Of the suite: comparisons since version 1.4, the question since 1.11, its ladder since 1.15 and its
  /// exhibits since 1.16.
  recorded_report report;
  std::uint64_t seed = 0;
  std::optional<run_settings> settings;  ///< since 1.12
  std::optional<shard_facts> shard;      ///< since 1.12
  std::string specimen;                  ///< of a record of one run; since 1.12
  std::optional<worker_facts> worker;
  std::optional<asked_counters> counters;
  program_build build;
  nlohmann::ordered_json host, device;  ///< as in the record: what there is depends on the machine
  std::string device_name;
  bool on_gpu = false;
  std::vector<evidence_rung> evidence;
  measured_ceilings ceilings;
  std::vector<std::pair<std::string, kernel_builds>> kernels;  ///< by demangled name
  std::vector<operation_facts> operations;  ///< empty in a record that does not describe them
  std::vector<rival_facts> rivals;
  std::vector<part> parts;  ///< empty in a record of one run
  std::vector<measured_case> cases;
  std::vector<unmeasured_case> unmeasured;
};

/// A record of today's form (upgrade.h), its names unchanged. Throws bad_input.
void from_json(const reports::json_place&, record&);
nlohmann::ordered_json to_json(const record&);
/// Its `context`: all of it but the cases.
void context_from_json(const reports::json_place&, record&);
nlohmann::ordered_json context_json(const record&);
/// What a record consists of, as a JSON Schema: keys, which of them are required, and their values.
nlohmann::ordered_json record_fields();

/// Reads a record; what has names of an earlier version is called as today (old_names.h). Throws bad_input
/// naming the file, the JSON pointer and what was expected there: a file that is not JSON or ends early,
/// another major version of the schema, a missing key, a wrong type, a time that is not positive.
record read_record(const std::filesystem::path&);

/// Throws bad_input for a record whose outputs were compared elsewhere: a gate's launch, or a later launch of
/// a suite, whose first one compared them.
void require_checked(const record&);

/// read_record, for callers that show times: also throws bad_input for a record of a gate's launch, whose
/// outputs were compared elsewhere.
record read_checked_record(const std::filesystem::path&);

}  // namespace ablate
