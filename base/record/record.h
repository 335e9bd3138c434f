#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/record/comparison.h"
#include "base/record/counters.h"
#include "base/record/exhibit.h"
#include "base/record/floors.h"
#include "base/record/ladder.h"
#include "base/record/neighbors.h"
#include "base/record/question.h"
#include "base/record/sampled.h"

namespace ablate {

/// Axis or switch values, in the record's order.
using named_words = std::vector<std::pair<std::string, std::string>>;

/// Named figures, in the record's order; null where one could not be obtained.
using named_figures = std::vector<std::pair<std::string, std::optional<double>>>;

/// Null when there is none of that name.
const std::string* find_word(const named_words&, std::string_view name);

/// The device's state while samples were taken: medians over the samples.
struct clock_under_load {
  std::optional<double> sm_mhz, power_w;
  std::optional<std::vector<std::string>>
      event_reasons;    ///< why the clocks were not higher; nothing: unknown
  bool steady = false;  ///< shown to be
  bool level = false;   ///< shown to be that at least: it swings about one mean
};

/// One entry of `benchmarks`: a case that was measured and found correct.
struct measured_case {
  struct timing {
    double median_us, min_us, mad_us, ci95_low_us, ci95_high_us;
    std::string method;  ///< events, graph, host_clock, host_clock_graph
    long launches_per_sample, warmup_launches;
    std::string stopped_by;  ///< precision, time, samples
    std::vector<double> samples_us;
    std::optional<clock_under_load> clock;  ///< for a case that was to run at a steady clock
    double half_width_us() const { return (ci95_high_us - ci95_low_us) / 2; }
  };
  struct work_amounts {
    struct random_access {
      std::string resource;
      double count, footprint_bytes;
    };
    double bytes, flops, atomics;
    std::string flop_pipe = {};              ///< fma_f32 or tensor_bf16; empty in a record before version 1.6
    std::vector<random_access> random = {};  ///< empty in a record before version 1.3
    double random_accesses() const;
  };
  /// One set of the case's buffers, without those that its variant does not use.
  struct device_memory_use {
    double bytes;
    std::vector<std::pair<std::string, double>> by_buffer;
  };
  /// Null in the record if the ceiling was not measured.
  struct floor_times {
    std::optional<double> launch_us, bytes_us, atomics_us, flops_us;
    std::optional<double> random_us;     ///< nothing in a record before version 1.3
    std::optional<std::string> binding;  ///< launch, bytes, atomics, flops, random
    std::optional<double> time_over_floor;
  };
  struct kernel_launch {
    std::string name;  ///< demangled
    std::array<long, 3> grid, block;
    long dynamic_shared_bytes;
    std::vector<std::pair<std::string, std::optional<double>>>
        theoretical_occupancy;  ///< by architecture, 0 to 1
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
    clock_under_load clock;
  };

  std::string name, operation, variant, cache_state;
  named_words switches, axes;
  std::optional<std::string> ceiling;  ///< of a calibration: the ceiling that it measures
  std::string specimen;                ///< a GPU's UUID or a host's name; empty where it is not known
  std::optional<double> elapsed_s;     ///< of the whole case, its input and checks too; since 1.12

  /// The baseline of a long bundle, timed again at its end; since 1.16.
  struct timed_again {
    double after_s;    ///< the first time
    double drift_pct;  ///< of the median; more than a percent says that the bundle's times may be off so far
  };
  std::optional<timed_again> again;
  timing time;
  work_amounts work;
  std::optional<device_memory_use> memory;  ///< nothing for the host reference and before version 1.4
  std::optional<floor_times> floors;
  counter_readings counters;
  std::optional<activity_timeline> timeline;
  std::optional<sampled_activity> sampled;  ///< if the suite asks for it; nothing before version 1.16
  std::string sampled_reason;               ///< why there is none where it was asked for
  std::vector<kernel_launch> kernels;
  nlohmann::ordered_json instrumented;  ///< an object of numbers, or null
  named_figures counted;  ///< the part of `instrumented` to show: empty where `points_per_atomic` sums it up
  named_figures quality;  ///< of the output, beyond right and wrong; empty if the operation has none
  std::optional<output_picture> picture;
  nlohmann::ordered_json input;  ///< an object: hash, points, …
  named_words dispatch;          ///< from `input`: policy and the variant that it picks here
  bool is_checked = true;        ///< output compared with the oracle: false only in a gate's launch
  std::string checked_against;   ///< the variant that is the oracle; empty: the operation's own oracle
  double max_error;              ///< of the outputs compared, in the operation's own measure
  std::optional<double> accepted_error;  ///< upper limit on max_error; nothing before version 1.8
  nlohmann::ordered_json device_state;   ///< {before, after}, or null
  /// For a rival that took turns with Ablate's variants: one map per round, by variant, including the rival's
  /// own turn.
  std::vector<std::map<std::string, turn>> in_turns;

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
  std::optional<double> elapsed_s = {};  ///< as of a measured case
};

/// What the compiler reports for a kernel on one architecture.
struct compiled_kernel {
  long registers;
  std::optional<long> spill_store_bytes, spill_load_bytes;  ///< nothing where machine code alone was read
  long stack_bytes, static_shared_bytes;
};

/// A record file (reports/schema/record.schema.json; an older one upgraded), read and checked.
struct record {
  struct evidence_rung {
    std::string rung;
    bool available = false;
    std::string reason;
  };
  struct operation_facts {
    std::string name, description, baseline;
    named_words axes;      ///< name, description with unit
    named_words variants;  ///< name, description
    /// Name, default: ids leave them out there; none in a record before version 1.17.
    named_words silent_axes = {};
  };
  /// Third-party kernels that a script added to the record as variants.
  struct rival_facts {
    std::string script, date;
    named_words software;  ///< name, version
    std::vector<std::string> operations, variants;
  };
  /// One of the runs that a merged record was made of.
  struct part {
    std::string specimen, host_name, date;
    std::vector<std::pair<std::string, double>> calibrations;  ///< median in us by case
    std::optional<neighbor_facts> neighbors = {};  ///< in a run on several devices, if it could be measured
  };
  using kernel_builds = std::vector<std::pair<std::string, compiled_kernel>>;  ///< by architecture

  std::filesystem::path path;
  /// Ids as the file has them, by today's, of cases whose names are of an earlier version (old_names.h).
  std::map<std::string, std::string> written_names;
  std::string date, schema, suite_name, suite_description, suite_hash, command;
  /// Values that `run --axes` gave instead of the suite's, by axis; also `variants` and `cache`.
  std::vector<std::pair<std::string, std::vector<std::string>>> overrides;
  std::vector<comparison> comparisons;     ///< requested by the suite; none in a record before version 1.4
  std::optional<suite_question> question;  ///< of the suite; nothing in a record before version 1.11
  std::optional<suite_ladder> ladder;      ///< of the suite; nothing in a record before version 1.15
  std::vector<suite_exhibit> exhibits;     ///< of the suite; none in a record before version 1.16
  std::uint64_t seed = 0;
  nlohmann::ordered_json build, host, device;  ///< as in the record
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

/// Reads a record; what has names of an earlier version is called as today (old_names.h). Throws bad_input
/// naming the file, the JSON pointer and what was expected there: a file that is not JSON or ends early,
/// another major version of the schema, a missing key, a wrong type, a time that is not positive.
record read_record(const std::filesystem::path&);

/// The same, for callers that show times: also throws bad_input for a record of a gate's launch, whose
/// outputs were compared elsewhere.
record read_checked_record(const std::filesystem::path&);

}  // namespace ablate
