#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

namespace ablate {

/// A file of this process's own, gone with the object.
class scratch_file {
 public:
  scratch_file() {
    std::string name = (std::filesystem::temp_directory_path() / "ablate_launches_XXXXXX").string();
    const int made = ::mkstemp(name.data());
    if (made < 0) throw std::runtime_error(name + ": cannot create a temporary file");
    ::close(made);
    path_ = name;
  }
  ~scratch_file() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  scratch_file(const scratch_file&) = delete;
  scratch_file& operator=(const scratch_file&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace ablate
