#pragma once

#include <filesystem>

namespace ablate::gate {

/// Keeps a folder to one gate for as long as it lives; a kill frees it.
class folder_lock {
 public:
  /// Makes the folder where there is none. Throws bad_input when another gate has it, or it cannot be
  /// written.
  explicit folder_lock(const std::filesystem::path& folder);
  folder_lock(const folder_lock&) = delete;
  ~folder_lock();

 private:
  int file_ = -1;
};

}  // namespace ablate::gate
