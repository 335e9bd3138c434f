#include "reports/gate/elf_file.h"

#include <algorithm>
#include <stdexcept>

namespace ablate::gate {
namespace {

/// The text at `at` of a string table.
std::string_view text_at(std::string_view table, std::uint64_t at) {
  if (at >= table.size()) return {};
  const std::string_view rest = table.substr(at);
  return rest.substr(0, rest.find('\0'));
}

}  // namespace

std::string_view part_of(std::string_view bytes, std::uint64_t at, std::uint64_t size) {
  if (at > bytes.size() || size > bytes.size() - at) throw std::runtime_error("an ELF file ends early");
  return bytes.substr(at, size);
}

elf_file::elf_file(std::string_view bytes) {
  const auto header = read_at<Elf64_Ehdr>(bytes, 0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
    throw std::runtime_error("expected an ELF file of 64 bits, found another");
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    const auto entry = read_at<Elf64_Shdr>(bytes, header.e_shoff + i * sizeof(Elf64_Shdr));
    const bool is_in_file = entry.sh_type != SHT_NOBITS && entry.sh_type != SHT_NULL;
    sections_.push_back(
        {{}, entry, is_in_file ? part_of(bytes, entry.sh_offset, entry.sh_size) : std::string_view()});
  }
  if (header.e_shstrndx < sections_.size()) {
    const std::string_view names = sections_[header.e_shstrndx].bytes;
    for (section& s : sections_) s.name = text_at(names, s.header.sh_name);
  }
  const section* table = find(".symtab");
  if (!table || table->header.sh_link >= sections_.size()) return;
  const std::string_view names = sections_[table->header.sh_link].bytes;
  for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= table->bytes.size(); at += sizeof(Elf64_Sym)) {
    const auto entry = read_at<Elf64_Sym>(table->bytes, at);
    symbols_.push_back({text_at(names, entry.st_name), entry});
  }
}

const elf_file::section* elf_file::find(std::string_view name) const {
  const auto found =
      std::find_if(sections_.begin(), sections_.end(), [&](const section& s) { return s.name == name; });
  return found == sections_.end() ? nullptr : &*found;
}

}  // namespace ablate::gate
