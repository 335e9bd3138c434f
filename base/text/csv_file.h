#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/text/new_file.h"

namespace ablate::reports {

/// A file of comma-separated values, written whole or not at all: throws as new_file does. A cell that needs
/// quotes gets them. A cell that a spreadsheet would run as a formula gets a leading apostrophe.
class csv_file {
 public:
  explicit csv_file(const std::filesystem::path&);

  void row(const std::vector<std::string>& cells);
  void close();

 private:
  new_file file_;
};

}  // namespace ablate::reports
