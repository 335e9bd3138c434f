#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/record/case_name.h"
#include "base/record/floors.h"
#include "base/record/upgrade.h"
#include "base/statistics/quantile.h"
#include "reports/verify/silent_axes.h"
#include "reports/verify/tolerances.h"
#include "reports/verify/verify.h"

namespace ablate::verify {
namespace {

using nlohmann::ordered_json;

constexpr double rounding_of_rate = 1e-6;

/// The findings about one entry.
class entry_checks {
 public:
  entry_checks(const checked_record& r, std::size_t i, const silent_axes& silent, std::vector<finding>& to)
      : entry_(r.json.at("benchmarks").at(i)),
        silent_(silent),
        file_(r.file),
        pointer_(fmt::format("/benchmarks/{}", i)),
        to_(to) {}

  void all(bool is_since_1_9) {
    check_name();
    check_samples(is_since_1_9);
    check_totals();
    check_error();
    if (entry_.contains("sampled") && entry_.at("sampled").is_object()) check_sampled(entry_.at("sampled"));
  }

 private:
  void expect(const std::string& at, bool holds, const std::string& what) {
    if (!holds) to_.push_back({file_, pointer_ + at, what});
  }

  void expect_us(const std::string& key, double wanted, double tolerance, const char* of) {
    const double found = entry_.at("time_us").at(key).get<double>();
    expect("/time_us/" + key, std::fabs(found - wanted) <= tolerance,
           fmt::format("expected {:.3f}, {}, found {}", wanted, of, found));
  }

  void check_name() {
    case_name_parts parts{entry_.at("operation"), entry_.at("variant"), entry_.at("cache_state"), {}};
    for (const auto& [axis, value] : entry_.at("axes").items())
      if (!silent_.is_left_out(parts.operation, axis, value)) parts.axes.emplace_back(axis, value);
    const std::string wanted = case_name(parts);
    for (const char* key : {"name", "run_name"}) {
      const auto found = entry_.at(key).get<std::string>();
      expect(std::string("/") + key, found == wanted,
             fmt::format("expected '{}', after operation, variant, axes and cache state, found '{}'", wanted,
                         found));
    }
  }

  void check_samples(bool is_since_1_9) {
    auto samples = entry_.at("time_us").at("samples").get<std::vector<double>>();
    expect("/time_us/samples", !samples.empty(), "expected samples, found none");
    if (samples.empty()) return;
    std::sort(samples.begin(), samples.end());
    if (entry_.at("time_us").contains("samples_per_block")) return check_blocks(samples);
    const double median = gate::median(samples);
    expect_us("median", median, rounding_us, "the median of the samples");
    expect_us("min", samples.front(), rounding_us, "the least sample");
    std::vector<double> deviations;
    for (const double sample : samples) deviations.push_back(std::fabs(sample - median));
    expect_us("mad", gate::median(std::move(deviations)), 2 * rounding_us,
              "the median deviation of the samples");
    // harness/timing/statistics.cpp: order statistics, before 1.9 of a narrower rule.
    const double n = static_cast<double>(samples.size());
    const double reach = (is_since_1_9 ? 2.1 : 1.96) * std::sqrt(n) / 2;
    const auto at = [&](double place) { return samples[static_cast<std::size_t>(place)]; };
    expect_us("ci95_low", at(std::max(0.0, std::floor(n / 2 - reach))), rounding_us,
              "the order statistic of the samples");
    expect_us("ci95_high", at(std::min(n - 1, std::ceil(n / 2 + reach))), rounding_us,
              "the order statistic of the samples");
  }

  /// Half of all samples are at most the median, so that no block is wholly on one side of it.
  void check_blocks(const std::vector<double>& medians) {
    const ordered_json& time = entry_.at("time_us");
    const double median = time.at("median").get<double>(), least = time.at("min").get<double>();
    expect("/time_us/median",
           medians.front() - rounding_us <= median && median <= medians.back() + rounding_us,
           fmt::format("expected {} to {}, between the medians of its blocks, found {}", medians.front(),
                       medians.back(), median));
    expect("/time_us/min", least <= medians.front() + rounding_us,
           fmt::format("expected at most {}, the least median of a block, found {}", medians.front(), least));
  }

  void check_totals() {
    const ordered_json& time = entry_.at("time_us");
    for (const char* key : {"real_time", "cpu_time"}) {
      const double found = entry_.at(key).get<double>(), median = time.at("median").get<double>();
      expect(std::string("/") + key, found == median,
             fmt::format("expected {}, the median, found {}", median, found));
    }
    const auto wanted = static_cast<double>(time.at("samples").size()) *
                        time.value("samples_per_block", 1.0) * time.at("launches_per_sample").get<double>();
    const auto found = entry_.at("iterations").get<double>();
    expect("/iterations", found == wanted,
           fmt::format("expected {}, samples times launches of each, found {}", wanted, found));
  }

  void check_error() {
    const ordered_json& check = entry_.at("check");
    if (!check.contains("accepted_error")) return;
    const double error = check.at("max_error").get<double>(), most = check.at("accepted_error").get<double>();
    expect("/check/max_error", error <= most,
           fmt::format("expected at most accepted_error, {}, found {}", most, error));
  }

  /// Which of a device's parts can be active, for how long, and what follows from what.
  void check_sampled(const ordered_json& sampled) {
    constexpr double rounding_pct =
        1e-5;                           // each value is written by itself, with five digits after the point
    constexpr double noise_points = 1;  // counters of an interval are not latched at the same instant
    const double busy = sampled.at("busy_share").get<double>();
    expect("/sampled/busy_share", busy <= 1 + noise_points / 100,
           fmt::format("expected at most 1, found {}", busy));
    const ordered_json& mean = sampled.at("mean");
    const auto value_of = [&](const char* key) {
      return mean.contains(key) && mean.at(key).is_number() ? std::optional(mean.at(key).get<double>())
                                                            : std::nullopt;
    };
    const auto expect_within = [&](const char* key, std::optional<double> limit, const char* why) {
      if (const auto value = value_of(key); value && limit)
        expect(std::string("/sampled/mean/") + key, *value <= *limit + noise_points,
               fmt::format("expected at most {:.4g}, {}, found {:.4g}", *limit, why, *value));
    };
    expect_within("sm_active_pct", 100 * busy, "the busy share");
    for (const char* key : {"sm_issue_pct", "tensor_pct"})
      expect_within(key, value_of("sm_active_pct"), "SM active");
    for (const char* key : {"dram_read_pct", "dram_write_pct"}) expect_within(key, 100, "the peak");
    for (const auto& [key, value] : mean.items())
      if (value.is_number()) {
        const double wanted = value.get<double>() / busy;
        const double found = sampled.at("without_gaps").at(key).is_number()
                                 ? sampled.at("without_gaps").at(key).get<double>()
                                 : -1;
        expect("/sampled/without_gaps/" + key,
               std::fabs(found - wanted) <= rounding_pct * (2 + wanted) / busy,
               fmt::format("expected {:.5f}, the mean over the busy share, found {:.5f}", wanted, found));
      }
    const double range_us = sampled.at("range_us").get<double>();
    if (sampled.at("unsampled_us").is_number()) {
      const double wanted = 100 * (range_us / sampled.at("unsampled_us").get<double>() - 1);
      const double found =
          sampled.at("cost_pct").is_number() ? sampled.at("cost_pct").get<double>() : std::nan("");
      expect("/sampled/cost_pct", std::fabs(found - wanted) <= 1e-3 * std::max(1.0, std::fabs(wanted)),
             fmt::format("expected {:.4f}, range_us over unsampled_us, found {:.4f}", wanted, found));
    }
    // Nothing in a range is shorter than in a timed launch, except the round trip to an idle device, which
    // the host's clock includes.
    const double least_us = entry_.at("time_us").at("min").get<double>() / 2;
    expect(
        "/sampled/range_us", range_us >= least_us,
        fmt::format("expected at least {:.3f}, half of the least sample, found {:.3f}", least_us, range_us));
    expect("/sampled/interval_us", sampled.at("interval_us").get<double>() <= range_us,
           fmt::format("expected at most a range of {:.3f}", range_us));
  }

  const ordered_json& entry_;
  const silent_axes& silent_;
  const std::string& file_;
  std::string pointer_;
  std::vector<finding>& to_;
};

double amount_of(const std::string& ceiling, const ordered_json& work) {
  const double bytes = work.at("bytes").get<double>(), atomics = work.at("atomics").get<double>();
  if (ceiling.starts_with("random_")) return random_accesses(bytes, atomics);
  if (ceiling.starts_with("atomics_")) return atomics;
  if (ceiling.starts_with("exponentials_")) return work.value("exponentials", 0.0);
  return ceiling.ends_with("_flops") ? work.at("flops").get<double>() : bytes;
}

/// Every calibration is of a ceiling, and none reached more.
void check_calibrations(const checked_record& r, std::vector<finding>& to) {
  const ordered_json& entries = r.json.at("benchmarks");
  const ordered_json& ceilings = r.json.at("context").at("ablate").at("ceilings");
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!entries[i].contains("ceiling")) continue;
    const auto name = entries[i].at("ceiling").get<std::string>();
    const std::string pointer = fmt::format("/benchmarks/{}/ceiling", i);
    if (!ceilings.contains(name)) {
      to.push_back({r.file, pointer, fmt::format("expected one of the record's ceilings, found '{}'", name)});
      continue;
    }
    const double us = entries[i].at("time_us").at("median").get<double>();
    const bool is_time = name.starts_with("launch");
    const double reached = is_time ? us : amount_of(name, entries[i].at("work")) / (us * 1e-6);
    const double best = ceilings.at(name).at(is_time ? "us" : "rate_per_s").get<double>();
    if (is_time ? reached < best * (1 - rounding_of_rate) : reached > best * (1 + rounding_of_rate))
      to.push_back({r.file, pointer,
                    fmt::format("expected no better than the ceiling, {:.6g}, found {:.6g}", best, reached)});
  }
}

void check_ceilings(const checked_record& r, std::vector<finding>& to) {
  std::map<std::string, const ordered_json*> by_name;
  for (const ordered_json& entry : r.json.at("benchmarks")) by_name[entry.at("name")] = &entry;
  for (const auto& [name, ceiling] : r.json.at("context").at("ablate").at("ceilings").items()) {
    const std::string pointer = "/context/ablate/ceilings/" + name;
    const auto found = by_name.find(ceiling.at("case").get<std::string>());
    if (found == by_name.end() || found->second->value("ceiling", "") != name) {
      to.push_back(
          {r.file, pointer + "/case", "expected a calibration of this ceiling among the benchmarks"});
      continue;
    }
    const ordered_json& entry = *found->second;
    const double us = entry.at("time_us").at("median").get<double>();
    const bool is_time = name.starts_with("launch");
    const char* key = is_time ? "us" : "rate_per_s";
    const double wanted = is_time ? us : amount_of(name, entry.at("work")) / (us * 1e-6);
    const double value = ceiling.at(key).get<double>();
    if (std::fabs(value / wanted - 1) > rounding_of_rate)
      to.push_back(
          {r.file, pointer + "/" + key,
           fmt::format("expected {:.6g}, which its calibration reached, found {:.6g}", wanted, value)});
  }
  check_calibrations(r, to);
}

}  // namespace

void check_by_itself(const checked_record& r, std::vector<finding>& to) {
  const silent_axes silent(r.json.at("benchmarks"));
  const bool since_1_9 = reports::is_written_since(r.json.at("context").at("ablate"), 1, 9);
  for (std::size_t i = 0; i < r.json.at("benchmarks").size(); ++i)
    entry_checks(r, i, silent, to).all(since_1_9);
  check_ceilings(r, to);
}

}  // namespace ablate::verify
