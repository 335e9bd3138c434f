#pragma once

#include <filesystem>

namespace ablate::gate {

/// Reserves a folder for one gate for the lifetime of this object; a kill releases it.
class folder_lock {
 public:
  /// Creates the folder if needed. Throws bad_input if another gate holds it, or it cannot be written.
  explicit folder_lock(const std::filesystem::path& folder);
  folder_lock(const folder_lock&) = delete;
  ~folder_lock();

 private:
  int file_ = -1;
};

}  // namespace ablate::gate
