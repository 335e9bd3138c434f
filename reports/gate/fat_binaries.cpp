#include "reports/gate/fat_binaries.h"

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>

namespace ablate::gate {
namespace {

/// Header of a fat binary; `bytes` follow it.
struct fat_header {
  std::uint32_t magic;
  std::uint16_t version, header_bytes;
  std::uint64_t bytes;
};
constexpr std::uint32_t fat_magic = 0xba55ed50;
constexpr std::size_t alignment = 8;

std::string_view part(std::string_view of, std::uint64_t at, std::uint64_t bytes) {
  if (at > of.size() || bytes > of.size() - at) throw std::runtime_error("the program's ELF file ends early");
  return of.substr(at, bytes);
}

template <class T>
T read(std::string_view from, std::uint64_t at) {
  T out;
  std::memcpy(&out, part(from, at, sizeof out).data(), sizeof out);
  return out;
}

std::string_view section(std::string_view elf, std::string_view wanted) {
  const auto header = read<Elf64_Ehdr>(elf, 0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
    throw std::runtime_error("the program is not a 64-bit ELF file");
  const auto entry = [&](std::uint64_t i) {
    return read<Elf64_Shdr>(elf, header.e_shoff + i * sizeof(Elf64_Shdr));
  };
  if (header.e_shnum == 0) return {};
  const auto names = entry(header.e_shstrndx);
  const std::string_view name_table = part(elf, names.sh_offset, names.sh_size);
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    const auto found = entry(i);
    if (found.sh_name >= name_table.size()) continue;
    const std::string_view rest = name_table.substr(found.sh_name);
    if (found.sh_type != SHT_NOBITS && rest.substr(0, rest.find('\0')) == wanted)
      return part(elf, found.sh_offset, found.sh_size);
  }
  return {};
}

}  // namespace

std::vector<std::string_view> fat_binaries(std::string_view elf) {
  const std::string_view all = section(elf, ".nv_fatbin");
  std::vector<std::string_view> out;
  for (std::uint64_t at = 0; at + sizeof(fat_header) <= all.size();) {
    const auto header = read<fat_header>(all, at);
    if (header.magic != fat_magic) {  // a gap between two of them
      at += alignment;
      continue;
    }
    if (header.header_bytes < sizeof(fat_header) || header.bytes > all.size())
      throw std::runtime_error("the program's ELF file has a broken fat binary");
    out.push_back(part(all, at, header.header_bytes + header.bytes));
    at += (out.back().size() + alignment - 1) / alignment * alignment;
  }
  return out;
}

}  // namespace ablate::gate
