#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ablate::gate {

/// The direction in which a quantity gets worse.
enum class worse { rising, falling, changing };

/// One quantity of the static gate.
struct static_quantity {
  std::string name;
  worse when;
  bool has_tolerance;  ///< instruction counts: unrolling moves them a little
};

/// What ptxas reports for a kernel and one architecture: registers, spill_bytes, stack_bytes,
/// static_shared_bytes.
const std::vector<static_quantity>& resource_quantities();
/// Static instruction counts in a kernel's SASS for one architecture: local_memory_instructions (LDL, STL),
/// tensor_instructions (HMMA, HGMMA and the like), vector_loads_128 and vector_stores_128 (128-bit LDG, STG),
/// vector_load_bytes and vector_store_bytes (of 64- and 128-bit LDG, STG, per thread), atomic_instructions
/// (ATOM, ATOMG, ATOMS, RED and the like), exponentials (MUFU.EX2).
const std::vector<static_quantity>& sass_quantities();
/// A variant's launch of a kernel on a chip: dynamic_shared_bytes, occupancy (0 to 1).
const std::vector<static_quantity>& launch_quantities();
/// The names of all of them.
std::vector<std::string> static_quantity_names();

using counts = std::map<std::string, long>;  ///< by quantity; absent means zero

/// A kernel's machine code for one architecture.
struct kernel_code {
  counts resources;
  std::optional<counts> sass;  ///< absent if it was not disassembled
};

/// A variant's launch of a kernel. For several launches with different geometry: the largest shared memory
/// and the lowest occupancy.
struct chip_launch {
  long dynamic_shared_bytes = 0;
  double occupancy = 0;  ///< theoretical, 0 to 1
  bool operator==(const chip_launch&) const = default;
};

struct kernel_static_facts {
  std::map<std::string, kernel_code> code;                                 ///< by architecture: sm_80, sm_90a
  std::map<std::pair<std::string, std::string>, chip_launch> launched_by;  ///< by operation/variant and chip
};

/// What can be known about a program's kernels without a GPU.
struct static_facts_file {
  std::string cuda_compiler;                           ///< 13.0.88
  bool has_sass = false;                               ///< whether SASS was counted
  std::map<std::string, kernel_static_facts> kernels;  ///< by demangled name
};

/// Gives the kernels of `to` whose SASS was not counted the counts of `from`, where both have the same
/// resources for an architecture: the same compiler made the same of them. Both must name one CUDA compiler.
/// Returns how many kernels got some.
std::size_t take_sass(static_facts_file& to, const static_facts_file& from);

/// Reads a file made by `static_facts_text`. Throws bad_input.
static_facts_file read_static_facts(const std::filesystem::path&);

/// As JSON, one line per kernel, sorted by name, so that a diff shows what changed. Zeros are omitted.
std::string static_facts_text(const static_facts_file&);

}  // namespace ablate::gate
