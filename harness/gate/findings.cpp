#include "harness/gate/findings.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "reports/bad_input.h"

namespace ablate::gate {

void append_findings(const std::filesystem::path& path, const gate_decision& decision,
                     const std::string& date) {
  std::string lines;
  for (const case_decision& c : decision.cases)
    if (!c.is_control && (c.word == verdict::slower || c.word == verdict::faster))
      lines += nlohmann::ordered_json{{"date", date}, {"case", c.name}, {"effect", c.ratio.estimate}}.dump() +
               "\n";
  std::ofstream out(path, std::ios::binary | std::ios::app);
  out << lines;
  out.close();
  if (!out) throw bad_input(path.string(), "", "cannot be written");
}

std::optional<std::string> why_findings_are_suspect(const std::filesystem::path& path,
                                                    const gate_policy& policy) {
  std::ifstream in(path);
  std::vector<double> effects;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const auto json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_object() || !json.contains("effect") || !json["effect"].is_number())
      throw bad_input(path.string(), fmt::format("line {}", number), "expected a finding of a gate");
    effects.push_back(json["effect"].get<double>());
  }
  const std::size_t newest = policy.whole_run.same_sign_findings;
  if (effects.size() > newest) effects.erase(effects.begin(), effects.end() - static_cast<long>(newest));
  return why_findings_are_suspect(effects, policy);
}

}  // namespace ablate::gate
