#pragma once

#include <string_view>
#include <vector>

namespace ablate::gate {

/// The fat binaries that nvcc put into a program, one for each .cu file: the parts of the section .nv_fatbin
/// of an ELF file of 64 bits. Empty for a program without such a section. cuobjdump takes each as a file of
/// its own, so several of them can be disassembled at once; the whole of ours would take it two minutes.
/// Throws std::runtime_error for what is no ELF file or ends early.
std::vector<std::string_view> fat_binaries(std::string_view elf);

}  // namespace ablate::gate
