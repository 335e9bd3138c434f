#include "tests/support/paths.h"

// The one file that is compiled with the paths of this checkout: all other objects are alike in every
// checkout, so that ccache finds them.
namespace ablate::test_support {

std::string source_path(std::string_view inside) {
  std::string path = ABLATE_SOURCE_DIR;
  if (!inside.empty()) path.append("/").append(inside);
  return path;
}

const std::string& program_path() {
  static const std::string path = ABLATE_PROGRAM;
  return path;
}

const std::string& compiler_path() {
  static const std::string path = ABLATE_COMPILER;
  return path;
}

const std::string& public_headers_path() {
  static const std::string path = ABLATE_PUBLIC_HEADERS;
  return path;
}

}  // namespace ablate::test_support
