#include "reports/gate/zstd.h"

#include <dlfcn.h>

#include <stdexcept>

namespace ablate::gate {
namespace {

using decompress_function = std::size_t(void* to, std::size_t capacity, const void* from, std::size_t bytes);

decompress_function* find_decompress() {
  void* library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
  return library ? reinterpret_cast<decompress_function*>(dlsym(library, "ZSTD_decompress")) : nullptr;
}

}  // namespace

std::string unzstd(std::string_view frame, std::size_t bytes) {
  static decompress_function* const decompress = find_decompress();
  if (!decompress)
    throw std::runtime_error(
        "libzstd.so.1 is missing, and nvcc compressed the kernels with it; install libzstd1");
  std::string out(bytes, '\0');
  if (decompress(out.data(), out.size(), frame.data(), frame.size()) != bytes)
    throw std::runtime_error("a compressed part of the program's fat binaries is damaged");
  return out;
}

}  // namespace ablate::gate
