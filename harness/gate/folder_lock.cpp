#include "harness/gate/folder_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/text/bad_input.h"

namespace ablate::gate {

folder_lock::folder_lock(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  // Launched programs must not inherit it: one that outlives its gate would keep the lock.
  file_ = open((folder / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file_ < 0)
    throw bad_input(folder.string(), "", fmt::format("cannot be written: {}", std::strerror(errno)));
  if (flock(file_, LOCK_EX | LOCK_NB) == 0) return;
  close(file_);
  throw bad_input(folder.string(), "", "another gate is writing here; expected a folder of its own");
}

folder_lock::~folder_lock() { close(file_); }

}  // namespace ablate::gate
