#include "base/text/csv_file.h"

#include <cstdlib>
#include <string_view>

namespace ablate::reports {
namespace {

/// Whether a spreadsheet takes the cell for a formula, which can run programs. Numbers begin with a sign too.
bool is_formula(const std::string& cell) {
  if (cell.empty() || std::string_view("=+-@\t\r").find(cell.front()) == std::string_view::npos) return false;
  char* end = nullptr;
  std::strtod(cell.c_str(), &end);
  return *end != '\0';
}

std::string csv_cell(const std::string& text) {
  const std::string cell = is_formula(text) ? "'" + text : text;
  if (cell.find_first_of(",\"\n\r") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

}  // namespace

csv_file::csv_file(const std::filesystem::path& path) : file_(path) {}

void csv_file::row(const std::vector<std::string>& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) file_.write(",");
    file_.write(csv_cell(cells[i]));
  }
  file_.write("\n");
}

void csv_file::close() { file_.keep(); }

}  // namespace ablate::reports
