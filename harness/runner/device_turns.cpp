#include "harness/runner/device_turns.h"

#include <sys/mman.h>

#include <cerrno>
#include <system_error>

#include "harness/device/whole_file.h"

namespace ablate {

namespace {

/// A record lock belongs to a process, whoever opened the file, and ends with it.
bool set_lock(int file, short kind) {
  struct flock whole = whole_file(kind);
  int result = 0;
  do result = fcntl(file, F_SETLKW, &whole);
  while (result != 0 && errno == EINTR);
  return result == 0;
}

}  // namespace

device_turns::device_turns() : file_(memfd_create("ablate-turns", MFD_CLOEXEC)) {
  if (file_ < 0) throw std::system_error(errno, std::generic_category(), "memfd_create");
}

device_turns::~device_turns() { close(file_); }

device_turns::turn::turn(const device_turns& of) : of_(of) { set_lock(of_.file_, F_WRLCK); }

device_turns::turn::~turn() { set_lock(of_.file_, F_UNLCK); }

}  // namespace ablate
