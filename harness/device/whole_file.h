#pragma once

#include <fcntl.h>
#include <unistd.h>

namespace ablate {

/// All bytes of a file, for fcntl: F_RDLCK, F_WRLCK or F_UNLCK.
inline struct flock whole_file(short kind) {
  struct flock whole = {};
  whole.l_type = kind;
  whole.l_whence = SEEK_SET;
  return whole;
}

}  // namespace ablate
