#include "reports/gate/cubin.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/text/sha256.h"
#include "reports/gate/elf_file.h"

namespace ablate::gate {
namespace {

constexpr std::string_view code_prefix = ".text.", info_prefix = ".nv.info.";

/// An attribute of .nv.info: of a kernel, or of the whole cubin.
struct attribute {
  std::uint8_t code;
  std::string_view payload;
};
constexpr std::uint8_t has_payload = 4;
constexpr std::uint8_t parameter_bank = 0x0a, externs = 0x0f, parameter = 0x17, parameters_bytes = 0x19;

std::vector<attribute> attributes_of(std::string_view info) {
  std::vector<attribute> out;
  for (std::uint64_t at = 0; at + 4 <= info.size();) {
    const auto format = static_cast<std::uint8_t>(info[at]);
    const auto code = static_cast<std::uint8_t>(info[at + 1]);
    const std::uint64_t bytes = format == has_payload ? read_at<std::uint16_t>(info, at + 2) : 0;
    // Without a payload, the value is in the size field.
    out.push_back({code, bytes > 0 ? part_of(info, at + 4, bytes) : part_of(info, at + 2, 2)});
    at += 4 + bytes;
  }
  return out;
}

/// A cubin's sections as the hash of a kernel sees them.
class cubin_reader {
 public:
  explicit cubin_reader(std::string_view cubin) : file_(cubin) {
    for (const elf_file::section& s : file_.sections())
      if (s.name.starts_with(info_prefix)) kernels_.push_back(s.name.substr(info_prefix.size()));
    shared_ = sha256(shared_parts());
  }

  std::map<std::string, kernel_machine_code> kernels() const {
    std::map<std::string, kernel_machine_code> out;
    for (const std::string_view name : kernels_)
      out[without_file(name)] = {sha256(parts_of(name)), parameters_of(name)};
    return out;
  }

 private:
  static std::string sha256(const std::string& text) { return reports::sha256_hex(text); }

  static void add(std::string& to, std::string_view what, std::string_view bytes) {
    to += fmt::format("{} {}\n", what, bytes.size());
    to += bytes;
  }

  std::string named(std::string_view prefix, std::string_view kernel) const {
    return std::string(prefix) + std::string(kernel);
  }

  bool is_of_a_kernel(std::string_view section) const {
    return std::any_of(kernels_.begin(), kernels_.end(), [&](std::string_view kernel) {
      return section.ends_with(kernel) && section.size() > kernel.size() &&
             section[section.size() - kernel.size() - 1] == '.';
    });
  }

  std::string symbol_name(std::uint64_t index) const {
    return index < file_.symbols().size() ? without_file(file_.symbols()[index].name) : std::string();
  }

  /// Where the loader writes which symbol's address: of a section, by the symbols' names.
  std::string relocations_of(std::string_view section) const {
    std::string out;
    const auto line = [&](std::uint64_t offset, std::uint64_t info, std::int64_t addend) {
      out += fmt::format("{:x} {:x} {} {}\n", offset, ELF64_R_TYPE(info), symbol_name(ELF64_R_SYM(info)),
                         addend);
    };
    if (const auto* with_addend = file_.find(named(".rela", section)))
      for (std::uint64_t at = 0; at + sizeof(Elf64_Rela) <= with_addend->bytes.size();
           at += sizeof(Elf64_Rela)) {
        const auto r = read_at<Elf64_Rela>(with_addend->bytes, at);
        line(r.r_offset, r.r_info, r.r_addend);
      }
    if (const auto* plain = file_.find(named(".rel", section)))
      for (std::uint64_t at = 0; at + sizeof(Elf64_Rel) <= plain->bytes.size(); at += sizeof(Elf64_Rel)) {
        const auto r = read_at<Elf64_Rel>(plain->bytes, at);
        line(r.r_offset, r.r_info, 0);
      }
    return out;
  }

  /// What belongs to no kernel and runs or is read: any kernel of the cubin may reach it.
  std::string shared_parts() const {
    std::string out;
    for (const elf_file::section& s : file_.sections()) {
      const bool is_loaded = (s.header.sh_flags & SHF_ALLOC) != 0;
      if (!is_loaded || is_of_a_kernel(s.name) || s.name.starts_with(".nv.shared.reserved")) continue;
      add(out, s.name, s.bytes);
      out += fmt::format("{}\n", s.header.sh_size) + relocations_of(s.name);
    }
    return out;
  }

  /// Of the attributes, what does not name a symbol by its number.
  static std::string without_symbols(const attribute& of) {
    std::string payload(of.payload);
    if ((of.code == parameter_bank || of.code == externs) && payload.size() >= 4)
      payload.replace(0, 4, 4, '\0');
    return payload;
  }

  std::string parts_of(std::string_view kernel) const {
    std::string out = shared_ + "\n";
    std::optional<std::uint16_t> code_section;
    for (std::size_t i = 0; i < file_.sections().size(); ++i) {
      const elf_file::section& s = file_.sections()[i];
      if ((s.header.sh_flags & SHF_ALLOC) == 0 || !s.name.ends_with(kernel)) continue;
      const std::string_view kind = s.name.substr(0, s.name.size() - kernel.size());
      if (!kind.ends_with('.')) continue;
      constexpr int registers_shift = 24;
      if (kind == code_prefix) {
        code_section = static_cast<std::uint16_t>(i);
        out += fmt::format("registers {}\n", s.header.sh_info >> registers_shift);
      }
      add(out, kind, s.bytes);
      out += fmt::format("{}\n", s.header.sh_size) + relocations_of(s.name);
    }
    if (const auto* info = file_.find(named(info_prefix, kernel)))
      for (const attribute& a : attributes_of(info->bytes))
        add(out, fmt::format("attribute {:x}", a.code), without_symbols(a));
    if (code_section) add_facts_of_functions(*code_section, out);
    return out;
  }

  /// Registers and stack, which the cubin's own attributes state by symbol: the kernel's, and those of the
  /// functions in its code.
  void add_facts_of_functions(std::uint16_t code_section, std::string& out) const {
    const auto* info = file_.find(".nv.info");
    if (!info) return;
    for (const attribute& a : attributes_of(info->bytes)) {
      if (a.payload.size() < 8) continue;
      const auto index = read_at<std::uint32_t>(a.payload, 0);
      if (index >= file_.symbols().size()) continue;
      const elf_file::symbol& of = file_.symbols()[index];
      if (of.entry.st_shndx == code_section && ELF64_ST_TYPE(of.entry.st_info) == STT_FUNC)
        add(out, fmt::format("function {:x} {:x}", a.code, of.entry.st_value), a.payload.substr(4));
    }
  }

  std::vector<std::size_t> parameters_of(std::string_view kernel) const {
    struct place {
      std::size_t offset, bytes;
    };
    std::map<std::size_t, place> by_position;
    std::size_t all = 0;
    const auto* info = file_.find(named(info_prefix, kernel));
    for (const attribute& a : attributes_of(info ? info->bytes : std::string_view())) {
      constexpr int bytes_shift = 18;
      if (a.code == parameter && a.payload.size() >= 12)
        by_position[read_at<std::uint16_t>(a.payload, 4)] = {
            read_at<std::uint16_t>(a.payload, 6), read_at<std::uint32_t>(a.payload, 8) >> bytes_shift};
      if (a.code == parameters_bytes) all = read_at<std::uint16_t>(a.payload, 0);
    }
    std::vector<std::size_t> out;
    for (auto at = by_position.begin(); at != by_position.end(); ++at) {
      const auto next = std::next(at);
      const std::size_t end = next == by_position.end() ? all : next->second.offset;
      const std::size_t room = end > at->second.offset ? end - at->second.offset : 0;
      // The field for bytes is too narrow for the largest parameters; these have no padding after them.
      out.push_back(at->second.bytes > 0 && at->second.bytes <= room ? at->second.bytes : room);
    }
    return out;
  }

  elf_file file_;
  std::vector<std::string_view> kernels_;
  std::string shared_;
};

}  // namespace

std::map<std::string, kernel_machine_code> kernels_in(std::string_view cubin) {
  return cubin_reader(cubin).kernels();
}

}  // namespace ablate::gate
