#pragma once

#include <string_view>

namespace ablate {

/// What this program was built from and with. Written into every record.
struct build_facts {
  std::string_view version;        ///< "0.1.0"
  std::string_view commit;         ///< 40 hex digits; empty where neither git nor -DABLATE_COMMIT named one
  bool dirty = false;              ///< the sources differed from `commit`
  std::string_view source_hash;    ///< 64 hex digits, scripts/cmake/source_hash.cmake
  std::string_view compiler;       ///< "GNU 12.2.0"
  std::string_view cuda_compiler;  ///< "13.0.88"; empty in a build without CUDA
  std::string_view cuda_architectures;  ///< "80-real,90a-real"; empty in a build without CUDA
  std::string_view build_type;          ///< "Release"
};

const build_facts& this_build();

}  // namespace ablate
