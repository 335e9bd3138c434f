#include "reports/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <set>

#include "reports/text.h"

namespace ablate::reports {
namespace {

using nlohmann::ordered_json;

std::string text_or(const ordered_json& object, const char* key, const std::string& otherwise = "unknown") {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() && !found->get<std::string>().empty()
             ? found->get<std::string>()
             : otherwise;
}

std::string on_or_off(const ordered_json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_boolean()) return "unknown";
  return found->get<bool>() ? "on" : "off";
}

double number_or_zero(const ordered_json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : 0;
}

std::string joined(const std::vector<std::string>& words, const char* between = ", ") {
  return fmt::format("{}", fmt::join(words, between));
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
  const ordered_json& b = r.build;
  std::string out =
      fmt::format("{} {}, commit {}{}, sources {}", text_or(b, "version"), text_or(b, "build_type"),
                  text_or(b, "commit").substr(0, 12), b["dirty"].get<bool>() ? " with local changes" : "",
                  text_or(b, "source_hash").substr(0, 16));
  out += "; " + text_or(b, "compiler");
  if (b["cuda_compiler"].is_string())
    out += fmt::format(", nvcc {} for {}", b["cuda_compiler"].get<std::string>(),
                       joined(b["cuda_architectures"].get<std::vector<std::string>>()));
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
    if (c.device_state.is_null()) continue;
    ++cases;
    std::set<std::string> here;
    for (const char* when : {"before", "after"}) {
      const auto state = c.device_state.find(when);
      if (state == c.device_state.end() || !state->is_object()) continue;
      if (const double clock = number_or_zero(*state, "sm_clock_mhz"); clock > 0) {
        low = std::min(low, clock);
        high = std::max(high, clock);
      }
      hottest = std::max(hottest, number_or_zero(*state, "temperature_c"));
      if (const auto found = state->find("event_reasons"); found != state->end() && found->is_array())
        for (const ordered_json& reason : *found)
          if (reason.is_string()) here.insert(reason.get<std::string>());
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

std::string facts_table(const record& r) {
  std::string out = "| | |\n| --- | --- |\n";
  const auto fact = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) out += table_row({name, value});
  };
  fact("device", device_text(r));
  if (r.on_gpu)
    fact("driver", fmt::format("{}, CUDA {} (runtime {})", text_or(r.device, "driver"),
                               text_or(r.device, "cuda_driver"), text_or(r.device, "cuda_runtime")));
  fact("device state", device_state_text(r));
  fact("host", fmt::format("{}, {}, {:.0f} logical CPUs", text_or(r.host, "cpu"), text_or(r.host, "system"),
                           number_or_zero(r.host, "logical_cpus")));
  fact("build", build_text(r));
  fact("suite", fmt::format("{} (hash {}), seed {}", r.suite_name, r.suite_hash, r.seed));
  fact("command", "`" + r.command + "`");
  fact("date", r.date);
  fact("cases", cases_text(r));
  std::vector<std::string> missing;
  for (const auto& rung : r.evidence)
    if (!rung.available) missing.push_back(rung.rung + ": " + rung.reason);
  fact("missing evidence", joined(missing, "; "));
  return out + "\n";
}

std::string cache_state_text(const std::string& state) {
  if (state == "cold-clean")
    return "twice the L2 is written, then another twice the L2 read: the caches hold nothing of the case and "
           "nothing dirty";
  if (state == "hot") return "the same launch ran just before: whatever fits the caches is there";
  if (state == "rotating")
    return "each launch uses the next of a set of buffers which together exceed three times the L2";
  if (state == "host") return "the host reference, repeated on the processor";
  return "";
}

std::string method_text(const std::string& method) {
  if (method == "events")
    return "CUDA events around one launch, behind a kernel that spins until everything is queued";
  if (method == "graph")
    return "CUDA graphs of many launches; the time of a sample is divided by their number";
  if (method == "host_clock") return "the host's steady clock around one call";
  return method;
}

std::string cache_state_table(const record& r) {
  std::string out =
      table_header({"cache state", "what stands in the caches", "timed by", "cases", "samples a case"}, 3);
  std::vector<std::pair<std::string, std::string>> kinds;
  for (const measured_case& c : r.cases)
    if (std::find(kinds.begin(), kinds.end(), std::pair{c.cache_state, c.time.method}) == kinds.end())
      kinds.emplace_back(c.cache_state, c.time.method);
  for (const auto& [state, method] : kinds) {
    std::size_t cases = 0, fewest = std::numeric_limits<std::size_t>::max(), most = 0;
    for (const measured_case& c : r.cases) {
      if (c.cache_state != state || c.time.method != method) continue;
      ++cases;
      fewest = std::min(fewest, c.time.samples_us.size());
      most = std::max(most, c.time.samples_us.size());
    }
    out += table_row({state, cache_state_text(state), method_text(method), std::to_string(cases),
                      fewest == most ? std::to_string(most) : fmt::format("{} to {}", fewest, most)});
  }
  return out + "\n";
}

std::string ceilings_section(const record& r) {
  std::string out = "## Measured ceilings\n\n";
  const bool any =
      std::any_of(r.cases.begin(), r.cases.end(), [](const auto& c) { return c.ceiling.has_value(); });
  if (!any) return out + "None was measured in this run, so no case has floors.\n\n";
  out +=
      "The best that this device reached in this run; the floors below divide each case's least work by "
      "these.\n\n";
  out += table_header({"ceiling", "variant", "axes", "cache state", "median µs", "reached", "is the ceiling"},
                      4);
  for (const measured_case& c : r.cases) {
    if (!c.ceiling) continue;
    std::vector<std::string> axes;
    for (const auto& [name, value] : c.axes) axes.push_back(name);
    const bool bytes = c.ceiling->ends_with("_bytes"), flops = c.ceiling->ends_with("_flops");
    const double amount = bytes ? c.work.bytes : flops ? c.work.flops : c.work.atomics;
    const std::string reached =
        c.ceiling->starts_with("launch")
            ? significant(c.time.median_us) + " µs"
            : with_prefix(amount / (c.time.median_us * 1e-6)) + (bytes   ? "B/s"
                                                                 : flops ? "FLOP/s"
                                                                         : "atomics/s");
    const auto best = r.ceilings.find(*c.ceiling);
    out += table_row({*c.ceiling, c.variant, axes_text(c.axes, axes), c.cache_state,
                      median_with_interval(c.time), reached,
                      best != r.ceilings.end() && best->second.case_name == c.name ? "yes" : ""});
  }
  return out + "\n";
}

std::vector<std::string> axis_cells(const comparable_cases& row, const std::vector<std::string>& axes) {
  std::vector<std::string> out;
  for (const std::string& axis : axes) out.push_back(row.value(axis));
  return out;
}

std::string details(const std::string& title, const std::string& body) {
  return "<details><summary>" + title + "</summary>\n\n" + body + "\n</details>\n\n";
}

std::string images(const std::vector<plot>& plots, bool drawn) {
  std::string out;
  if (drawn)
    for (const plot& p : plots) out += fmt::format("![{}](plots/{}.svg)\n\n", p.title, p.name);
  return out;
}

/// Rows of a table: axes that vary and one cell a variant; left out where no variant has a cell.
template <class Cell>
std::string variant_table(
    const operation_view& view, const std::vector<const comparable_cases*>& rows,
    const std::vector<std::string>& variants, const std::vector<std::string>& more_columns, Cell cell_of,
    const std::function<std::vector<std::string>(const comparable_cases&)>& more_cells) {
  const std::vector<std::string> axes = view.varying_axes();
  std::vector<std::string> header = {"cache state"};
  header.insert(header.end(), axes.begin(), axes.end());
  header.insert(header.end(), more_columns.begin(), more_columns.end());
  header.insert(header.end(), variants.begin(), variants.end());
  std::string body;
  for (const comparable_cases* row : rows) {
    std::vector<std::string> cells = {row->cache_state};
    const auto values = axis_cells(*row, axes);
    cells.insert(cells.end(), values.begin(), values.end());
    const auto more = more_cells(*row);
    cells.insert(cells.end(), more.begin(), more.end());
    bool any = false;
    for (const std::string& variant : variants) {
      cells.push_back(cell_of(*row, variant));
      any = any || !cells.back().empty();
    }
    if (any) body += table_row(cells);
  }
  return body.empty() ? "" : table_header(header, 1 + axes.size()) + body;
}

std::vector<std::string> no_cells(const comparable_cases&) { return {}; }

std::vector<const comparable_cases*> all_rows(const operation_view& view) {
  std::vector<const comparable_cases*> out;
  for (const comparable_cases& row : view.rows) out.push_back(&row);
  return out;
}

/// Each workload at the greatest of the sizes at which most variants were measured.
std::vector<const comparable_cases*> headline_rows(const operation_view& view) {
  std::vector<const comparable_cases*> out;
  const auto same_workload = [&](const comparable_cases& a, const comparable_cases& b) {
    return a.cache_state == b.cache_state && a.method == b.method &&
           std::all_of(view.axes.begin(), view.axes.end(), [&](const auto& axis) {
             return axis == view.swept || a.value(axis) == b.value(axis);
           });
  };
  for (const comparable_cases& row : view.rows)
    if (out.empty() || !same_workload(*out.back(), row))
      out.push_back(&row);
    else if (row.by_variant.size() >= out.back()->by_variant.size())
      out.back() = &row;
  return out;
}

std::string headline(const operation_view& view) {
  std::string out = "### Headline\n\nMedian µs ± half of its 95 % interval";
  if (view.variants.size() > 1)
    out += fmt::format(", and in brackets the speed-up over `{}` (above 1 is faster)", view.baseline);
  if (view.swept)
    out +=
        fmt::format("; each workload at the greatest `{}` at which most variants were measured", *view.swept);
  out += ".\n\n";
  return out +
         variant_table(
             view, headline_rows(view), view.variants, {},
             [&](const comparable_cases& row, const std::string& variant) -> std::string {
               const measured_case* c = row.of(variant);
               if (!c) return "";
               const auto up = view.speed_up_of(row, variant);
               return median_with_interval(c->time) + (up ? fmt::format(" ({:.2f}×)", up->ratio) : "");
             },
             no_cells) +
         "\n";
}

std::string scaling_section(const operation_view& view, const operation_plots& plots, bool drawn) {
  auto groups = view.scaling_groups(2);
  std::erase_if(groups, [&](const scaling_group& g) { return g.axis != view.swept && g.points.size() < 3; });
  if (groups.empty()) return "";
  std::string out = "### Time and throughput against input size\n\n" + images(plots.scaling, drawn);
  if (plots.scaling_left_out > 0)
    out += fmt::format("{} further groups are not plotted; cases.csv has them.\n\n", plots.scaling_left_out);
  std::string tables;
  for (const scaling_group& group : groups) {
    std::vector<std::string> other_axes;
    for (const std::string& axis : view.varying_axes())
      if (axis != group.axis) other_axes.push_back(axis);
    const std::string fixed = axes_text(group.fixed, other_axes);
    std::vector<std::string> variants;
    for (const std::string& variant : view.variants)
      if (std::any_of(group.points.begin(), group.points.end(),
                      [&](const auto* p) { return p->of(variant); }))
        variants.push_back(variant);
    std::vector<std::string> header = {group.axis};
    header.insert(header.end(), variants.begin(), variants.end());
    tables += fmt::format("**{}{}{}**\n\n", fixed, fixed.empty() ? "" : ", ", group.cache_state);
    tables += table_header(header, 0);
    for (const comparable_cases* row : group.points) {
      std::vector<std::string> cells = {row->value(group.axis)};
      for (const std::string& variant : variants) {
        const measured_case* c = row->of(variant);
        if (!c) {
          cells.emplace_back();
          continue;
        }
        const auto items = c->items();
        cells.push_back(median_with_interval(c->time) +
                        (items ? "; " + with_prefix(*items / (c->time.median_us * 1e-6)) + "points/s" : ""));
      }
      tables += table_row(cells);
    }
    tables += "\n";
  }
  return out + details("Median µs ± half of its 95 % interval, and throughput, by size", tables);
}

std::string speed_up_section(const operation_view& view, const operation_plots& plots, bool drawn) {
  const std::vector<std::string> others(view.variants.begin() + 1, view.variants.end());
  const std::string table = variant_table(
      view, all_rows(view), others, {},
      [&](const comparable_cases& row, const std::string& variant) -> std::string {
        const auto up = view.speed_up_of(row, variant);
        return up ? fmt::format("{:.3f} ({:.3f} to {:.3f})", up->ratio, up->low, up->high) : "";
      },
      no_cells);
  if (table.empty()) return "";
  return fmt::format("### Speed-up over `{}`\n\n", view.baseline) + images(plots.speed_up, drawn) +
         details(
             fmt::format(
                 "Median of `{}` over the variant's median, with the interval that both 95 % intervals span",
                 view.baseline),
             table);
}

std::string floor_section(const operation_view& view, const operation_plots& plots, bool drawn) {
  const auto floor_cells = [&](const comparable_cases& row) -> std::vector<std::string> {
    for (const auto& [variant, c] : row.by_variant) {
      if (!c->floors || !c->floors->binding || !c->floors->time_over_floor) continue;
      return {*c->floors->binding, significant(c->time.median_us / *c->floors->time_over_floor)};
    }
    return {"", ""};
  };
  const std::string table = variant_table(
      view, all_rows(view), view.variants, {"binding floor", "floor µs"},
      [&](const comparable_cases& row, const std::string& variant) -> std::string {
        const measured_case* c = row.of(variant);
        return c && c->floors && c->floors->time_over_floor
                   ? fmt::format("{:.2f}", *c->floors->time_over_floor)
                   : "";
      },
      floor_cells);
  if (table.empty()) return "";
  return "### Time over floor\n\n" + images(plots.floor, drawn) +
         details("Median over the greatest of the floors of launch, bytes, atomics and FLOPs", table);
}

std::string merging_section(const operation_view& view, const operation_plots& plots, bool drawn) {
  const auto cell = [](const comparable_cases& row, const std::string& variant) -> std::string {
    const measured_case* c = row.of(variant);
    const std::optional<double> value = c ? c->points_per_atomic() : std::nullopt;
    return value ? fmt::format("{:.2f}", *value) : "";
  };
  std::vector<const comparable_cases*> rows;
  for (const comparable_cases& row : view.rows)
    if (std::none_of(rows.begin(), rows.end(), [&](const auto* other) { return other->axes == row.axes; }))
      rows.push_back(&row);
  const std::string table = variant_table(view, rows, view.variants, {}, cell, no_cells);
  if (table.empty()) return "";
  return "### Points per atomic\n\n" + images(plots.merging, drawn) +
         details("Counted by the instrumented forms, which are never timed", table);
}

std::string occupancy_section(const record& r, const operation_view& view) {
  // A kernel once for each block size and dynamic shared memory that it was launched with.
  std::vector<std::pair<measured_case::kernel_launch, std::vector<std::string>>> uses;
  for (const measured_case& c : r.cases) {
    if (c.operation != view.name) continue;
    for (const auto& kernel : c.kernels) {
      auto found = std::find_if(uses.begin(), uses.end(), [&](const auto& entry) {
        return entry.first.name == kernel.name && entry.first.block == kernel.block &&
               entry.first.dynamic_shared_bytes == kernel.dynamic_shared_bytes;
      });
      if (found == uses.end()) found = uses.insert(uses.end(), {kernel, {}});
      if (std::find(found->second.begin(), found->second.end(), c.variant) == found->second.end())
        found->second.push_back(c.variant);
    }
  }
  if (uses.empty()) return "";
  std::string out = "### Theoretical occupancy and static facts\n\n";
  out +=
      table_header({"kernel", "variants", "architecture", "block", "registers", "spill bytes (store / load)",
                    "static shared bytes", "dynamic shared bytes", "theoretical occupancy"},
                   3);
  for (const auto& [kernel, variants] : uses) {
    const auto builds = std::find_if(r.kernels.begin(), r.kernels.end(),
                                     [&](const auto& entry) { return entry.first == kernel.name; });
    for (const auto& [architecture, occupancy] : kernel.theoretical_occupancy) {
      std::vector<std::string> compiled = {"unknown", "unknown", "unknown"};
      if (builds != r.kernels.end())
        for (const auto& [built_for, facts] : builds->second)
          if (built_for == architecture)
            compiled = {std::to_string(facts.registers),
                        fmt::format("{} / {}", facts.spill_store_bytes, facts.spill_load_bytes),
                        std::to_string(facts.static_shared_bytes)};
      std::string block = std::to_string(kernel.block[0]);
      if (kernel.block[1] * kernel.block[2] > 1)
        block = fmt::format("{}×{}×{}", kernel.block[0], kernel.block[1], kernel.block[2]);
      out += table_row({"`" + short_kernel_name(kernel.name) + "`", joined(variants), architecture, block,
                        compiled[0], compiled[1], compiled[2], std::to_string(kernel.dynamic_shared_bytes),
                        occupancy ? fmt::format("{:.1f} %", *occupancy * 100) : "unknown"});
    }
  }
  return out + "\n";
}

std::string operation_section(const record& r, const operation_view& view, const operation_plots& plots,
                              bool drawn) {
  std::string out = fmt::format("## {}\n\n", view.name);
  if (!view.description.empty()) out += view.description + "\n\n";
  std::vector<std::string> fixed;
  for (const std::string& axis : view.axes)
    if (!view.varies(axis)) fixed.push_back(axis);
  if (!fixed.empty()) out += fmt::format("Everywhere: {}.\n\n", axes_text(view.rows.front().axes, fixed));
  if (view.variants.size() == 1)
    out += fmt::format("Only `{}` was measured, so there are no speed-ups.\n\n", view.variants.front());
  return out + headline(view) + speed_up_section(view, plots, drawn) + scaling_section(view, plots, drawn) +
         floor_section(view, plots, drawn) + merging_section(view, plots, drawn) + occupancy_section(r, view);
}

std::string unmeasured_section(const record& r) {
  if (r.unmeasured.empty()) return "## Cases not measured\n\nNone: every case of the suite was measured.\n\n";
  struct group {
    std::string operation, status, reason, example;
    std::vector<std::string> variants;
    std::size_t count;
  };
  std::vector<group> groups;
  for (const unmeasured_case& c : r.unmeasured) {
    auto found = std::find_if(groups.begin(), groups.end(), [&](const group& g) {
      return g.operation == c.operation && g.status == c.status && g.reason == c.reason;
    });
    if (found == groups.end())
      found = groups.insert(groups.end(), {c.operation, c.status, c.reason, c.name, {}, 0});
    ++found->count;
    if (std::find(found->variants.begin(), found->variants.end(), c.variant) == found->variants.end())
      found->variants.push_back(c.variant);
  }
  std::string out = "## Cases not measured\n\n";
  out += table_header({"operation", "status", "reason", "variants", "first case", "cases"}, 5);
  for (const group& g : groups)
    out += table_row({g.operation, g.status, g.reason, joined(g.variants), "`" + g.example + "`",
                      std::to_string(g.count)});
  return out + "\n";
}

std::string how_section(const record& r) {
  std::string out = "## How every number was measured\n\n";
  out +=
      "- **Time** is the median of the samples, each sample the time of one launch (see the cache states "
      "above). The "
      "interval is the 95 % interval of the median by order statistics within this run; it says nothing of "
      "other runs, "
      "clocks or machines.\n";
  std::map<std::string, std::size_t> stopped;
  for (const measured_case& c : r.cases) ++stopped[c.time.stopped_by];
  std::vector<std::string> words;
  for (const auto& [why, count] : stopped) words.push_back(fmt::format("{} in {} cases", why, count));
  if (!words.empty()) out += fmt::format("- **Sampling** was ended by {}.\n", joined(words));
  out +=
      "- **Correctness**: the whole output of every case was held against the oracle before and after "
      "timing; a case that "
      "differs shows no time and stands under the cases not measured.\n"
      "- **Speed-up** is the baseline's median over the variant's, at the same axes, cache state and method "
      "of timing. Its "
      "interval is the widest that the two medians' intervals allow.\n"
      "- **Throughput** is the input's points, all batches together, over the median.\n"
      "- **Floors** divide the least work of the operation (bytes that must move, FLOPs, atomics to distinct "
      "addresses), "
      "whatever the variant does, by the ceilings measured in this run; the greatest binds. Hot cases are "
      "held against "
      "the L2 ceiling where there is one.\n"
      "- **Points per atomic** come from a second, instrumented build of each kernel, run once per case and "
      "never timed.\n"
      "- **Registers, spills and shared memory** are the compiler's report; theoretical occupancy follows "
      "from them by "
      "NVIDIA's occupancy formulas, for each architecture, without running.\n"
      "- Raw samples are in the record; cases.csv, speedup.csv and unmeasured.csv are made from it by "
      "`ablate report`.\n\n";
  return out;
}

}  // namespace

std::string record_summary(const record& r, const std::vector<operation_view>& views,
                           const std::vector<operation_plots>& plots, bool drawn) {
  std::string out = fmt::format("# {} on {}\n\n", r.suite_name, r.device_name);
  if (!r.suite_description.empty()) out += r.suite_description + "\n\n";
  out += facts_table(r);
  if (r.cases.empty())
    out += "No case was measured.\n\n";
  else
    out += "## Cache states and timing\n\n" + cache_state_table(r) + ceilings_section(r);
  for (std::size_t i = 0; i < views.size(); ++i) out += operation_section(r, views[i], plots[i], drawn);
  return out + unmeasured_section(r) + how_section(r);
}

}  // namespace ablate::reports
