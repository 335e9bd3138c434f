#include "base/record/writer.h"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/record/floors.h"
#include "base/record/record_file.h"
#include "base/record/recorded_counters.h"
#include "base/record/upgrade.h"
#include "base/text/json_text.h"
#include "base/text/new_file.h"

namespace ablate {
namespace {

using nlohmann::ordered_json;

/// Units of work behind one ceiling: `dram_bytes` counts bytes, `atomics_equal` atomics, `tensor_bf16_flops`
/// FLOPs, `exponentials_f32` exponentials, `random_cas_16mib` accesses.
double amount_of(const std::string& resource, const measured_case& c) {
  if (resource.starts_with("random_")) return random_accesses(c.work.bytes, c.work.atomics);
  const std::pair<std::string, double> units[] = {{"bytes", c.work.bytes},
                                                  {"flops", c.work.flops},
                                                  {"atomics", c.work.atomics},
                                                  {"exponentials", c.work.exponentials.value_or(0)}};
  for (const auto& [unit, amount] : units)
    if (resource.ends_with("_" + unit) || resource.starts_with(unit + "_")) return amount;
  throw std::invalid_argument(fmt::format(
      "record: {}: expected a ceiling named launch*, *_bytes, *_flops, atomics_*, exponentials_* or "
      "random_*, found '{}'",
      c.name, resource));
}

measured_ceilings derive_ceilings(const std::vector<measured_case>& cases) {
  measured_ceilings out;
  for (const measured_case& c : cases) {
    if (!c.ceiling) continue;
    const std::string& resource = *c.ceiling;
    const bool is_time = resource.starts_with("launch");
    const double value = is_time ? c.time.median_us : amount_of(resource, c) / (c.time.median_us * 1e-6);
    if (!(value > 0) || !std::isfinite(value))
      throw std::invalid_argument(fmt::format(
          "record: {}: expected a positive median and work of the ceiling '{}'", c.name, resource));
    const auto [known, is_new] = out.try_emplace(resource);
    ceiling& best = known->second;
    if (is_new) best.place = out.size() - 1;
    if (!is_new && (is_time ? value >= best.us : value <= best.rate_per_s)) continue;
    (is_time ? best.us : best.rate_per_s) = value;
    best.case_name = c.name;
  }
  return out;
}

/// Leaves the static facts of the kernels that the cases launched: those of all others, which are most of a
/// program's, say nothing of what was measured.
void keep_launched_kernels(record& of) {
  std::set<std::string> launched;
  for (const measured_case& c : of.cases)
    for (const measured_case::kernel_launch& kernel : c.kernels) launched.insert(kernel.name);
  std::erase_if(of.kernels, [&](const auto& kernel) { return !launched.contains(kernel.first); });
}

/// The same of a record that came from a file.
void keep_launched_kernels(ordered_json& record) {
  ordered_json& facts = record["context"]["ablate"];
  if (!facts.contains("kernels")) return;
  std::set<std::string> launched;
  for (const ordered_json& entry : record["benchmarks"])
    for (const ordered_json& kernel : entry.value("kernels", ordered_json::array()))
      launched.insert(kernel.at("name").get<std::string>());
  ordered_json kept = ordered_json::object();
  for (auto& [name, builds] : facts["kernels"].items())
    if (launched.contains(name)) kept[name] = std::move(builds);
  facts["kernels"] = std::move(kept);
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

record formed_record(record of) {
  of.ceilings = derive_ceilings(of.cases);
  keep_launched_kernels(of);
  for (measured_case& c : of.cases) {
    c.floors = floors(of, of.ceilings, c);
    reports::form_counters(c.counters);
  }
  return of;
}

void write_formed_record(const std::filesystem::path& path, const record& of) {
  write_formed_record(path, to_json(of));
}

void write_formed_record(const std::filesystem::path& path, ordered_json record) {
  for (const char* key : {"context", "benchmarks", "unmeasured"})
    require_finite(record.at(key), std::string("record: /") + key);
  reports::upgrade(record, path.string());
  keep_launched_kernels(record);

  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path());
  reports::new_file out(path);
  out.write("{\n\"context\": " + reports::json_text(record["context"], 1) + ",\n");
  write_lines(out, "benchmarks", record["benchmarks"]);
  out.write(",\n");
  write_lines(out, "unmeasured", record["unmeasured"]);
  out.write("\n}\n");
  out.keep();
}

void write_record(const std::filesystem::path& path, record of) {
  write_formed_record(path, formed_record(std::move(of)));
}

void rewrite_record(const std::filesystem::path& from, const std::filesystem::path& to) {
  read_record(from);  // refuses what is no record
  write_formed_record(to, reports::parse_record_as_written(from));
}

}  // namespace ablate
