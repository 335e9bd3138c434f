#include "reports/gate/static_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/text/json_place.h"
#include "base/text/json_text.h"
#include "base/text/names.h"

namespace ablate::gate {
namespace {

using nlohmann::ordered_json;
using reports::json_place;

constexpr const char* schema_version = "1.0.0";
constexpr const char* understood_major = "1.";

counts counts_of(const json_place& at, const std::vector<static_quantity>& known) {
  counts out;
  for (const auto& [name, value] : at.members()) {
    if (std::none_of(known.begin(), known.end(), [&n = name](const auto& q) { return q.name == n; })) {
      std::vector<std::string> names;
      for (const static_quantity& q : known) names.push_back(q.name);
      value.refuse(no_such("quantity", name, names));
    }
    out[name] = value.count();
  }
  return out;
}

double occupancy_of(const json_place& at) {
  const double value = at.not_negative();
  if (!(value <= 1)) at.refuse(fmt::format("expected an occupancy from 0 to 1, found {}", value));
  return value;
}

kernel_static_facts kernel_of(const json_place& at) {
  kernel_static_facts out;
  for (const auto& [architecture, code] : at.at("code").members()) {
    kernel_code& here = out.code[architecture];
    here.resources = counts_of(code.at("resources"), resource_quantities());
    if (const auto sass = code.find("sass")) here.sass = counts_of(*sass, sass_quantities());
  }
  for (const json_place& launch : at.at("launches").elements()) {
    const chip_launch here{launch.at("dynamic_shared_bytes").count(), occupancy_of(launch.at("occupancy"))};
    for (const json_place& chip : launch.at("chips").elements())
      for (const json_place& variant : launch.at("variants").elements())
        out.launched_by[{variant.text(), chip.text()}] = here;
  }
  return out;
}

counts without_zeros(counts of) {
  std::erase_if(of, [](const auto& count) { return count.second == 0; });
  return of;
}

ordered_json counts_json(const counts& of, const std::vector<static_quantity>& in_order) {
  ordered_json out = ordered_json::object();
  for (const static_quantity& q : in_order)
    if (const auto found = of.find(q.name); found != of.end() && found->second != 0)
      out[q.name] = found->second;
  return out;
}

/// Groups the chips on which the same variants launch the kernel alike.
ordered_json launches_json(const kernel_static_facts& of) {
  using geometry = std::tuple<long, double>;
  std::map<std::pair<geometry, std::string>, std::vector<std::string>> variants;
  for (const auto& [by, launch] : of.launched_by)
    variants[{{launch.dynamic_shared_bytes, launch.occupancy}, by.second}].push_back(by.first);
  std::map<std::pair<geometry, std::vector<std::string>>, std::vector<std::string>> chips;
  for (const auto& [on, names] : variants) chips[{on.first, names}].push_back(on.second);
  ordered_json out = ordered_json::array();
  for (const auto& [launch, on] : chips)
    out.push_back({{"chips", on},
                   {"dynamic_shared_bytes", std::get<0>(launch.first)},
                   {"occupancy", std::get<1>(launch.first)},
                   {"variants", launch.second}});
  return out;
}

ordered_json kernel_json(const kernel_static_facts& of) {
  ordered_json code = ordered_json::object();
  for (const auto& [architecture, here] : of.code) {
    code[architecture] = {{"resources", counts_json(here.resources, resource_quantities())}};
    if (here.sass) code[architecture]["sass"] = counts_json(*here.sass, sass_quantities());
  }
  return {{"code", std::move(code)}, {"launches", launches_json(of)}};
}

}  // namespace

const std::vector<static_quantity>& resource_quantities() {
  static const std::vector<static_quantity> all = {{"registers", worse::rising, false},
                                                   {"spill_bytes", worse::rising, false},
                                                   {"stack_bytes", worse::rising, false},
                                                   {"static_shared_bytes", worse::rising, false}};
  return all;
}

const std::vector<static_quantity>& sass_quantities() {
  static const std::vector<static_quantity> all = {
      {"local_memory_instructions", worse::rising, false}, {"tensor_instructions", worse::changing, true},
      {"vector_loads_128", worse::falling, true},          {"vector_load_bytes", worse::falling, true},
      {"vector_stores_128", worse::falling, true},         {"vector_store_bytes", worse::falling, true},
      {"atomic_instructions", worse::changing, true},      {"exponentials", worse::changing, true}};
  return all;
}

const std::vector<static_quantity>& launch_quantities() {
  static const std::vector<static_quantity> all = {{"dynamic_shared_bytes", worse::rising, false},
                                                   {"occupancy", worse::falling, false}};
  return all;
}

std::vector<std::string> static_quantity_names() {
  std::vector<std::string> out;
  for (const auto* quantities : {&resource_quantities(), &sass_quantities(), &launch_quantities()})
    for (const static_quantity& q : *quantities) out.push_back(q.name);
  return out;
}

std::size_t take_sass(static_facts_file& to, const static_facts_file& from) {
  std::size_t taken = 0;
  for (auto& [name, kernel] : to.kernels) {
    const auto known = from.kernels.find(name);
    if (known == from.kernels.end()) continue;
    bool any = false;
    for (auto& [architecture, code] : kernel.code) {
      const auto other = known->second.code.find(architecture);
      if (code.sass || other == known->second.code.end() || !other->second.sass) continue;
      if (without_zeros(code.resources) != without_zeros(other->second.resources)) continue;
      code.sass = other->second.sass;
      any = true;
    }
    taken += any;
  }
  to.has_sass |= taken > 0;
  return taken;
}

static_facts_file read_static_facts(const std::filesystem::path& path) {
  const ordered_json json = reports::parse_json_file(path);
  const std::string file = path.string();
  const json_place root(json, file);
  const json_place schema = root.at("static_facts");
  if (!schema.text().starts_with(understood_major))
    schema.refuse(
        fmt::format("expected version {}x.y of static facts, found '{}'", understood_major, schema.text()));
  static_facts_file out;
  out.cuda_compiler = root.at("cuda_compiler").text();
  out.has_sass = root.at("has_sass").boolean();
  for (const auto& [name, kernel] : root.at("kernels").members()) out.kernels[name] = kernel_of(kernel);
  return out;
}

std::string static_facts_text(const static_facts_file& of) {
  std::string out = fmt::format("{{\n\"static_facts\": \"{}\",\n\"cuda_compiler\": {},\n\"has_sass\": {},\n",
                                schema_version, ordered_json(of.cuda_compiler).dump(), of.has_sass);
  out += "\"kernels\": {";
  const char* between = "\n";
  for (const auto& [name, kernel] : of.kernels) {
    out += fmt::format("{}{}: {}", between, ordered_json(name).dump(), kernel_json(kernel).dump());
    between = ",\n";
  }
  return out + "\n}\n}\n";
}

}  // namespace ablate::gate
