#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace ablate {

/// A folder of this test's own, removed when the test ends.
class scratch_folder {
 public:
  explicit scratch_folder(const std::string& name = "files")
      : path_(std::filesystem::path(testing::TempDir()) /
              ("ablate_" + std::to_string(getpid()) + "_" +
               testing::UnitTest::GetInstance()->current_test_info()->name() + "_" + name)) {
    std::filesystem::create_directories(path_);
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  ~scratch_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }

  std::filesystem::path write_bytes(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return path_ / name;
  }

  std::filesystem::path write(const std::string& name, const std::vector<float>& values) const {
    return write_bytes(
        name, std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)));
  }

 private:
  std::filesystem::path path_;
};

}  // namespace ablate
