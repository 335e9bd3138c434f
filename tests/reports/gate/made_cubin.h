#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace ablate::test_support {

template <class T>
std::string bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

struct made_section {
  std::string name;
  Elf64_Word type = SHT_PROGBITS;
  Elf64_Xword flags = 0;
  std::string bytes;
  Elf64_Word info = 0;
};

struct made_symbol {
  std::string name;
  std::uint16_t section = 0;  ///< its place among the sections given, from 1
  unsigned char type = STT_FUNC;
  Elf64_Addr value = 0;
};

/// An ELF file with these sections, from number 1 on, and a symbol table of these symbols, from number 1 on.
inline std::string made_elf_file(std::vector<made_section> sections,
                                 const std::vector<made_symbol>& symbols) {
  std::string symbol_names(1, '\0'), table = bytes_of(Elf64_Sym{});
  for (const made_symbol& s : symbols) {
    Elf64_Sym entry{};
    entry.st_name = static_cast<Elf64_Word>(symbol_names.size());
    entry.st_info = ELF64_ST_INFO(STB_GLOBAL, s.type);
    entry.st_shndx = s.section;
    entry.st_value = s.value;
    symbol_names += s.name + '\0';
    table += bytes_of(entry);
  }
  sections.push_back({".strtab", SHT_STRTAB, 0, symbol_names});
  const auto strings = static_cast<Elf64_Word>(sections.size());
  sections.push_back({".symtab", SHT_SYMTAB, 0, table});
  const std::size_t symbol_table = sections.size();
  std::string names(1, '\0');
  std::vector<Elf64_Shdr> headers(1);
  std::string content;
  sections.push_back({".shstrtab", SHT_STRTAB, 0, ""});
  for (std::size_t i = 0; i < sections.size(); ++i) {
    Elf64_Shdr header{};
    header.sh_name = static_cast<Elf64_Word>(names.size());
    names += sections[i].name + '\0';
    if (i + 1 == sections.size()) sections[i].bytes = names;
    header.sh_type = sections[i].type;
    header.sh_flags = sections[i].flags;
    header.sh_info = sections[i].info;
    header.sh_offset = sizeof(Elf64_Ehdr) + content.size();
    header.sh_size = sections[i].bytes.size();
    if (i + 1 == symbol_table) header.sh_link = strings;
    content += sections[i].bytes;
    headers.push_back(header);
  }
  Elf64_Ehdr file{};
  std::memcpy(file.e_ident, ELFMAG, SELFMAG);
  file.e_ident[EI_CLASS] = ELFCLASS64;
  file.e_shoff = sizeof file + content.size();
  file.e_shnum = static_cast<Elf64_Half>(headers.size());
  file.e_shstrndx = static_cast<Elf64_Half>(headers.size() - 1);
  std::string out = bytes_of(file) + content;
  for (const Elf64_Shdr& header : headers) out += bytes_of(header);
  return out;
}

/// What a test changes of a cubin with the kernels `first` and `second`.
struct made_cubin {
  std::string code = "the instructions of first", other_code = "those of second";
  Elf64_Word registers = 32;
  std::uint32_t stack_bytes = 8, max_threads = 256;
  std::string constants = "1.5", shared_constants, debug = "line 7", tool = "ptxas of today";
  std::size_t static_shared_bytes = 128;
  std::string extra_symbol;  ///< before the others: all numbers of symbols move
  std::string constant_of = "table";

  std::string bytes() const {
    const auto attribute = [](std::uint8_t code_of, const std::string& payload) {
      return bytes_of(std::uint8_t{4}) + bytes_of(code_of) +
             bytes_of(static_cast<std::uint16_t>(payload.size())) + payload;
    };
    const auto parameter = [&](std::uint16_t place, std::uint16_t offset, std::uint32_t size) {
      return attribute(0x17, bytes_of(std::uint32_t{0}) + bytes_of(place) + bytes_of(offset) +
                                 bytes_of(std::uint32_t{size << 18}));
    };
    const std::uint32_t moved = extra_symbol.empty() ? 0 : 1;
    const std::string info = bytes_of(std::uint8_t{3}) + bytes_of(std::uint8_t{0x19}) +
                             bytes_of(std::uint16_t{13}) + parameter(1, 8, 5) + parameter(0, 0, 8) +
                             attribute(0x0a, bytes_of(std::uint32_t{3 + moved}) + "bank") +
                             attribute(0x05, bytes_of(max_threads));
    const auto stack = [&](std::uint32_t symbol, std::uint32_t size) {
      return attribute(0x11, bytes_of(std::uint32_t{symbol + moved}) + bytes_of(size));
    };
    constexpr Elf64_Xword loaded = SHF_ALLOC;
    std::vector<made_section> sections = {
        {".text.first", SHT_PROGBITS, loaded | SHF_EXECINSTR, code, registers << 24 | (1 + moved)},
        {".text.second", SHT_PROGBITS, loaded | SHF_EXECINSTR, other_code, 40u << 24 | (2 + moved)},
        {".nv.info", SHT_LOPROC, 0, stack(1, stack_bytes) + stack(2, 16)},
        {".nv.info.first", SHT_LOPROC, 0, info},
        {".nv.info.second", SHT_LOPROC, 0, ""},
        {".nv.constant2.first", SHT_PROGBITS, loaded, constants},
        {".nv.shared.first", SHT_PROGBITS, loaded, std::string(static_shared_bytes, '\0')},
        {".debug_line", SHT_PROGBITS, 0, debug},
        {".note.nv.tkinfo", SHT_NOTE, 0, tool}};
    std::vector<made_symbol> symbols;
    if (!extra_symbol.empty()) symbols.push_back({extra_symbol, 8, STT_OBJECT});
    symbols.push_back({"first", 1});
    symbols.push_back({"second", 2});
    symbols.push_back({constant_of, 10, STT_OBJECT});
    if (!shared_constants.empty()) {
      sections.push_back({".nv.constant3", SHT_PROGBITS, loaded, shared_constants});
      sections.push_back({".nv.constant4", SHT_PROGBITS, loaded, std::string(8, '\0')});
      Elf64_Rela relocation{};
      relocation.r_info = ELF64_R_INFO(Elf64_Xword{3 + moved}, 2);
      sections.push_back({".rela.nv.constant4", SHT_RELA, 0, bytes_of(relocation)});
    }
    return made_elf_file(std::move(sections), symbols);
  }
};

/// A program whose only fat binary has these cubins, of sm_80, sm_81, … in turn.
inline std::string made_program(const std::vector<std::string>& cubins) {
  std::string images;
  std::uint32_t architecture = 80;
  for (std::string cubin : cubins) {
    cubin.resize((cubin.size() + 7) / 8 * 8);
    images += bytes_of(std::uint16_t{2}) + bytes_of(std::uint16_t{0x101}) + bytes_of(std::uint32_t{64}) +
              bytes_of(std::uint64_t{cubin.size()}) + std::string(12, '\0') + bytes_of(architecture++) +
              std::string(8, '\0') + bytes_of(std::uint64_t{0x11}) + std::string(16, '\0') + cubin;
  }
  return made_elf_file({{".nv_fatbin", SHT_PROGBITS, SHF_ALLOC,
                         bytes_of(std::uint32_t{0xba55ed50}) + bytes_of(std::uint16_t{1}) +
                             bytes_of(std::uint16_t{16}) + bytes_of(std::uint64_t{images.size()}) + images}},
                       {});
}

}  // namespace ablate::test_support
