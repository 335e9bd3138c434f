#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace ablate::gate {

/// A kernel launch as a program requests it on a chip, with the machine code that would run.
struct requested_launch {
  std::string kernel;                   ///< demangled, or a library's name
  std::string code;                     ///< hash of its machine code; empty where the program has none
  std::array<long, 3> grid{}, block{};  ///< grid: zeros of a library, whose launches are its own
  long dynamic_shared_bytes = 0, cluster_blocks = 1;
  bool is_cooperative = false, overlaps_previous = false;
  /// The parameters' bytes in hexadecimal digits, `..` for one that nobody sets; empty where not known.
  std::string arguments;

  bool operator==(const requested_launch&) const = default;
};

/// What a program launches for one case of a suite.
struct requested_case {
  std::string id, operation, variant;
  bool is_timed_by_host = false;           ///< host code is part of its time
  std::string input;                       ///< hash of the input; empty where it was not made
  std::string why_unknown;                 ///< why its launches could not be described; else empty
  std::string why_not_applicable;          ///< it does not run on this chip; else empty
  std::vector<requested_launch> launches;  ///< in order, those ahead of the timed region first
};

/// All cases of a suite in one program. `ablate static launches` writes it; no GPU is needed.
struct program_launches {
  std::string commit, source_hash, cuda_compiler;  ///< of the program
  std::string chip;                                ///< h100
  std::string suite_hash;
  std::vector<requested_case> cases;
};

/// Marks the bytes of arguments in which two descriptions of one program differ as set by nobody; those
/// marked before stay so. Throws std::runtime_error if anything else differs.
void mark_unset_bytes(program_launches&, const program_launches& again);

nlohmann::ordered_json to_json(const program_launches&);

/// Throws bad_input.
program_launches read_program_launches(const std::filesystem::path&);

}  // namespace ablate::gate
