#include "reports/views/record_tables.h"
#include "base/text/counted_noun.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "base/record/counter_regime.h"
#include "base/record/facts.h"
#include "base/record/input_marks.h"
#include "base/text/text.h"
#include "reports/views/labels.h"
#include "reports/views/metrics.h"

namespace ablate::reports {
namespace {

constexpr int max_drift_pct = 1;

using nlohmann::ordered_json;

std::string spills_text(const compiled_kernel& of) {
  if (!of.spill_store_bytes || !of.spill_load_bytes) return "unknown";
  return fmt::format("{} / {}", *of.spill_store_bytes, *of.spill_load_bytes);
}

std::string text_or(const ordered_json& object, const char* key, const std::string& otherwise = "unknown") {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() && !found->get<std::string>().empty()
             ? found->get<std::string>()
             : otherwise;
}

std::string or_unknown(const std::string& text) { return text.empty() ? "unknown" : text; }

std::string on_or_off(const ordered_json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_boolean()) return "unknown";
  return found->get<bool>() ? "on" : "off";
}

double number_or_zero(const ordered_json& object, const char* key) {
  return number_fact(object, key).value_or(0);
}

std::string device_text(const record& r) {
  if (!r.on_gpu) return r.device_name + " (the processor: host references, no GPU was used)";
  const ordered_json& d = r.device;
  std::string out =
      fmt::format("{} ({}, {}), {:.0f} SMs, {:.1f} MiB of L2, {:.1f} GiB of memory", r.device_name,
                  text_or(d, "silicon"), text_or(d, "architecture"), number_or_zero(d, "multiprocessors"),
                  number_or_zero(d, "l2_bytes") / (1 << 20), number_or_zero(d, "memory_bytes") / (1 << 30));
  out += fmt::format(", ECC {}, MIG {}", on_or_off(d, "ecc"), on_or_off(d, "mig"));
  if (const double cap = number_or_zero(d, "power_cap_w"); cap > 0)
    out += fmt::format(", power cap {:.0f} W", cap);
  return out;
}

std::string build_text(const record& r) {
  const program_build& b = r.build;
  std::string out =
      fmt::format("{} {}, commit {}{}, sources {}", or_unknown(b.version), or_unknown(b.build_type),
                  or_unknown(b.commit).substr(0, 12), b.dirty ? " with local changes" : "",
                  or_unknown(b.source_hash).substr(0, 16));
  out += "; " + or_unknown(b.compiler);
  if (b.cuda_compiler)
    out += fmt::format(", nvcc {} for {}", *b.cuda_compiler, joined(b.cuda_architectures));
  else
    out += ", without CUDA";
  return out;
}

/// Clocks, temperature and event reasons over all cases.
std::string device_state_text(const record& r) {
  double low = std::numeric_limits<double>::infinity(), high = 0, hottest = 0;
  std::map<std::string, std::size_t> reasons;
  std::size_t cases = 0;
  for (const measured_case& c : r.cases) {
    if (!c.device_state) continue;
    ++cases;
    std::set<std::string> here;
    for (const auto* state : {&c.device_state->before, &c.device_state->after}) {
      if (!*state) continue;
      if (const double clock = (*state)->sm_clock_mhz.value_or(0); clock > 0) {
        low = std::min(low, clock);
        high = std::max(high, clock);
      }
      hottest = std::max(hottest, static_cast<double>((*state)->temperature_c.value_or(0)));
      here.insert((*state)->reasons().begin(), (*state)->reasons().end());
    }
    for (const std::string& reason : here) ++reasons[reason];
  }
  if (cases == 0) return "";
  std::string out;
  if (high > 0) out += fmt::format("SM clock {:.0f} to {:.0f} MHz, ", low, high);
  if (hottest > 0) out += fmt::format("at most {:.0f} °C, ", hottest);
  out += "clock event reasons seen: ";
  if (reasons.empty()) return out + "none";
  std::vector<std::string> words;
  for (const auto& [reason, count] : reasons)
    words.push_back(fmt::format("{} ({} of {} cases)", reason, count, cases));
  return out + joined(words);
}

std::string cases_text(const record& r) {
  std::map<std::string, std::size_t> statuses;
  for (const unmeasured_case& c : r.unmeasured) ++statuses[c.status];
  std::vector<std::string> words;
  for (const auto& [status, count] : statuses) words.push_back(fmt::format("{} {}", count, status));
  std::string out = fmt::format("{} measured, {} not measured", r.cases.size(), r.unmeasured.size());
  return words.empty() ? out : out + " (" + joined(words) + ")";
}

/// "3 cases (12 % of points in grid), …": of those whose input is a degenerate one.
std::string input_marks_text(const record& r) {
  std::map<std::string, std::size_t> marks;
  for (const measured_case& c : r.cases)
    if (std::string mark = input_mark(c); !mark.empty()) ++marks[std::move(mark)];
  std::vector<std::string> words;
  for (const auto& [mark, count] : marks) words.push_back(counted_noun(count, "case") + mark);
  return joined(words);
}

std::string cache_state_text(const std::string& state) {
  if (state == "cold-clean")
    return "twice the L2 is written, then another twice the L2 read: nothing of the case is left in the "
           "caches, and nothing dirty";
  if (state == "hot") return "the same launch ran just before: what fits is in the caches";
  if (state == "rotating")
    return "each launch uses the next of a set of buffers which together exceed three times the L2";
  if (state == "host") return "the host reference, repeated on the processor";
  return "";
}

/// "cudnn, by scripts/… on 2026-11-20 (torch 2.11.0)"
std::string rivals_text(const record::rival_facts& added) {
  std::vector<std::string> versions;
  for (const auto& [name, version] : added.software) versions.push_back(name + " " + version);
  return fmt::format("{}, added by `{}` on {} ({})", joined(added.variants, ", "), added.script, added.date,
                     joined(versions, ", "));
}

std::string method_text(const std::string& method) {
  if (method == "events")
    return "CUDA events around one launch, after a kernel that spins until everything is queued";
  if (method == "graph")
    return "CUDA graphs of many launches; the time of a sample is divided by their number";
  if (method == "host_clock")
    return "the host's steady clock, from one call until its results are there and the device is idle";
  if (method == "host_clock_graph") return "the host's steady clock around one launch of a CUDA graph";
  return method;
}

/// Empty if no case was meant to run at a steady clock.
std::string steady_clocks_text(const record& r) {
  const auto with = [&](auto matches) {
    return std::count_if(r.cases.begin(), r.cases.end(),
                         [&](const measured_case& c) { return c.time.clock && matches(*c.time.clock); });
  };
  const auto cases = with([](const clock_over_samples&) { return true; });
  if (cases == 0) return "";
  const auto steady = with([](const clock_over_samples& clock) { return clock.steady; });
  const auto swinging = with([](const clock_over_samples& clock) { return clock.is_level(); }) - steady;
  std::string out = fmt::format(
      "**Clocks**: {} cases were sampled until the SM clock was steady, or swung about one mean; only the "
      "samples from then on count: {} steady, {} swinging",
      cases, steady, swinging);
  if (const auto neither = cases - steady - swinging; neither > 0)
    out += fmt::format("; of {} the clock was shown to be neither, and the second half counts", neither);
  return out + ".";
}

/// Of a merged record: curves over sizes, unlike speed-ups, may join what several GPUs measured.
std::string parts_text(const record& r) {
  if (r.parts.empty()) return "";
  std::set<std::string> specimens;
  for (const record::part& part : r.parts) specimens.insert(part.specimen);
  if (specimens.size() == 1) return fmt::format("{} runs on {}", r.parts.size(), *specimens.begin());
  return fmt::format(
      "{} runs on {} devices: {}. Variants of one workload share a device; curves along an axis may span "
      "several, and ceilings are the best of all",
      r.parts.size(), specimens.size(), fmt::join(specimens, ", "));
}

/// Of a run on several devices: by host, since each has neighbors of its own.
std::string neighbors_facts_text(const record& r) {
  std::map<std::string, std::string> by_host;
  for (const record::part& part : r.parts)
    if (const neighbor_facts* of = part.neighbors()) by_host.emplace(part.host_name, neighbors_text(*of));
  std::vector<std::string> lines;
  for (const auto& [host, text] : by_host) lines.push_back(by_host.size() == 1 ? text : host + ": " + text);
  return joined(lines, "; ");
}

/// Of baselines that were timed again at the end of their bundles: those that changed by more than a percent,
/// by name, since all ratios of their bundle are off by about as much.
std::string drift_text(const record& r) {
  std::size_t again = 0;
  std::vector<std::string> beyond;
  for (const measured_case& c : r.cases) {
    if (!c.again) continue;
    ++again;
    if (std::fabs(c.again->drift_pct) > max_drift_pct)
      beyond.push_back(
          fmt::format("{} by {:+.1f} % in {:.0f} s", c.name, c.again->drift_pct, c.again->after_s));
  }
  if (again == 0) return "";
  const std::string of = fmt::format("of {} baselines timed again at the end of long bundles", again);
  return beyond.empty() ? fmt::format("{}, none changed by more than {} %", of, max_drift_pct)
                        : fmt::format("{}, {} changed by more than {} %: {}", of, beyond.size(),
                                      max_drift_pct, fmt::join(beyond, "; "));
}

}  // namespace

std::vector<std::pair<std::string, std::string>> record_facts(const record& r) {
  std::vector<std::pair<std::string, std::string>> out;
  const auto fact = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) out.emplace_back(name, value);
  };
  fact("device", device_text(r));
  if (r.on_gpu)
    fact("driver", fmt::format("{}, CUDA {} (runtime {})", text_or(r.device, "driver"),
                               text_or(r.device, "cuda_driver"), text_or(r.device, "cuda_runtime")));
  fact("measured by", parts_text(r));
  fact("neighbors", neighbors_facts_text(r));
  fact("drift", drift_text(r));
  fact("device state", device_state_text(r));
  fact("host", fmt::format("{}, {}, {:.0f} logical CPUs", text_or(r.host, "cpu"), text_or(r.host, "system"),
                           number_or_zero(r.host, "logical_cpus")));
  fact("build", build_text(r));
  fact("suite", fmt::format("{} (hash {}), seed {}", suite_text(r), r.suite_hash, r.seed));
  fact("command", "`" + r.command + "`");
  for (const auto& added : r.rivals) fact("rivals", rivals_text(added));
  fact("date", r.date);
  fact("cases", cases_text(r));
  fact("degenerate inputs", input_marks_text(r));
  std::vector<std::string> missing;
  for (const auto& rung : r.evidence)
    if (!rung.available) missing.push_back(rung.rung + ": " + rung.reason);
  fact("missing evidence", joined(missing, "; "));
  return out;
}

table cache_state_table(const record& r) {
  table out{{"cache state", "content of the caches", "timed by", "cases", "samples a case"}, 3, {}};
  std::vector<std::pair<std::string, std::string>> kinds;
  for (const measured_case& c : r.cases)
    if (std::find(kinds.begin(), kinds.end(), std::pair{c.cache_state, c.time.method}) == kinds.end())
      kinds.emplace_back(c.cache_state, c.time.method);
  for (const auto& [state, method] : kinds) {
    std::size_t cases = 0;
    long fewest = std::numeric_limits<long>::max(), most = 0;
    for (const measured_case& c : r.cases) {
      if (c.cache_state != state || c.time.method != method) continue;
      ++cases;
      fewest = std::min(fewest, c.time.sample_count());
      most = std::max(most, c.time.sample_count());
    }
    out.lines.push_back({{state, cache_state_text(state), method_text(method), std::to_string(cases),
                          fewest == most ? std::to_string(most) : fmt::format("{} to {}", fewest, most)},
                         {}});
  }
  return out;
}

table ceiling_table(const record& r) {
  table out{{"ceiling", "variant", "axes", "cache state", "median µs", "reached", "is the ceiling"}, 4, {}};
  for (const measured_case& c : r.cases) {
    if (!c.ceiling) continue;
    std::vector<std::string> axes;
    for (const auto& [name, value] : c.axes) axes.push_back(name);
    const bool bytes = c.ceiling->ends_with("_bytes"), flops = c.ceiling->ends_with("_flops");
    const bool random = c.ceiling->starts_with("random_"),
               exponentials = c.ceiling->starts_with("exponentials_");
    const double amount = random         ? random_accesses(c.work.bytes, c.work.atomics)
                          : bytes        ? c.work.bytes
                          : flops        ? c.work.flops
                          : exponentials ? c.work.exponentials.value_or(0)
                                         : c.work.atomics;
    const std::string reached =
        c.ceiling->starts_with("launch")
            ? significant(c.time.median_us) + " µs"
            : with_prefix(amount / (c.time.median_us * 1e-6)) + (random         ? "accesses/s"
                                                                 : bytes        ? "B/s"
                                                                 : flops        ? "FLOP/s"
                                                                 : exponentials ? "exponentials/s"
                                                                                : "atomics/s");
    const auto best = r.ceilings.find(*c.ceiling);
    out.lines.push_back(
        {{*c.ceiling, c.variant, axes_text(c.axes, axes), c.cache_state, median_with_interval(c.time),
          reached, best != r.ceilings.end() && best->second.case_name == c.name ? "yes" : ""},
         {c.name}});
  }
  return out;
}

table kernel_table(const record& r, const operation_view& view) {
  // A kernel, once for each block size and dynamic shared memory that it was launched with.
  struct use {
    measured_case::kernel_launch kernel;
    std::vector<std::string> variants, cases;
  };
  std::vector<use> uses;
  for (const measured_case& c : r.cases) {
    if (c.operation != view.name) continue;
    for (const auto& kernel : c.kernels) {
      auto found = std::find_if(uses.begin(), uses.end(), [&](const auto& entry) {
        return entry.kernel.name == kernel.name && entry.kernel.block == kernel.block &&
               entry.kernel.dynamic_shared_bytes == kernel.dynamic_shared_bytes;
      });
      if (found == uses.end()) found = uses.insert(uses.end(), {kernel, {}, {}});
      if (std::find(found->variants.begin(), found->variants.end(), c.variant) == found->variants.end())
        found->variants.push_back(c.variant);
      if (found->cases.empty() || found->cases.back() != c.name) found->cases.push_back(c.name);
    }
  }
  table out{{"kernel", "variants", "architecture", "block", "registers", "spill bytes (store / load)",
             "static shared bytes", "dynamic shared bytes", "theoretical occupancy"},
            3,
            {}};
  for (const auto& [kernel, variants, cases] : uses) {
    const auto builds =
        std::find_if(r.kernels.begin(), r.kernels.end(),
                     [&name = kernel.name](const auto& entry) { return entry.first == name; });
    for (const auto& [architecture, occupancy] : kernel.theoretical_occupancy) {
      std::vector<std::string> compiled = {"unknown", "unknown", "unknown"};
      if (builds != r.kernels.end())
        for (const auto& [built_for, facts] : builds->second)
          if (built_for == architecture)
            compiled = {std::to_string(facts.registers), spills_text(facts),
                        std::to_string(facts.static_shared_bytes)};
      std::string block = std::to_string(kernel.block[0]);
      if (kernel.block[1] * kernel.block[2] > 1)
        block = fmt::format("{}×{}×{}", kernel.block[0], kernel.block[1], kernel.block[2]);
      out.lines.push_back(
          {{"`" + short_kernel_name(kernel.name) + "`", joined(variants), architecture, block, compiled[0],
            compiled[1], compiled[2], std::to_string(kernel.dynamic_shared_bytes),
            occupancy ? fmt::format("{:.1f} %", *occupancy * 100) : "unknown"},
           cases});
    }
  }
  return out;
}

bool has_energy(const record& r) {
  return std::any_of(r.cases.begin(), r.cases.end(),
                     [](const measured_case& c) { return c.energy.has_value(); });
}

std::vector<std::string> how_measured(const record& r) {
  std::vector<std::string> out = {
      "**Time** is the median of the samples, each sample the time of one launch (see the cache states "
      "above). The interval is the 95 % interval of the median by order statistics within this run; it says "
      "nothing about other runs, clocks or machines."};
  std::map<std::string, std::size_t> stopped;
  for (const measured_case& c : r.cases) ++stopped[c.time.stopped_by];
  std::vector<std::string> words;
  for (const auto& [why, count] : stopped) words.push_back(fmt::format("{} in {} cases", why, count));
  if (!words.empty()) out.push_back(fmt::format("**Sampling** was ended by {}.", joined(words)));
  if (const std::string clocks = steady_clocks_text(r); !clocks.empty()) out.push_back(clocks);
  out.insert(out.end(),
             {"**Correctness**: the whole output of every case was compared with the oracle before and after "
              "timing; a case that differs has no time and is listed under the cases not measured.",
              "**Speed-up** is the baseline's median over the variant's, at the same axes, cache state and "
              "method of timing. Its interval is the widest that the two medians' intervals allow.",
              "**Throughput** is the input's points, all batches together, over the median.",
              "**Floors** divide the least work of the operation (bytes that must move, FLOPs, atomics to "
              "distinct addresses, random accesses), whatever the variant does, by the ceilings measured in "
              "this run; the greatest binds. Hot cases use the L2 ceiling if there is one, random accesses "
              "the rate over the largest measured footprint within their own.",
              "**Points per atomic** come from a second, instrumented build of each kernel, run once per "
              "case and never timed.",
              "**Registers, spills and shared memory** are the compiler's report; theoretical occupancy is "
              "computed from them by NVIDIA's formulas, for each architecture."});
  if (has_energy(r))
    out.push_back(
        "**Energy** is the joules of one launch, idle power included, by NVML's counter of the board's "
        "energy over a loop of launches; in a cold-clean case, less the resets and L2 flushes, metered "
        "alone. Its interval is of this loop alone. Energy × time is its product with the median.");
  if (std::any_of(r.cases.begin(), r.cases.end(), [](const auto& c) { return !c.counted.empty(); }))
    out.push_back(
        "**Counts in the kernels** also come from their instrumented build, run once per case and never "
        "timed.");
  if (std::any_of(r.cases.begin(), r.cases.end(), [](const auto& c) { return !c.quality.empty(); }))
    out.push_back(
        "**Quality** is computed on the host from the output checked after timing: figures in which correct "
        "outputs may differ. Speed-ups are fair only at equal quality; where some figure differs from the "
        "baseline's by more than 5 %, the speed-up has a ≠.");
  if (std::any_of(r.cases.begin(), r.cases.end(), [](const auto& c) { return c.counters.any(); })) {
    out.push_back(
        "**Counters** are of one launch of the case in its cache state, read after timing in separate "
        "passes, which are never timed. For several kernels, counts and cycles are sums, and every ratio is "
        "the sum of its numerators over that of its denominators.");
    if (const auto marked = std::count_if(r.cases.begin(), r.cases.end(),
                                          [](const auto& c) { return counted_over_timed(c).has_value(); }))
      out.push_back(fmt::format("**Another regime**: {}. Cases: {}.", about_regime_mark, marked));
    words.clear();
    for (const metric& m : case_metrics()) words.push_back(fmt::format("{}: {}", m.title, m.formula));
    out.push_back("**Figures from counters**: " + joined(words, "; ") + ".");
  }
  out.push_back(
      "Raw samples are in the record; cases.csv, speedup.csv and unmeasured.csv are made "
      "from it by `ablate report`.");
  return out;
}

}  // namespace ablate::reports
