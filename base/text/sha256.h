#pragma once

#include <string>
#include <string_view>

namespace ablate::reports {

/// The SHA-256 (FIPS 180-4) of a text, in base64, as a Content-Security-Policy names a script that may run.
std::string sha256_base64(std::string_view);

/// The same in 64 hexadecimal digits.
std::string sha256_hex(std::string_view);

}  // namespace ablate::reports
