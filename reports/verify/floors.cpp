#include <fmt/format.h>

#include <algorithm>

#include "reports/verify/verify.h"

namespace ablate::verify {
namespace {

using nlohmann::ordered_json;

// An empty launch is itself measured, and varies.
constexpr double least_share_of_launch = 0.9;

struct bound {
  double us;
  std::string why;
};

/// Of what the operation must move to or from device memory, whatever the variant: in a cold case what is
/// read, and what is written beyond the L2; in a rotating one everything; nothing in a hot one.
double compulsory_bytes(const ordered_json& entry, double l2_bytes) {
  const ordered_json& work = entry.at("work");
  const auto state = entry.at("cache_state").get<std::string>();
  const double all = work.at("bytes").get<double>();
  if (state == "rotating") return all;
  if (state != "cold-clean" || !work.contains("written_bytes")) return 0;
  return all - std::min(work.at("written_bytes").get<double>(), l2_bytes);
}

double counted_bytes(const ordered_json& entry) {
  const ordered_json& values = entry.at("counters").at("values");
  double sum = 0;
  for (const char* name : {"dram__bytes_read.sum", "dram__bytes_write.sum"})
    if (values.is_object() && values.contains(name) && values[name].is_number())
      sum += values[name].get<double>();
  return sum;
}

std::vector<bound> bounds_of(const ordered_json& entry, const data_sheet& sheet) {
  const ordered_json& work = entry.at("work");
  const bool is_fma = work.value("flop_pipe", "") == "fma_f32";
  const double flops_per_s = is_fma ? sheet.fma_flops_per_s : sheet.tensor_flops_per_s;
  std::vector<bound> out = {{compulsory_bytes(entry, sheet.l2_bytes) / sheet.dram_bytes_per_s * 1e6,
                             "the bytes of its work at the data sheet's rate of device memory"},
                            {counted_bytes(entry) / sheet.dram_bytes_per_s * 1e6,
                             "the DRAM bytes that were counted at the data sheet's rate"}};
  if (flops_per_s > 0)
    out.push_back({work.at("flops").get<double>() / flops_per_s * 1e6,
                   "the FLOPs of its work at the data sheet's rate"});
  const ordered_json& floors = entry.at("floors");
  if (floors.is_object() && floors.contains("launch_us") && floors["launch_us"].is_number())
    out.push_back({least_share_of_launch * floors["launch_us"].get<double>(),
                   "nine tenths of an empty launch in this record"});
  return out;
}

}  // namespace

std::size_t check_floors(const checked_record& r, const data_sheets& sheets, std::vector<finding>& to) {
  const auto sheet = sheets(r.json.at("context").at("ablate").at("device").at("name").get<std::string>());
  if (!sheet) return 0;
  const ordered_json& entries = r.json.at("benchmarks");
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const double median = entries[i].at("time_us").at("median").get<double>();
    for (const bound& b : bounds_of(entries[i], *sheet))
      if (median < b.us)
        to.push_back({r.file, fmt::format("/benchmarks/{}/time_us/median", i),
                      fmt::format("expected {:.3f} us or more, {}, found {}", b.us, b.why, median)});
  }
  return entries.size();
}

}  // namespace ablate::verify
