#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace ablate::test_support {

/// A fresh directory that goes with its object, in the process that made it.
class temporary_directory {
 public:
  temporary_directory() {
    std::string name = (std::filesystem::temp_directory_path() / "ablate_test_XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("cannot make a temporary directory");
    path_ = name;
  }
  ~temporary_directory() {
    if (::getpid() != maker_) return;
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  temporary_directory(const temporary_directory&) = delete;
  temporary_directory& operator=(const temporary_directory&) = delete;

  const std::filesystem::path& path() const { return path_; }

  /// Writes a file in it and returns its path.
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = path_ / name;
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }
  /// Writes a file of float32 values in it and returns its path.
  std::filesystem::path write(const std::string& name, const std::vector<float>& values) const {
    return write(name,
                 std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)));
  }

 private:
  std::filesystem::path path_;
  pid_t maker_ = ::getpid();
};

/// One for all tests of this process.
inline const std::filesystem::path& directory_of_process() {
  static const temporary_directory made;
  return made.path();
}

}  // namespace ablate::test_support
