#include "reports/text/csv_file.h"

#include <fmt/format.h>

#include <stdexcept>

namespace ablate::reports {

csv_file::csv_file(std::filesystem::path path) : path_(std::move(path)), out_(path_, std::ios::binary) {}

void csv_file::row(const std::vector<std::string>& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) out_ << ',';
    if (cells[i].find_first_of(",\"\n\r") == std::string::npos) {
      out_ << cells[i];
      continue;
    }
    out_ << '"';
    for (char c : cells[i]) out_ << (c == '"' ? "\"\"" : std::string(1, c));
    out_ << '"';
  }
  out_ << '\n';
}

void csv_file::close() {
  out_.close();
  if (!out_) throw std::runtime_error(fmt::format("{}: cannot be written", path_.string()));
}

}  // namespace ablate::reports
