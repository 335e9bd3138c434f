#include "harness/counters/requested_metrics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/text/names.h"
#include "harness/counters/counter_host.h"

namespace ablate {

namespace {

using names = std::vector<std::string>;

constexpr std::size_t names_to_suggest = 3;

/// In the order in which they are suggested.
constexpr const char* endings[] = {".sum",
                                   ".avg",
                                   ".max",
                                   ".pct",
                                   ".ratio",
                                   ".avg.pct_of_peak_sustained_elapsed",
                                   ".avg.pct_of_peak_sustained_active",
                                   ".avg.per_cycle_active",
                                   ".sum.per_second"};

const names& fingerprint(bool patched) {
  static const names of_hardware = {"smsp__inst_executed.sum", "sm__cycles_elapsed.max",
                                    "gpu__time_duration.sum"};
  static const names of_patches = {"smsp__sass_inst_executed.sum"};
  return patched ? of_patches : of_hardware;
}

bool is_patched(std::string_view metric) { return metric.starts_with("smsp__sass_"); }

bool contains(const names& in, const std::string& name) {
  return std::find(in.begin(), in.end(), name) != in.end();
}

/// Nothing if the silicon lacks one of them.
std::optional<std::size_t> passes_of(const names& metrics, const std::string& silicon) {
  try {
    return counter_host(counter_group::profiler::range, silicon, metrics).passes();
  } catch (const counters_unavailable&) {
    return std::nullopt;
  }
}

/// The base's names that the silicon has, the wished ending before others.
names complete_names(const std::string& base, const std::string& wished, const std::string& silicon) {
  names out;
  if (!wished.empty() && passes_of({base + wished}, silicon)) out.push_back(base + wished);
  for (const char* ending : endings)
    if (ending != wished && passes_of({base + ending}, silicon)) out.push_back(base + ending);
  return out;
}

/// Names that exist: other forms of the same base, else the most similar bases in one form each.
names similar(const std::string& metric, const std::string& silicon) {
  const std::size_t dot = metric.find('.');
  const std::string base = metric.substr(0, dot);
  const std::string ending = dot == std::string::npos ? "" : metric.substr(dot);
  names bases = base_metrics(silicon);
  names out;
  if (contains(bases, base)) {
    out = complete_names(base, ending, silicon);
    out.resize(std::min(out.size(), names_to_suggest));
    return out;
  }
  while (out.size() < names_to_suggest) {
    const std::optional<std::string> near = nearest(base, bases);
    if (!near) break;
    std::erase(bases, *near);
    if (const names whole = complete_names(*near, ending, silicon); !whole.empty())
      out.push_back(whole.front());
  }
  return out;
}

[[noreturn]] void refuse_unknown(const std::string& metric, const std::string& silicon) {
  const names near = similar(metric, silicon);
  throw metric_refused(fmt::format("{} has no metric '{}'; {}", silicon, metric,
                                   near.empty()
                                       ? std::string("CUPTI knows no name near it")
                                       : fmt::format("the nearest names are '{}'", fmt::join(near, "', '"))));
}

void check(const std::string& metric, const std::string& silicon) {
  if (!passes_of({metric}, silicon)) refuse_unknown(metric, silicon);
  names alone = fingerprint(is_patched(metric));
  if (contains(alone, metric)) return;
  alone.push_back(metric);
  const std::optional<std::size_t> passes = passes_of(alone, silicon);
  if (!passes) throw metric_refused(fmt::format("{} cannot read '{}' in a range", silicon, metric));
  if (*passes != 1)
    throw metric_refused(
        fmt::format("'{}' needs {} passes on {} and a launch is one pass; expected a metric of one, such as "
                    "the counters in it",
                    metric, *passes, silicon));
}

}  // namespace

std::vector<counter_group> one_pass_groups(const std::vector<std::string>& metrics,
                                           const std::string& silicon, const std::string& name,
                                           const std::string& purpose) {
  // Throws where CUPTI itself is what is missing.
  counter_host(counter_group::profiler::range, silicon, fingerprint(false));
  for (const std::string& metric : metrics) check(metric, silicon);
  std::vector<names> passes;
  for (const std::string& metric : metrics) {
    const bool patched = is_patched(metric);
    const auto takes = [&](names& pass) {
      if (is_patched(pass.front()) != patched) return false;
      if (contains(pass, metric)) return true;
      names with = pass;
      with.push_back(metric);
      if (passes_of(with, silicon) != 1u) return false;
      pass = std::move(with);
      return true;
    };
    if (std::any_of(passes.begin(), passes.end(), takes)) continue;
    passes.push_back(fingerprint(patched));
    if (!contains(passes.back(), metric)) passes.back().push_back(metric);
  }
  // Patched counters come last, as in the sets.
  std::stable_partition(passes.begin(), passes.end(),
                        [](const names& pass) { return !is_patched(pass.front()); });
  std::vector<counter_group> groups;
  for (names& pass : passes) {
    counter_group group;
    group.name = groups.empty() ? name : fmt::format("{}_{}", name, groups.size() + 1);
    group.purpose = purpose;
    group.metrics[silicon] = std::move(pass);
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace ablate
