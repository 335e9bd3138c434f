#include "reports/gate/fat_binaries.h"

#include <fmt/format.h>

#include <cstdint>
#include <stdexcept>

#include "reports/gate/elf_file.h"
#include "reports/gate/zstd.h"

namespace ablate::gate {
namespace {

/// Header of a fat binary; `bytes` of images follow it.
struct fat_header {
  std::uint32_t magic;
  std::uint16_t version, header_bytes;
  std::uint64_t bytes;
};
constexpr std::uint32_t fat_magic = 0xba55ed50;
constexpr std::size_t alignment = 8;

/// Header of an image. NVIDIA documents none of this; the layout is that of CUDA 12 and 13.
struct image_header {
  std::uint16_t kind, version;
  std::uint32_t header_bytes;
  std::uint64_t padded_bytes;
  std::uint32_t compressed_bytes, reserved;
  std::uint16_t minor, major;
  std::uint32_t architecture;
  std::uint32_t name_offset, name_bytes;
  std::uint64_t flags, zero, bytes;
};
constexpr std::uint16_t ptx_kind = 1, cubin_kind = 2;
constexpr std::uint64_t is_lz4_compressed = 0x2000, is_zstd_compressed = 0x8000;
constexpr std::uint64_t is_architecture_specific = 0x100000;  // the "a" of sm_90a

}  // namespace

std::vector<std::string_view> fat_binaries(std::string_view elf) {
  const elf_file program(elf);
  const elf_file::section* section = program.find(".nv_fatbin");
  const std::string_view all = section ? section->bytes : std::string_view();
  std::vector<std::string_view> out;
  for (std::uint64_t at = 0; at + sizeof(fat_header) <= all.size();) {
    const auto header = read_at<fat_header>(all, at);
    if (header.magic != fat_magic) {  // a gap between two of them
      at += alignment;
      continue;
    }
    if (header.header_bytes < sizeof(fat_header) || header.bytes > all.size())
      throw std::runtime_error("the program's ELF file holds a broken fat binary");
    out.push_back(part_of(all, at, header.header_bytes + header.bytes));
    at += (out.back().size() + alignment - 1) / alignment * alignment;
  }
  return out;
}

std::vector<fat_image> images_of(std::string_view fat_binary) {
  std::vector<fat_image> out;
  for (std::uint64_t at = read_at<fat_header>(fat_binary, 0).header_bytes; at < fat_binary.size();) {
    const auto header = read_at<image_header>(fat_binary, at);
    if (header.header_bytes < sizeof(image_header))
      throw std::runtime_error("the program's ELF file holds a broken image in a fat binary");
    const std::string_view held = part_of(fat_binary, at + header.header_bytes, header.padded_bytes);
    at += header.header_bytes + header.padded_bytes;
    if (header.kind != ptx_kind && header.kind != cubin_kind) continue;
    fat_image image;
    image.is_ptx = header.kind == ptx_kind;
    image.architecture = fmt::format("{}_{}{}", image.is_ptx ? "compute" : "sm", header.architecture,
                                     header.flags & is_architecture_specific ? "a" : "");
    if (header.flags & is_lz4_compressed)
      throw std::runtime_error(
          "expected kernels of CUDA 12.6 or later, found ones that an older nvcc compressed; build again");
    image.bytes = header.flags & is_zstd_compressed
                      ? unzstd(part_of(held, 0, header.compressed_bytes), header.bytes)
                      : std::string(held);
    out.push_back(std::move(image));
  }
  return out;
}

}  // namespace ablate::gate
