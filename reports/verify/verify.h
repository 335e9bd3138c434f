#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ablate::verify {

/// What a device cannot exceed, from its data sheet, and what it is.
struct data_sheet {
  double dram_bytes_per_s = 0;
  double l2_bytes = 0;  ///< written bytes that fit need not go to device memory in a cold case
  double tensor_flops_per_s = 0, fma_flops_per_s = 0;
  double multiprocessors = 0, memory_bytes = 0;
  std::string chip = {}, silicon = {}, architecture = {}, compute_capability = {};

  /// The highest clock, at which the FLOPs are stated: two per lane and clock, with 64 lanes per
  /// multiprocessor on GA100, 128 on others.
  double sm_mhz() const {
    return fma_flops_per_s / (2 * (silicon == "GA100" ? 64 : 128) * multiprocessors) / 1e6;
  }
};

/// The data sheet of a product ("NVIDIA H200"); nothing for one that is not known, and for a host.
using data_sheets = std::function<std::optional<data_sheet>(const std::string& product)>;

/// What a suite plans here and now: may be another plan than a record's, whose hash tells.
struct known_plan {
  std::string about;               ///< for plan_hash (base/record/plan_hash.h)
  std::vector<std::string> names;  ///< of the cases, in order, without calibrations
};

/// The plan of a record's suite, from `context.ablate`; nothing where the suite of that hash is not at hand.
using known_plans = std::function<std::optional<known_plan>(const nlohmann::ordered_json& facts)>;

/// What a record is held against, beyond itself and other records.
struct held_against {
  data_sheets sheets;
  known_plans plans = {};  ///< may be empty
  std::optional<std::chrono::sys_seconds> now = {};
};

/// A record as its readers see it, with its path.
struct checked_record {
  std::string file;
  nlohmann::ordered_json json;
};

/// Reads a record. Throws bad_input as read_record does.
checked_record read(const std::filesystem::path&);

enum class severity {
  contradiction,  ///< fields that cannot all be what was measured
  mark            ///< what was measured, but of another launch or by another count than it is shown with
};

/// What does not hold, and where.
struct finding {
  std::string file, pointer, what;
  severity weight = severity::contradiction;
  std::string case_name = {};  ///< of a place within `benchmarks`

  /// One line: file, place, case, what was expected and what was found.
  std::string text() const;
};

/// How far the checks reached.
struct verification {
  std::vector<finding> findings;
  std::size_t cases = 0;
  std::size_t with_data_sheet = 0;  ///< cases held against the floors of a data sheet
  std::size_t with_counts = 0;  ///< cases whose counts were held against another record of the same sources
  std::size_t with_fleet = 0;   ///< ceilings held against those of other records of the same product
  std::size_t with_plan = 0;    ///< cases of records whose cases were held against their plan

  std::size_t contradictions() const;
};

/// Checks each record by itself, against the data sheet of its device, and against all others given and
/// those `beside`, which are not checked themselves.
verification verify(const std::vector<checked_record>&, const std::vector<checked_record>& beside,
                    const held_against&);

/// The ids are made of operation, variant, axes and cache state; median, extremes and interval follow from
/// the samples, totals from these; ceilings are what the calibrations reached; errors are accepted ones.
void check_by_itself(const checked_record&, std::vector<finding>&);

/// What Google Benchmark's tools read is constant; floors follow from the work and the ceilings; parts of a
/// sum make it; the rule that is said to have ended the samples did; drift follows from the second median.
void check_derived(const checked_record&, std::vector<finding>&);

/// Cases of one workload have the same work and input, those of one variant the same switches; what a product
/// of int8 takes is not charged like one of bf16.
void check_alike(const checked_record&, std::vector<finding>&);

/// Counters are not negative nor beyond their bounds, ratios follow from the counts beside them; a launch
/// reads what the work must read, and takes as long as the timed ones.
void check_counted(const checked_record&, std::vector<finding>&);

/// Dates follow each other; device, host and operations are those that the cases name.
void check_context(const checked_record&, const held_against&, std::vector<finding>&);

/// Every case of the plan is there, once, and no other. Returns the number of cases; none if the plan is not
/// known: before 1.12, in a merged record, or where neither the record's own names nor the suite's make its
/// hash.
std::size_t check_complete(const checked_record&, const known_plans&, std::vector<finding>&);

/// No median is below the time of the bytes and FLOPs that the work needs at the rates of the data sheet, nor
/// below that of half the DRAM bytes that were counted beyond these, in another launch; nor far below that of
/// an empty launch. No counted launch moved bytes faster than the data sheet says. Returns the number of
/// cases.
std::size_t check_floors(const checked_record&, const data_sheets&, std::vector<finding>&);

/// The ceilings are within what three or more other records of the same product reached. Returns how many
/// were held against them.
std::size_t check_fleet(const checked_record&, const std::vector<const checked_record*>& others,
                        std::vector<finding>&);

/// Instructions, and sectors of calibrations' atomics, are as another record of the same sources counted
/// them. Returns the number of cases.
std::size_t check_counts(const checked_record&, const std::vector<const checked_record*>& others,
                         std::vector<finding>&);

std::string verification_text(const verification&, std::size_t records);
nlohmann::ordered_json verification_json(const verification&);

}  // namespace ablate::verify
