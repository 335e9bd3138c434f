#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace ablate::wrapped_test {

/// What a reader of cubins looks for, of a cubin with one kernel that is made without a compiler.
struct made_cubin {
  std::string entry = "add";
  std::vector<std::uint32_t> parameter_bytes = {8, 8, 8, 4};
  std::uint32_t registers = 12, stack_bytes = 0;
  std::uint64_t static_shared_bytes = 256;
  unsigned capability = 80;
  bool has_abi_of_cuda_13 = false;
};

template <class T>
std::string object_bytes(const T& value) {
  std::string out(sizeof value, '\0');
  std::memcpy(out.data(), &value, sizeof value);
  return out;
}

class elf_writer {
 public:
  void add(const std::string& name, std::uint32_t type, const std::string& contents, std::uint32_t link = 0) {
    Elf64_Shdr header{};
    header.sh_name = static_cast<std::uint32_t>(names_.size());
    header.sh_type = type;
    header.sh_size = contents.size();
    header.sh_link = link;
    names_ += name + '\0';
    sections_.emplace_back(header, contents);
  }

  void add_without_contents(const std::string& name, std::uint64_t bytes) {
    add(name, SHT_NOBITS, {});
    sections_.back().first.sh_size = bytes;
  }

  /// Adds the table of names, and writes all.
  std::string bytes(unsigned flags, std::uint8_t abi) {
    add(".shstrtab", SHT_STRTAB, {});
    sections_.back().second = names_;
    sections_.back().first.sh_size = names_.size();
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_ABIVERSION] = abi;
    header.e_machine = 190;
    header.e_flags = flags;
    header.e_shoff = sizeof header;
    header.e_shnum = static_cast<std::uint16_t>(sections_.size());
    header.e_shstrndx = static_cast<std::uint16_t>(sections_.size() - 1);
    std::string table, contents;
    for (auto& [section, held] : sections_) {
      section.sh_offset = sizeof header + sections_.size() * sizeof section + contents.size();
      contents += held;
      table += object_bytes(section);
    }
    return object_bytes(header) + table + contents;
  }

 private:
  std::string names_;
  std::vector<std::pair<Elf64_Shdr, std::string>> sections_;
};

inline std::string attribute_bytes(std::uint8_t code, const std::vector<std::uint32_t>& words) {
  std::string out{'\x04', static_cast<char>(code), static_cast<char>(4 * words.size()), '\0'};
  for (const std::uint32_t word : words) out += object_bytes(word);
  return out;
}

inline std::string cubin_bytes(const made_cubin& of) {
  elf_writer out;
  out.add("", SHT_NULL, {});
  out.add(".strtab", SHT_STRTAB, '\0' + of.entry + '\0');
  Elf64_Sym symbols[2]{};
  symbols[1].st_name = 1;
  out.add(".symtab", SHT_SYMTAB, object_bytes(symbols), 1);
  out.add(".nv.info", SHT_LOPROC,
          attribute_bytes(0x2f, {1, of.registers}) + attribute_bytes(0x11, {1, of.stack_bytes}));
  std::string parameters = object_bytes(std::uint32_t{0x00ff1b03});  // an attribute without a payload
  // As compilers do: the last parameter first.
  for (std::size_t i = of.parameter_bytes.size(); i-- > 0;)
    parameters +=
        attribute_bytes(0x17, {0, static_cast<std::uint32_t>(i), of.parameter_bytes[i] << 18 | 0x1f000});
  out.add(".nv.info." + of.entry, SHT_LOPROC, parameters);
  out.add(".text." + of.entry, SHT_PROGBITS, std::string(16, '\0'));
  out.add(".text.a_function", SHT_PROGBITS, std::string(16, '\0'));
  out.add_without_contents(".nv.shared." + of.entry, of.static_shared_bytes);
  return of.has_abi_of_cuda_13 ? out.bytes(of.capability << 8 | 4, 8)
                               : out.bytes(of.capability << 16 | of.capability, 7);
}

}  // namespace ablate::wrapped_test
