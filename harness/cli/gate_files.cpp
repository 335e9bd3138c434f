#include "harness/cli/gate_files.h"

#include "reports/plots/render.h"

namespace ablate {

std::filesystem::path shipped_gate_file(const char* name) {
  return reports::renderer_directory().parent_path() / "suites" / "gates" / name;
}

}  // namespace ablate
