#include "harness/cli/gate_files.h"

#include "harness/build_facts.h"
#include "reports/plots/render.h"

namespace ablate {

namespace fs = std::filesystem;

fs::path shipped_gate_file(const char* name) {
  return reports::renderer_directory().parent_path() / "suites" / "gates" / name;
}

fs::path project_suites(const char* folder) {
  const fs::path root = is_own_program() ? fs::path() : reports::renderer_directory().parent_path();
  return root / "suites" / folder;
}

std::optional<fs::path> accepted_file(const std::string& given) {
  if (!given.empty()) return given;
  const fs::path of_project = project_suites("gates") / "accepted.json";
  if (is_own_program() && !fs::exists(of_project)) return std::nullopt;
  return of_project;
}

}  // namespace ablate
