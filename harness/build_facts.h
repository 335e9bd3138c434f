#pragma once

#include <string_view>

namespace ablate {

/// What a program, or Ablate itself, was built from and with. Written into every record.
struct build_facts {
  std::string_view version;        ///< "0.1.0"; of a program outside of this tree its project's, or empty
  std::string_view commit;         ///< 40 hex digits; empty where neither git nor -DABLATE_COMMIT named one
  bool dirty = false;              ///< the sources differed from `commit`
  std::string_view source_hash;    ///< 64 hex digits, scripts/cmake/source_hash.cmake
  std::string_view compiler;       ///< "GNU 12.2.0"
  std::string_view cuda_compiler;  ///< "13.0.88"; empty in a build without CUDA
  std::string_view cuda_architectures;  ///< "80-real,90a-real"; empty in a build without CUDA
  std::string_view build_type;          ///< "Release"
  std::string_view program = "ablate";  ///< name of the program
};

/// Of Ablate's own sources, which every program holds.
const build_facts& library_build();

namespace detail {

inline const build_facts*& registered_build() {
  static const build_facts* facts = nullptr;
  return facts;
}

}  // namespace detail

/// Called before main in a program outside of Ablate's tree, by the source file that ablate_add_program
/// makes.
inline bool register_build(const build_facts& of_program) {
  detail::registered_build() = &of_program;
  return true;
}

/// Whether this program was made outside of Ablate's tree, of sources and commits of its own.
inline bool is_own_program() { return detail::registered_build() != nullptr; }

/// Of this program.
inline const build_facts& this_build() {
  return is_own_program() ? *detail::registered_build() : library_build();
}

}  // namespace ablate
