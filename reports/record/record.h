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

#include "reports/record/comparison.h"
#include "reports/record/counters.h"
#include "reports/record/floors.h"

namespace ablate {

/// Axis or switch values in the order in which the record has them.
using named_words = std::vector<std::pair<std::string, std::string>>;

/// Figures by name in the order in which the record has them; null where one could not be had.
using named_figures = std::vector<std::pair<std::string, std::optional<double>>>;

/// Null when there is none of that name.
const std::string* find_word(const named_words&, std::string_view name);

/// What the device was about while samples were taken: medians over them.
struct clock_under_load {
  std::optional<double> sm_mhz, power_w;
  std::optional<std::vector<std::string>>
      event_reasons;    ///< why the clocks were not higher; nothing: not told
  bool steady = false;  ///< shown to be
};

/// One entry of `benchmarks`: a case that was measured and found correct.
struct measured_case {
  struct timing {
    double median_us, min_us, mad_us, ci95_low_us, ci95_high_us;
    std::string method;  ///< events, graph, host_clock, host_clock_graph
    long launches_per_sample, warmup_launches;
    std::string stopped_by;  ///< precision, time, samples
    std::vector<double> samples_us;
    std::optional<clock_under_load> clock;  ///< of a case that was to run at a steady clock
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
  /// Of the case's buffers, one set of them: not those that its variant does without.
  struct device_memory_use {
    double bytes;
    std::vector<std::pair<std::string, double>> by_buffer;
  };
  /// Null in the record where the ceiling was not measured.
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

  /// A small sample of the output, to be drawn: the same points in every panel.
  struct output_picture {
    enum class coloring {
      category,  ///< any label; neighboring labels differ in color
      members    ///< 1 in the set, 0 not
    };
    struct panel {
      std::string title;
      coloring kind;
    };
    struct point {
      double x, y;
      std::vector<long> colors;  ///< one for each panel
    };
    std::string title, x_title, y_title;
    std::vector<panel> panels;
    std::vector<point> points;
  };

  /// What one contestant took when it was its turn.
  struct turn {
    double median_us;
    clock_under_load clock;
  };

  std::string name, operation, variant, cache_state;
  named_words switches, axes;
  std::optional<std::string> ceiling;  ///< of a calibration: the ceiling that it measures
  timing time;
  work_amounts work;
  std::optional<device_memory_use> memory;  ///< nothing of the host reference and before version 1.4
  std::optional<floor_times> floors;
  counter_readings counters;
  std::optional<activity_timeline> timeline;
  std::vector<kernel_launch> kernels;
  nlohmann::ordered_json instrumented;  ///< an object of numbers, or null
  named_figures counted;  ///< of `instrumented` what is shown: nothing where `points_per_atomic` sums it up
  named_figures quality;  ///< of the output, beyond right and wrong; empty where the operation has none
  std::optional<output_picture> picture;
  nlohmann::ordered_json input;  ///< an object: hash, points, …
  named_words dispatch;          ///< of `input`: policy and the variant that it takes here
  bool is_checked = true;        ///< its output was compared with the oracle, as but in a gate's launch
  double max_error;              ///< of the outputs compared, in the operation's own measure
  std::optional<double> accepted_error;  ///< the most that max_error may be; nothing before version 1.8
  nlohmann::ordered_json device_state;   ///< {before, after}, or null
  /// Of a rival that took turns with Ablate's variants: a map a round, by variant, the rival's own turn in
  /// it.
  std::vector<std::map<std::string, turn>> in_turns;

  /// The items that one launch works on, all batches together: `input.points`, where the input has it.
  std::optional<double> items() const;
  /// What the instrumented form counted; nothing where there is none.
  std::optional<double> points_per_atomic() const;
  /// For each of `counters.kernels` the launches that it counted: one, or all of its name. Nothing where
  /// there are no counters, and where they do not fit the launches.
  std::vector<std::vector<const kernel_launch*>> counted_launches() const;
};

/// One entry of `unmeasured`.
struct unmeasured_case {
  std::string name, operation, variant, cache_state, status, reason;
  named_words axes;
};

/// What the compiler says of a kernel on one architecture.
struct compiled_kernel {
  long registers, spill_store_bytes, spill_load_bytes, stack_bytes, static_shared_bytes;
};

/// A record file (reports/schema/record.schema.json, schema 1.x.y), read and checked.
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
  };
  /// Kernels of others that a script added to the record as variants.
  struct rival_facts {
    std::string script, date;
    named_words software;  ///< name, version
    std::vector<std::string> operations, variants;
  };
  using kernel_builds = std::vector<std::pair<std::string, compiled_kernel>>;  ///< by architecture

  std::filesystem::path path;
  std::string date, schema, suite_name, suite_description, suite_hash, command;
  std::vector<comparison> comparisons;  ///< that the suite asks for; none in a record before version 1.4
  std::uint64_t seed = 0;
  nlohmann::ordered_json build, host, device;  ///< as in the record
  std::string device_name;
  bool on_gpu = false;
  std::vector<evidence_rung> evidence;
  measured_ceilings ceilings;
  std::vector<std::pair<std::string, kernel_builds>> kernels;  ///< by demangled name
  std::vector<operation_facts> operations;  ///< empty in a record that does not describe them
  std::vector<rival_facts> rivals;
  std::vector<measured_case> cases;
  std::vector<unmeasured_case> unmeasured;
};

/// Reads a record. Throws bad_input naming the file, the JSON pointer and what was expected there: a file
/// that is not JSON or ends early, another major version of the schema, a missing key, a wrong type, a time
/// that is not positive.
record read_record(const std::filesystem::path&);

/// The same for those who show times: throws bad_input too for a record of a gate's launch, whose outputs
/// were compared elsewhere.
record read_checked_record(const std::filesystem::path&);

}  // namespace ablate
