#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace ablate::reports {

/// A file of comma-separated values; a cell that needs quotes gets them.
class csv_file {
 public:
  explicit csv_file(std::filesystem::path);

  void row(const std::vector<std::string>& cells);
  /// Throws std::runtime_error if anything could not be written.
  void close();

 private:
  std::filesystem::path path_;
  std::ofstream out_;
};

}  // namespace ablate::reports
