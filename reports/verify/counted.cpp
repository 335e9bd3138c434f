// What counters can be, and whether the launch that was counted is like those that were timed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/record/bounded.h"
#include "base/record/case_json.h"
#include "base/record/counter_definitions.h"
#include "base/record/counter_regime.h"
#include "reports/verify/place.h"
#include "reports/verify/verify.h"

namespace ablate::verify {
namespace {

using nlohmann::ordered_json;

// Counts are written with six digits, and each ratio by itself.
constexpr double rounding_of_ratio = 1e-3;

// Compulsory reads are counted in sectors; a few of these stay in L2 from earlier passes.
constexpr double least_share_read = 0.97;

/// Passes that saw different work say so; then a figure beyond its bound is what they make of it.
severity weight_of(const counter_readings& counters) {
  return counters.coherent == false ? severity::mark : severity::contradiction;
}

void check_bounds(const counter_values& values, const place& at, const std::string& pointer,
                  severity weight) {
  for (const auto& [name, value] : values) {
    if (!value) continue;
    at.expect(*value >= 0, pointer + name, fmt::format("expected no less than 0, found {:.6g}", *value));
    if (const auto most = reports::max_of_counter(name); most && *value >= 0)
      at.expect(reports::shown_counter(name, *value).has_value(), pointer + name,
                fmt::format("expected at most {:g}, found {:.6g}", *most, *value), weight);
  }
}

/// Where all counters are of one pass, a ratio is what it is made of. Those of several kernels together
/// readers make themselves.
void check_ratios(const counter_values& values, const place& at, const std::string& pointer) {
  for (const auto& [name, value] : values) {
    const auto defined = defined_counters().find(name);
    if (!value || defined == defined_counters().end() || defined->second.of.empty()) continue;
    const auto of = find_counter(values, defined->second.of),
               over = find_counter(values, defined->second.over);
    if (!of || !over || !(*over > 0)) continue;
    const double wanted = defined->second.scale * *of / *over;
    at.expect_near(pointer + name, *value, wanted,
                   rounding_of_ratio * std::max(std::fabs(wanted), std::fabs(*value)),
                   defined->second.of + " over " + defined->second.over);
  }
}

void check_single_kernel(const counter_readings& counters, const place& at) {
  if (counters.kernels.size() != 1 || counters.kernels[0].launches() != 1) return;
  for (const auto& [name, value] : counters.kernels[0].values) {
    const auto of_case = counters.value(name);
    at.expect(of_case == value, "/counters/values/" + name,
              fmt::format("expected {}, as of its only kernel, found {}",
                          value ? fmt::format("{:.8g}", *value) : "null",
                          of_case ? fmt::format("{:.8g}", *of_case) : "null"));
  }
}

/// A cold launch reads what the work must read, unless its passes left some of that in L2, or the work is
/// less than it is said to be.
void check_compulsory_reads(const ordered_json& entry, const measured_case& c, const place& at) {
  const auto counted = c.counters.value("dram__bytes_read.sum");
  const ordered_json& work = entry.at("work");
  if (c.ceiling || c.cache_state != "cold-clean" || !counted || !work.contains("written_bytes")) return;
  const double must = work.at("bytes").get<double>() - work.at("written_bytes").get<double>();
  at.expect(*counted >= least_share_read * must, "/counters/values/dram__bytes_read.sum",
            fmt::format("expected {:.6g} or more, what the work must read of cold memory, found {:.6g}, "
                        "{:.2f} of it",
                        must, *counted, *counted / must),
            severity::mark);
}

void check_regime(const measured_case& c, const place& at) {
  if (c.ceiling) return;
  const auto ratio = reports::counted_over_timed(c);
  at.expect(
      !ratio, "/counters/values/gpu__time_duration.sum",
      fmt::format("expected a launch about as long as the timed ones, {:.3f} us, found {:.3f}, {:.2f}×: "
                  "these counters describe another regime",
                  c.time.median_us, c.counters.value("gpu__time_duration.sum").value_or(0) / 1e3,
                  ratio.value_or(1)),
      severity::mark);
}

void check_occupancy(const measured_case& c, const place& at) {
  for (std::size_t i = 0; i < c.kernels.size(); ++i) {
    const auto& kernel = c.kernels[i];
    for (const auto& [architecture, share] : kernel.theoretical_occupancy)
      at.expect(!share || *share <= 1, fmt::format("/kernels/{}/theoretical_occupancy/{}", i, architecture),
                fmt::format("expected at most 1, found {:.4g}", share.value_or(0)));
    const long threads = kernel.block[0] * kernel.block[1] * kernel.block[2];
    at.expect(threads >= 1 && threads <= 1024, fmt::format("/kernels/{}/block", i),
              fmt::format("expected 1 to 1024 threads, found {}", threads));
  }
}

}  // namespace

void check_counted(const checked_record& r, std::vector<finding>& to) {
  const ordered_json& entries = r.json.at("benchmarks");
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::string pointer = fmt::format("/benchmarks/{}", i);
    const place at(r, pointer, to);
    measured_case c;
    from_json(reports::json_place(entries[i], r.file, pointer), c);
    const severity weight = weight_of(c.counters);
    check_bounds(c.counters.values, at, "/counters/values/", weight);
    const bool is_one_pass = c.counters.set == "core", is_one_kernel = c.counters.kernels.size() <= 1;
    if (is_one_pass && is_one_kernel) check_ratios(c.counters.values, at, "/counters/values/");
    for (std::size_t k = 0; k < c.counters.kernels.size() && !is_one_kernel; ++k) {
      const std::string of_kernel = fmt::format("/counters/kernels/{}/values/", k);
      check_bounds(c.counters.kernels[k].values, at, of_kernel, weight);
      if (is_one_pass) check_ratios(c.counters.kernels[k].values, at, of_kernel);
    }
    at.expect(c.counters.kernels.empty() || !c.counted_launches().empty(), "/counters/kernels",
              "expected the kernels that the case launched, found others");
    check_single_kernel(c.counters, at);
    check_compulsory_reads(entries[i], c, at);
    check_regime(c, at);
    check_occupancy(c, at);
  }
}

}  // namespace ablate::verify
