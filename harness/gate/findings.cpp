#include "harness/gate/findings.h"

#include <fmt/format.h>

#include <fstream>

#include "reports/bad_input.h"
#include "reports/json_text.h"

namespace ablate::gate {

void append_findings(const std::filesystem::path& path, const gate_decision& decision,
                     const std::string& date) {
  nlohmann::ordered_json effects = nlohmann::ordered_json::object();
  for (const case_decision& c : decision.cases)
    if (c.can_fail() && (c.word == verdict::slower || c.word == verdict::faster))
      effects[c.name] = c.ratio.estimate;
  if (effects.empty()) return;
  std::ofstream out(path, std::ios::binary | std::ios::app);
  out << nlohmann::ordered_json{{"date", date}, {"effects", effects}}.dump() + "\n";
  out.close();
  if (!out) throw bad_input(path.string(), "", "cannot be written");
}

std::optional<std::string> why_findings_are_suspect(const std::filesystem::path& path,
                                                    const gate_policy& policy) {
  std::ifstream in(path);
  std::vector<std::vector<double>> runs;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const auto json = reports::parse_json_line(line);
    const auto refuse = [&] {
      throw bad_input(path.string(), fmt::format("line {}", number), "expected the findings of a gate");
    };
    if (!json || !json->contains("effects") || !json->at("effects").is_object()) refuse();
    std::vector<double>& run = runs.emplace_back();
    for (const auto& effect : json->at("effects")) {
      if (!effect.is_number()) refuse();
      run.push_back(effect.get<double>());
    }
  }
  return why_findings_are_suspect(runs, policy);
}

}  // namespace ablate::gate
