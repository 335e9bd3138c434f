#include "reports/text/text_file.h"

#include <fstream>
#include <iterator>

#include "reports/text/bad_input.h"

namespace ablate::reports {

std::string read_text_file(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw bad_input(path.string(), "", "expected a file, found a directory");
  std::ifstream in(path, std::ios::binary);
  if (!in) throw bad_input(path.string(), "", "expected a readable file");
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_text_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw bad_input(path.string(), "", "cannot be written");
}

}  // namespace ablate::reports
