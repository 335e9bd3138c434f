#pragma once

#include <string_view>
#include <vector>

namespace ablate::gate {

/// The fat binaries that nvcc embeds in a program, one per .cu file: the pieces of the .nv_fatbin section of
/// a 64-bit ELF file. Empty if there is no such section. cuobjdump accepts each as a file, so several can be
/// disassembled in parallel; our whole program would take it two minutes. Throws std::runtime_error for a
/// file that is not ELF or ends early.
std::vector<std::string_view> fat_binaries(std::string_view elf);

}  // namespace ablate::gate
