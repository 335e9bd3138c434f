#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ablate::gate {

/// Decompresses one zstd frame (RFC 8878) of `bytes` bytes by the system's libzstd, which dpkg itself needs,
/// so that it is on every Debian and Ubuntu. Throws std::runtime_error where it is missing or the frame is
/// damaged.
std::string unzstd(std::string_view frame, std::size_t bytes);

}  // namespace ablate::gate
