#include "reports/writer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <stdexcept>

#include "reports/compact_counters.h"
#include "reports/floors.h"

namespace ablate {
namespace {

using nlohmann::ordered_json;

/// The library writes NaN as null, which would turn a broken number into a missing one.
void require_finite(const ordered_json& value, const std::string& pointer) {
  if (value.is_number_float() && !std::isfinite(value.get<double>()))
    throw std::invalid_argument(fmt::format("record: {}: expected a finite number", pointer));
  if (value.is_structured())
    for (const auto& [key, child] : value.items()) require_finite(child, pointer + "/" + key);
}

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

ordered_json derive_ceilings(const std::vector<ordered_json>& benchmarks) {
  ordered_json out = ordered_json::object();
  for (const ordered_json& entry : benchmarks) {
    if (!entry.contains("ceiling")) continue;
    const auto resource = entry["ceiling"].get<std::string>();
    const bool is_time = resource.starts_with("launch");
    const char* quantity = is_time ? "us" : "rate_per_s";
    const double value = is_time ? median_of(entry) : amount_of(resource, entry) / (median_of(entry) * 1e-6);
    if (!(value > 0) || !std::isfinite(value))
      throw std::invalid_argument(
          fmt::format("record: {}: expected a positive median and work of the ceiling '{}'",
                      entry.at("name").get<std::string>(), resource));
    if (out.contains(resource)) {
      const double best = out[resource][quantity].get<double>();
      if (is_time ? value >= best : value <= best) continue;
    }
    out[resource] = {{quantity, value}, {"case", entry.at("name")}};
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

/// 0 on a device of which the capacity is not known, and on the host.
double l2_bytes(const ordered_json& context) {
  const auto& facts = context.at("ablate");
  const auto device = facts.find("device");
  if (device == facts.end() || !device->is_object()) return 0;
  const auto bytes = device->find("l2_bytes");
  return bytes != device->end() && bytes->is_number() ? bytes->get<double>() : 0;
}

void write_lines(std::ostream& out, const char* key, const std::vector<ordered_json>& entries) {
  out << fmt::format("\"{}\": [", key);
  for (std::size_t i = 0; i < entries.size(); ++i)
    out << (i == 0 ? "\n" : ",\n") << reports::with_compact_counters(entries[i]).dump();
  out << (entries.empty() ? "]" : "\n]");
}

}  // namespace

void write_record(const std::filesystem::path& path, const ordered_json& context,
                  std::vector<ordered_json> benchmarks, std::vector<ordered_json> unmeasured) {
  ordered_json full_context = context;
  full_context["ablate"]["ceilings"] = derive_ceilings(benchmarks);
  const measured_ceilings ceilings = parse_ceilings(full_context["ablate"]["ceilings"]);
  const double l2_capacity = l2_bytes(full_context);
  for (ordered_json& entry : benchmarks) entry = with_floors(entry, ceilings, l2_capacity);

  require_finite(full_context, "/context");
  require_finite(benchmarks, "/benchmarks");
  require_finite(unmeasured, "/unmeasured");

  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path());
  std::filesystem::path unfinished = path;
  unfinished += fmt::format(".{}.part", ::getpid());
  {
    std::ofstream out(unfinished, std::ios::binary);
    out << "{\n\"context\": " << full_context.dump(1) << ",\n";
    write_lines(out, "benchmarks", benchmarks);
    out << ",\n";
    write_lines(out, "unmeasured", unmeasured);
    out << "\n}\n";
    out.close();
    if (!out) {
      std::error_code ignored;
      std::filesystem::remove(unfinished, ignored);
      throw std::runtime_error(fmt::format("{}: the record cannot be written", path.string()));
    }
  }
  std::filesystem::rename(unfinished, path);
}

}  // namespace ablate
