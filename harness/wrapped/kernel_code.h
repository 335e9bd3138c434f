#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ablate::wrapped {

/// What the compiler left in machine code about its use of a multiprocessor.
struct code_resources {
  int registers = 0;            ///< per thread
  int static_shared_bytes = 0;  ///< per block
  int stack_bytes = 0;          ///< per thread
};

/// A kernel of a file of code, for one architecture.
struct code_kernel {
  std::string entry;
  int capability = 0;  ///< 90 for sm_90
  std::vector<std::size_t> parameter_bytes;
  std::optional<code_resources> resources;  ///< of machine code only
};

enum class code_kind { cubin, ptx, fatbin };

/// A file of kernels as compilers write it, without its host code.
struct kernel_code {
  std::filesystem::path path;
  code_kind kind = code_kind::cubin;
  std::string bytes;
  /// Machine code and PTX as far as they are not compressed, as those of a fatbin may be.
  std::vector<code_kernel> kernels;
  bool has_unread = false;  ///< something was compressed: it may hold further kernels

  /// The least compute capability of a GPU that can run it, 80 where that is unknown.
  int least_capability() const;
  /// The names of its kernels, each once.
  std::vector<std::string> entries() const;
};

/// Reads a cubin, a PTX file or a fatbin, known by how it begins. Throws bad_input, with the byte or line,
/// for other files and truncated ones.
kernel_code read_kernel_code(const std::filesystem::path&);
/// The same of bytes that were read already; `file` is the name for messages.
kernel_code parse_kernel_code(std::string bytes, const std::filesystem::path& file);

}  // namespace ablate::wrapped
