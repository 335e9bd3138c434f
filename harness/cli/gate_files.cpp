#include "harness/cli/gate_files.h"

#include <fstream>

#include "reports/plots/render.h"
#include "reports/text/bad_input.h"

namespace ablate {

std::filesystem::path shipped_gate_file(const char* name) {
  return reports::renderer_directory().parent_path() / "suites" / "gates" / name;
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw bad_input(path.string(), "", "cannot be written");
}

}  // namespace ablate
