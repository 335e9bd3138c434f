#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ablate::gate {

/// Which way a quantity must not go.
enum class worse { rising, falling, changing };

/// One quantity of the static gate.
struct static_quantity {
  std::string name;
  worse when;
  bool has_tolerance;  ///< counts of instructions: unrolling moves them a little
};

/// What ptxas reports of a kernel for one architecture: registers, spill_bytes, stack_bytes,
/// static_shared_bytes.
const std::vector<static_quantity>& resource_quantities();
/// What is counted in a kernel's SASS for one architecture, instructions as they stand in the code:
/// local_memory_instructions (LDL, STL), tensor_instructions (HMMA, HGMMA and their kin), vector_loads_128
/// and vector_stores_128 (LDG, STG of 128 bits), vector_load_bytes and vector_store_bytes (of LDG, STG of 64
/// and 128 bits, a thread), atomic_instructions (ATOM, ATOMG, ATOMS, RED and their kin), exponentials
/// (MUFU.EX2).
const std::vector<static_quantity>& sass_quantities();
/// What a variant's launch of a kernel is on a chip: dynamic_shared_bytes, occupancy (0 to 1).
const std::vector<static_quantity>& launch_quantities();
/// The names of all of them.
std::vector<std::string> static_quantity_names();

using counts = std::map<std::string, long>;  ///< by quantity; what is absent is zero

/// A kernel's machine code for one architecture.
struct kernel_code {
  counts resources;
  std::optional<counts> sass;  ///< nothing where nobody disassembled it
};

/// A variant's launch of a kernel. Of several launches with other geometry: the largest shared memory and the
/// lowest occupancy.
struct chip_launch {
  long dynamic_shared_bytes = 0;
  double occupancy = 0;  ///< theoretical, 0 to 1
  bool operator==(const chip_launch&) const = default;
};

struct kernel_static_facts {
  std::map<std::string, kernel_code> code;                                 ///< by architecture: sm_80, sm_90a
  std::map<std::pair<std::string, std::string>, chip_launch> launched_by;  ///< by operation/variant and chip
};

/// What can be known of a program's kernels without a GPU.
struct static_facts_file {
  std::string cuda_compiler;                           ///< 13.0.88
  bool has_sass = false;                               ///< whether SASS was counted
  std::map<std::string, kernel_static_facts> kernels;  ///< by demangled name
};

/// Reads a file that `static_facts_text` made. Throws bad_input.
static_facts_file read_static_facts(const std::filesystem::path&);

/// As JSON, one line a kernel, sorted by name, so that a diff shows what moved. Zeros are left out.
std::string static_facts_text(const static_facts_file&);

}  // namespace ablate::gate
