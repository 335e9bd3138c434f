// What cases of one workload, or of one variant, have in common.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "reports/verify/place.h"
#include "reports/verify/verify.h"

namespace ablate::verify {
namespace {

using nlohmann::ordered_json;

/// The cases that must agree in one key.
struct alike {
  std::map<std::string, std::size_t> cases_by_value;
  std::vector<std::size_t> entries;
};

/// What most of them have: one forged entry does not make the others wrong.
std::string of_most(const alike& group) {
  return std::ranges::max_element(group.cases_by_value, {}, [](const auto& value) { return value.second; })
      ->first;
}

template <class Group>
void expect_alike(const checked_record& r, const char* key, const char* of, Group group_of,
                  std::vector<finding>& to) {
  const ordered_json& entries = r.json.at("benchmarks");
  std::map<std::string, alike> groups;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].contains("ceiling")) continue;
    alike& group = groups[group_of(entries[i])];
    ++group.cases_by_value[entries[i].at(key).dump()];
    group.entries.push_back(i);
  }
  for (const auto& [name, group] : groups) {
    if (group.cases_by_value.size() == 1) continue;
    const ordered_json wanted = ordered_json::parse(of_most(group));
    for (const std::size_t i : group.entries)
      for (const auto& [field, value] : wanted.items()) {
        const ordered_json& here = entries[i].at(key);
        place(r, fmt::format("/benchmarks/{}/{}", i, key), to)
            .expect_equal("/" + field, here.contains(field) ? here.at(field) : ordered_json(), value, of);
      }
  }
}

std::string workload_of(const ordered_json& entry) {
  return entry.at("operation").get<std::string>() + " " + entry.at("axes").dump();
}

/// The case with bf16 instead of int8, if there is such an axis.
std::string with_bf16(const ordered_json& entry) {
  ordered_json axes = entry.at("axes");
  bool has_int8 = false;
  for (ordered_json& value : axes)
    if (value == "int8") {
      value = "bf16";
      has_int8 = true;
    }
  return has_int8 ? entry.at("operation").get<std::string>() + " " + axes.dump() : "";
}

/// A tensor pipe multiplies int8 at twice the rate of bf16: FLOPs that are those of the same workload in bf16
/// make a floor that is too long.
void check_rate_of_int8(const checked_record& r, std::vector<finding>& to) {
  const ordered_json& entries = r.json.at("benchmarks");
  std::map<std::string, const ordered_json*> workloads;
  for (const ordered_json& entry : entries) workloads.emplace(workload_of(entry), &entry);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto twin = workloads.find(with_bf16(entries[i]));
    if (twin == workloads.end() || !entries[i].at("floors").is_object()) continue;
    const ordered_json &work = entries[i].at("work"), &in_bf16 = twin->second->at("work");
    place(r, fmt::format("/benchmarks/{}", i), to)
        .expect(
            entries[i].at("floors").at("binding") != "flops" ||
                work.value("flop_pipe", "") != "tensor_bf16" || work.at("flops") != in_bf16.at("flops"),
            "/work/flops",
            fmt::format("expected less than {}, as in bf16, since products of int8 run at twice the rate; "
                        "the floor is up to twice too long",
                        in_bf16.at("flops").dump()),
            severity::mark);
  }
}

}  // namespace

void check_alike(const checked_record& r, std::vector<finding>& to) {
  expect_alike(r, "work", "as of the workload's other cases", workload_of, to);
  expect_alike(r, "input", "as of the workload's other cases", workload_of, to);
  expect_alike(
      r, "switches", "as of the variant's other cases",
      [](const ordered_json& entry) {
        return entry.at("operation").get<std::string>() + "/" + entry.at("variant").get<std::string>();
      },
      to);
  check_rate_of_int8(r, to);
}

}  // namespace ablate::verify
