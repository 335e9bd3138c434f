#include "harness/cli/known_plans.h"

#include "base/process/data_directory.h"
#include "base/text/bad_input.h"
#include "base/text/text.h"
#include "harness/cli/inputs.h"
#include "harness/runner/case_key.h"
#include "harness/suite/override.h"
#include "harness/suite/suite.h"

namespace ablate {
namespace {

/// "points=1000,2000", as --axes was given.
std::vector<std::string> assignments_of(const nlohmann::ordered_json& of_suite) {
  std::vector<std::string> out;
  if (const auto found = of_suite.find("overrides"); found != of_suite.end())
    for (const auto& [name, values] : found->items())
      out.push_back(name + "=" + reports::joined(values.get<std::vector<std::string>>(), ","));
  return out;
}

/// The calibrations of a suite depend on nothing of the device but that it is one.
target target_of(const nlohmann::ordered_json& device) {
  target out;
  out.host = device.at("kind") == "host";
  if (const auto capability = device.value("compute_capability", ""); capability.size() == 3)
    out.compute_capability = 10 * (capability[0] - '0') + capability[2] - '0';
  return out;
}

}  // namespace

std::optional<verify::known_plan> known_plan_of(const nlohmann::ordered_json& facts) {
  const nlohmann::ordered_json& of_suite = facts.at("suite");
  const std::string name = of_suite.at("name").get<std::string>();
  const std::filesystem::path file = process::data_directory() / "suites" / (name + ".json");
  if (name.find('/') != std::string::npos || !std::filesystem::is_regular_file(file)) return std::nullopt;
  try {
    const suite from = overridden(read_suite(file), assignments_of(of_suite));
    if (from.hash != of_suite.at("hash").get<std::string>()) return std::nullopt;
    const auto filter = facts.contains("settings") ? facts.at("settings").value("filter", "") : "";
    verify::known_plan out;
    out.about = from.hash + "|" + case_keys(from, data_directories({})).all_files();
    for (const suite_case& c :
         expand(from, target_of(facts.at("device")), make_input_library(from, {}), filter))
      if (c.ceiling.empty()) out.names.push_back(c.id);
    return out;
  } catch (const bad_input&) {
    return std::nullopt;  // a suite of another version of the program
  }
}

}  // namespace ablate
