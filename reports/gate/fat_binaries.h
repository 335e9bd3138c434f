#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ablate::gate {

/// The fat binaries that nvcc embeds in a program, one per .cu file: the pieces of the .nv_fatbin section of
/// a 64-bit ELF file. Empty if there is no such section. cuobjdump accepts each as a file, so several can be
/// disassembled in parallel; our whole program would take it two minutes. Throws std::runtime_error for a
/// file that is not ELF or ends early.
std::vector<std::string_view> fat_binaries(std::string_view elf);

/// One image of a fat binary: machine code for one architecture, or PTX.
struct fat_image {
  bool is_ptx = false;
  std::string architecture;  ///< sm_90a; of PTX compute_90a
  std::string bytes;         ///< a cubin, or text; decompressed
};

/// The images of one of `fat_binaries`, in its order. Throws std::runtime_error for a broken one.
std::vector<fat_image> images_of(std::string_view fat_binary);

}  // namespace ablate::gate
