#include "reports/gate/program_launches.h"

#include <stdexcept>

#include "base/text/json_place.h"
#include "base/text/json_text.h"

namespace ablate::gate {
namespace {

using nlohmann::ordered_json;
using reports::json_place;

constexpr const char* launches_version = "1.0.0";
constexpr const char* launches_major = "1.";

ordered_json launch_json(const requested_launch& of) {
  ordered_json out = {{"kernel", of.kernel},
                      {"code", of.code},
                      {"grid", of.grid},
                      {"block", of.block},
                      {"dynamic_shared_bytes", of.dynamic_shared_bytes},
                      {"arguments", of.arguments}};
  if (of.cluster_blocks != 1) out["cluster_blocks"] = of.cluster_blocks;
  if (of.is_cooperative) out["cooperative"] = true;
  if (of.overlaps_previous) out["overlaps_previous"] = true;
  return out;
}

std::array<long, 3> extent_of(const json_place& at) {
  std::array<long, 3> out{};
  const std::vector<json_place> sides = at.elements();
  if (sides.size() != out.size()) at.refuse("expected three numbers");
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = sides[i].count();
  return out;
}

bool flag_of(const json_place& at, std::string_view key) {
  const auto found = at.find(key);
  return found && found->boolean();
}

std::string text_of(const json_place& at, std::string_view key) {
  const auto found = at.find(key);
  return found ? found->text() : "";
}

requested_launch launch_from(const json_place& at) {
  requested_launch out;
  out.kernel = at.at("kernel").text();
  out.code = at.at("code").text();
  out.grid = extent_of(at.at("grid"));
  out.block = extent_of(at.at("block"));
  out.dynamic_shared_bytes = at.at("dynamic_shared_bytes").count();
  out.arguments = at.at("arguments").text();
  if (const auto blocks = at.find("cluster_blocks")) out.cluster_blocks = blocks->count();
  out.is_cooperative = flag_of(at, "cooperative");
  out.overlaps_previous = flag_of(at, "overlaps_previous");
  return out;
}

ordered_json case_json(const requested_case& of) {
  ordered_json out = {{"id", of.id}, {"operation", of.operation}, {"variant", of.variant}};
  if (of.is_timed_by_host) out["timed_by_host"] = true;
  if (!of.input.empty()) out["input"] = of.input;
  if (!of.why_unknown.empty()) out["why_unknown"] = of.why_unknown;
  if (!of.why_not_applicable.empty()) out["why_not_applicable"] = of.why_not_applicable;
  out["launches"] = ordered_json::array();
  for (const requested_launch& launch : of.launches) out["launches"].push_back(launch_json(launch));
  return out;
}

requested_case case_from(const json_place& at) {
  requested_case out;
  out.id = at.at("id").text();
  out.operation = at.at("operation").text();
  out.variant = at.at("variant").text();
  out.is_timed_by_host = flag_of(at, "timed_by_host");
  out.input = text_of(at, "input");
  out.why_unknown = text_of(at, "why_unknown");
  out.why_not_applicable = text_of(at, "why_not_applicable");
  for (const json_place& launch : at.at("launches").elements()) out.launches.push_back(launch_from(launch));
  return out;
}

}  // namespace

void mark_unset_bytes(program_launches& of, const program_launches& again) {
  const auto expect = [](bool holds, const std::string& id) {
    if (!holds)
      throw std::runtime_error("two descriptions of one program differ in more than unset bytes: " + id);
  };
  expect(of.cases.size() == again.cases.size(), "the number of cases");
  for (std::size_t c = 0; c < of.cases.size(); ++c) {
    requested_case& here = of.cases[c];
    const requested_case& there = again.cases[c];
    expect(here.id == there.id && here.input == there.input && here.launches.size() == there.launches.size(),
           here.id);
    for (std::size_t i = 0; i < here.launches.size(); ++i) {
      std::string& arguments = here.launches[i].arguments;
      requested_launch other = there.launches[i];
      expect(arguments.size() == other.arguments.size(), here.id);
      for (std::size_t at = 0; at + 1 < arguments.size(); at += 2)
        if (arguments.compare(at, 2, other.arguments, at, 2) != 0) arguments.replace(at, 2, "..");
      other.arguments = arguments;
      expect(other == here.launches[i], here.id);
    }
  }
}

ordered_json to_json(const program_launches& of) {
  ordered_json cases = ordered_json::array();
  for (const requested_case& c : of.cases) cases.push_back(case_json(c));
  return {{"schema_version", launches_version}, {"commit", of.commit}, {"source_hash", of.source_hash},
          {"cuda_compiler", of.cuda_compiler},  {"chip", of.chip},     {"suite_hash", of.suite_hash},
          {"cases", std::move(cases)}};
}

program_launches read_program_launches(const std::filesystem::path& file) {
  const ordered_json json = reports::parse_json_file(file);
  const std::string name = file.string();
  const json_place at(json, name);
  if (const std::string version = at.at("schema_version").text(); !version.starts_with(launches_major))
    at.at("schema_version").refuse_value("version 1 of what `ablate static launches` writes");
  program_launches out;
  out.commit = at.at("commit").text();
  out.source_hash = at.at("source_hash").text();
  out.cuda_compiler = at.at("cuda_compiler").text();
  out.chip = at.at("chip").text();
  out.suite_hash = at.at("suite_hash").text();
  for (const json_place& c : at.at("cases").elements()) out.cases.push_back(case_from(c));
  return out;
}

}  // namespace ablate::gate
