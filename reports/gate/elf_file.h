#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace ablate::gate {

/// The sections of a 64-bit ELF file: a program, or a cubin. Refers to the file's bytes.
class elf_file {
 public:
  struct section {
    std::string_view name;
    Elf64_Shdr header;
    std::string_view bytes;  ///< empty for NOBITS
  };
  struct symbol {
    std::string_view name;
    Elf64_Sym entry;
  };

  /// Throws std::runtime_error for a file that is not ELF or ends early.
  explicit elf_file(std::string_view bytes);

  const std::vector<section>& sections() const { return sections_; }
  /// Null where there is none of this name.
  const section* find(std::string_view name) const;
  /// Of .symtab, in its order; empty without one.
  const std::vector<symbol>& symbols() const { return symbols_; }

 private:
  std::vector<section> sections_;
  std::vector<symbol> symbols_;
};

/// `size` bytes at `at`. Throws std::runtime_error beyond the end.
std::string_view part_of(std::string_view bytes, std::uint64_t at, std::uint64_t size);

template <class T>
T read_at(std::string_view bytes, std::uint64_t at) {
  T out;
  std::memcpy(&out, part_of(bytes, at, sizeof out).data(), sizeof out);
  return out;
}

}  // namespace ablate::gate
