#include "base/process/data_directory.h"

#include <string>
#include <system_error>

namespace ablate::process {
namespace {

std::string& named_directory() {
  static std::string folder;
  return folder;
}

}  // namespace

bool name_data_directory(const char* folder) {
  named_directory() = folder;
  return true;
}

std::filesystem::path data_directory() {
  std::error_code unknown;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", unknown);
  const std::filesystem::path beside = program.parent_path().parent_path() / "share" / "ablate";
  if (!unknown && std::filesystem::is_directory(beside / "reports", unknown)) return beside;
  return named_directory();
}

}  // namespace ablate::process
