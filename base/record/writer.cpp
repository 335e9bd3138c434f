#include "base/record/writer.h"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <stdexcept>

#include "base/record/context_json.h"
#include "base/record/floors.h"
#include "base/record/record.h"
#include "base/record/record_file.h"
#include "base/record/recorded_counters.h"
#include "base/record/upgrade.h"
#include "base/text/json_text.h"
#include "base/text/new_file.h"

namespace ablate {
namespace {

using nlohmann::ordered_json;

double median_of(const ordered_json& entry) { return entry.at("time_us").at("median").get<double>(); }

/// Units of work behind one ceiling: `dram_bytes` counts bytes, `atomics_equal` atomics, `tensor_bf16_flops`
/// FLOPs, `random_cas_16mib` accesses.
double amount_of(const std::string& resource, const ordered_json& entry) {
  if (resource.starts_with("random_"))
    return random_accesses(entry.at("work").at("bytes").get<double>(),
                           entry.at("work").at("atomics").get<double>());
  for (const std::string unit : {"bytes", "flops", "atomics"})
    if (resource.ends_with("_" + unit) || resource.starts_with(unit + "_"))
      return entry.at("work").at(unit).get<double>();
  throw std::invalid_argument(
      fmt::format("record: {}: expected a ceiling named launch*, *_bytes, *_flops, atomics_* or random_*, "
                  "found '{}'",
                  entry.at("name").get<std::string>(), resource));
}

measured_ceilings derive_ceilings(const std::vector<ordered_json>& benchmarks) {
  measured_ceilings out;
  for (const ordered_json& entry : benchmarks) {
    if (!entry.contains("ceiling")) continue;
    const auto resource = entry["ceiling"].get<std::string>(), name = entry.at("name").get<std::string>();
    const bool is_time = resource.starts_with("launch");
    const double value = is_time ? median_of(entry) : amount_of(resource, entry) / (median_of(entry) * 1e-6);
    if (!(value > 0) || !std::isfinite(value))
      throw std::invalid_argument(
          fmt::format("record: {}: expected a positive median and work of the ceiling '{}'", name, resource));
    const auto [known, is_new] = out.try_emplace(resource);
    ceiling& best = known->second;
    if (is_new) best.place = out.size() - 1;
    if (!is_new && (is_time ? value >= best.us : value <= best.rate_per_s)) continue;
    (is_time ? best.us : best.rate_per_s) = value;
    best.case_name = name;
  }
  return out;
}

ordered_json with_floors(const ordered_json& entry, const measured_ceilings& ceilings, double l2_capacity) {
  ordered_json out;
  for (const auto& [key, value] : entry.items()) {
    if (key == "floors") continue;
    out[key] = value;
    if (key == "work")
      out["floors"] = floors(ceilings, nlohmann::json(value), median_of(entry),
                             entry.at("cache_state").get<std::string>(), l2_capacity);
  }
  return out;
}

/// Leaves the static facts of the kernels that the cases launched: those of all others, which are most of a
/// program's, say nothing of what was measured.
void keep_launched_kernels(ordered_json& facts, const ordered_json& benchmarks) {
  std::set<std::string> launched;
  for (const ordered_json& entry : benchmarks)
    for (const ordered_json& kernel : entry.value("kernels", ordered_json::array()))
      launched.insert(kernel.at("name").get<std::string>());
  ordered_json kept = ordered_json::object();
  for (auto& [name, builds] : facts.items())
    if (launched.contains(name)) kept[name] = std::move(builds);
  facts = std::move(kept);
}

/// 0 on a device of which the capacity is not known, and on the host.
double l2_bytes(const ordered_json& context) {
  const auto& facts = context.at("ablate");
  const auto device = facts.find("device");
  if (device == facts.end() || !device->is_object()) return 0;
  const auto bytes = device->find("l2_bytes");
  return bytes != device->end() && bytes->is_number() ? bytes->get<double>() : 0;
}

void write_lines(reports::new_file& out, const char* key, const ordered_json& entries) {
  out.write(fmt::format("\"{}\": [", key));
  for (std::size_t i = 0; i < entries.size(); ++i)
    out.write((i == 0 ? "\n" : ",\n") + reports::json_text(entries[i]));
  out.write(entries.empty() ? "]" : "\n]");
}

}  // namespace

void require_finite(const ordered_json& value, const std::string& place) {
  if (value.is_number_float() && !std::isfinite(value.get<double>()))
    throw std::invalid_argument(fmt::format("{}: expected a finite number", place));
  if (value.is_structured())
    for (const auto& [key, child] : value.items()) require_finite(child, place + "/" + key);
}

ordered_json formed_record(const ordered_json& context, std::vector<ordered_json> benchmarks,
                           std::vector<ordered_json> unmeasured) {
  ordered_json full_context = context;
  ordered_json& facts = full_context["ablate"];
  const measured_ceilings ceilings = derive_ceilings(benchmarks);
  facts["ceilings"] = ceilings_json(ceilings);
  const double l2_capacity = l2_bytes(full_context);
  if (facts.contains("kernels")) keep_launched_kernels(facts["kernels"], benchmarks);
  for (ordered_json& entry : benchmarks) {
    entry = with_floors(entry, ceilings, l2_capacity);
    reports::form_counters(entry);
  }
  return {{"context", std::move(full_context)},
          {"benchmarks", std::move(benchmarks)},
          {"unmeasured", std::move(unmeasured)}};
}

void write_formed_record(const std::filesystem::path& path, ordered_json record) {
  for (const char* key : {"context", "benchmarks", "unmeasured"})
    require_finite(record.at(key), std::string("record: /") + key);
  reports::upgrade(record, path.string());  // a journal may be an older program's
  ordered_json& facts = record["context"]["ablate"];
  if (facts.contains("kernels")) keep_launched_kernels(facts["kernels"], record["benchmarks"]);

  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path());
  reports::new_file out(path);
  out.write("{\n\"context\": " + reports::json_text(record["context"], 1) + ",\n");
  write_lines(out, "benchmarks", record["benchmarks"]);
  out.write(",\n");
  write_lines(out, "unmeasured", record["unmeasured"]);
  out.write("\n}\n");
  out.keep();
}

void write_record(const std::filesystem::path& path, const ordered_json& context,
                  std::vector<ordered_json> benchmarks, std::vector<ordered_json> unmeasured) {
  write_formed_record(path, formed_record(context, std::move(benchmarks), std::move(unmeasured)));
}

void rewrite_record(const std::filesystem::path& from, const std::filesystem::path& to) {
  read_record(from);  // refuses what is no record
  write_formed_record(to, reports::parse_record_as_written(from));
}

}  // namespace ablate
