#include "harness/gate/findings.h"

#include <fmt/format.h>

#include <fstream>
#include <stdexcept>

#include "base/text/bad_input.h"
#include "base/text/json_text.h"

namespace ablate::gate {
namespace {

/// The effects of one run; nothing if the line is truncated or is not a findings line.
std::optional<std::vector<double>> effects_of(const std::string& line) {
  const auto json = reports::parse_json_line(line);
  if (!json || !json->is_object()) return std::nullopt;
  const auto effects = json->find("effects");
  if (effects == json->end() || !effects->is_object()) return std::nullopt;
  std::vector<double> out;
  for (const auto& effect : *effects) {
    if (!effect.is_number()) return std::nullopt;
    out.push_back(effect.get<double>());
  }
  return out;
}

/// A kill may have truncated the last line.
bool ends_within_a_line(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in || in.tellg() == 0) return false;
  in.seekg(-1, std::ios::end);
  return in.get() != '\n';
}

}  // namespace

void append_findings(const std::filesystem::path& path, const gate_decision& decision,
                     const std::string& date) {
  nlohmann::ordered_json effects = nlohmann::ordered_json::object();
  for (const case_decision& c : decision.cases)
    if (c.can_fail() && (c.word == verdict::slower || c.word == verdict::faster))
      effects[c.name] = c.ratio.estimate;
  if (effects.empty()) return;
  const std::string line =
      reports::json_text(nlohmann::ordered_json{{"date", date}, {"effects", effects}}) + "\n";
  const char* before = ends_within_a_line(path) ? "\n" : "";
  std::ofstream out(path, std::ios::binary | std::ios::app);
  out << before + line;
  out.close();
  if (!out) throw std::runtime_error(path.string() + ": cannot be written");
}

known_findings read_findings(const std::filesystem::path& path) {
  std::ifstream in(path);
  known_findings out;
  int number = 0, torn = 0, first_torn = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.empty()) continue;
    if (auto effects = effects_of(line))
      out.runs.push_back(std::move(*effects));
    else if (torn++ == 0)
      first_torn = number;
  }
  if (torn > 0)
    out.set_aside =
        fmt::format("{}: line {}{} has no findings, as after a kill, and does not count.", path.string(),
                    first_torn, torn > 1 ? fmt::format(", like {} after it,", torn - 1) : "");
  return out;
}

void expect_writable(const std::filesystem::path& path) {
  std::error_code error;
  const bool is_new = !std::filesystem::exists(path, error);
  if (!std::ofstream(path, std::ios::binary | std::ios::app))
    throw bad_input(path.string(), "", "cannot be written");
  if (is_new) std::filesystem::remove(path, error);
}

}  // namespace ablate::gate
