#include "harness/wrapped/cubin.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <string_view>
#include <unordered_map>

#include "base/text/bad_input.h"

namespace ablate::wrapped {

namespace {

constexpr unsigned cuda_machine = 190;
// Attributes of .nv.info sections, as `cuobjdump -elf` names them.
constexpr std::uint8_t with_payload = 0x04;
constexpr std::uint8_t frame_size = 0x11, parameter_info = 0x17, register_count = 0x2f;
// The driver takes this much of a block's shared memory for itself, and ptxas's report leaves it out.
constexpr std::uint64_t reserved_shared_bytes = 1024;
// Names may overlap, so that all of them are much longer than the file: this bounds the time that reading
// takes.
constexpr std::size_t longest_name = 1 << 16;

class cubin_reader {
 public:
  cubin_reader(std::string_view elf, const std::string& file) : elf_(elf), file_(file) {
    const auto header = read_at<Elf64_Ehdr>(0);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_machine != cuda_machine)
      refuse(0, "expected a 64-bit ELF file of NVIDIA machine code");
    // The ABI of CUDA 13 moved the architecture to other bits.
    capability_ = header.e_ident[EI_ABIVERSION] >= 8 ? static_cast<int>(header.e_flags >> 8 & 0xff)
                                                     : static_cast<int>(header.e_flags & 0xff);
    for (unsigned i = 0; i < header.e_shnum; ++i)
      sections_.push_back(read_at<Elf64_Shdr>(header.e_shoff + std::uint64_t{i} * sizeof(Elf64_Shdr)));
    if (header.e_shstrndx >= sections_.size()) refuse(0, "expected a table of section names");
    names_ = sections_[header.e_shstrndx];
    for (const Elf64_Shdr& section : sections_) by_name_.emplace(text_at(names_, section.sh_name), &section);
  }

  std::vector<code_kernel> kernels() {
    constexpr std::string_view code = ".text.";
    std::vector<code_kernel> out;
    for (const Elf64_Shdr& section : sections_) {
      const std::string_view name = text_at(names_, section.sh_name);
      if (section.sh_type != SHT_PROGBITS || !name.starts_with(code)) continue;
      const std::string entry(name.substr(code.size()));
      // What has none is a function that kernels call.
      const Elf64_Shdr* const info = find(".nv.info." + entry);
      if (!info) continue;
      code_kernel kernel{entry, capability_, parameters_of(*info), code_resources{}};
      kernel.resources->static_shared_bytes = static_shared_bytes(entry);
      out.push_back(std::move(kernel));
    }
    add_resources(out);
    return out;
  }

 private:
  [[noreturn]] void refuse(std::uint64_t byte, const std::string& expected) const {
    throw bad_input(file_, fmt::format("byte {}", byte), expected);
  }

  std::string_view bytes_at(std::uint64_t begin, std::uint64_t size) const {
    if (begin > elf_.size() || size > elf_.size() - begin)
      refuse(elf_.size(),
             fmt::format("expected {} bytes from byte {}, the file ends: truncated", size, begin));
    return elf_.substr(begin, size);
  }

  template <class T>
  T read_at(std::uint64_t begin) const {
    T out;
    std::memcpy(&out, bytes_at(begin, sizeof out).data(), sizeof out);
    return out;
  }

  std::string_view text_at(const Elf64_Shdr& table, std::uint64_t at) const {
    std::string_view texts = bytes_at(table.sh_offset, table.sh_size);
    texts = at < texts.size() ? texts.substr(at, longest_name) : std::string_view();
    const std::size_t end = texts.find('\0');
    if (end == std::string_view::npos)
      refuse(table.sh_offset, fmt::format("expected a name that ends within {} bytes", longest_name));
    return texts.substr(0, end);
  }

  const Elf64_Shdr* find(const std::string& name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second;
  }

  /// Calls `take` with the code of each attribute that has a payload, and that.
  template <class Take>
  void for_attributes(const Elf64_Shdr& info, Take&& take) const {
    const std::string_view all = bytes_at(info.sh_offset, info.sh_size);
    for (std::uint64_t at = 0; at + 4 <= all.size();) {
      const std::uint64_t here = info.sh_offset + at;
      const auto format = read_at<std::uint8_t>(here), attribute = read_at<std::uint8_t>(here + 1);
      const auto size = read_at<std::uint16_t>(here + 2);
      at += 4;
      if (format != with_payload) continue;  // two bytes, which `size` holds
      if (size > all.size() - at) refuse(here, "expected an attribute that ends within its section");
      take(attribute, here + 4, size);
      at += size;
    }
  }

  std::vector<std::size_t> parameters_of(const Elf64_Shdr& info) const {
    std::map<unsigned, std::size_t> by_ordinal;
    for_attributes(info, [&](std::uint8_t attribute, std::uint64_t at, std::uint64_t size) {
      if (attribute != parameter_info || size < 12) return;
      // Index, ordinal and offset; of the flags the upper 14 bits are the size.
      by_ordinal[read_at<std::uint16_t>(at + 4)] = read_at<std::uint32_t>(at + 8) >> 18;
    });
    std::vector<std::size_t> out;
    for (const auto& [ordinal, bytes] : by_ordinal) {
      if (ordinal != out.size()) refuse(info.sh_offset, "expected all parameters of a kernel");
      out.push_back(bytes);
    }
    return out;
  }

  int static_shared_bytes(const std::string& entry) const {
    const Elf64_Shdr* const shared = find(".nv.shared." + entry);
    if (!shared) return 0;
    const bool holds_reserved = find(".nv.shared.reserved.0") && shared->sh_size >= reserved_shared_bytes;
    return static_cast<int>(shared->sh_size - (holds_reserved ? reserved_shared_bytes : 0));
  }

  /// One section has the registers and stack sizes of all kernels, by symbol.
  void add_resources(std::vector<code_kernel>& to) const {
    const Elf64_Shdr* const info = find(".nv.info");
    const auto symbols = std::ranges::find(sections_, std::uint32_t{SHT_SYMTAB}, &Elf64_Shdr::sh_type);
    if (!info || symbols == sections_.end() || symbols->sh_link >= sections_.size()) return;
    std::unordered_map<std::string_view, code_kernel*> by_entry;
    for (code_kernel& kernel : to) by_entry.emplace(kernel.entry, &kernel);
    for_attributes(*info, [&](std::uint8_t attribute, std::uint64_t at, std::uint64_t size) {
      if ((attribute != register_count && attribute != frame_size) || size < 8) return;
      const std::uint64_t symbol = read_at<std::uint32_t>(at);
      const auto value = read_at<std::uint32_t>(at + 4);
      if (symbol >= symbols->sh_size / sizeof(Elf64_Sym)) refuse(at, "expected a symbol of the file");
      const auto found = read_at<Elf64_Sym>(symbols->sh_offset + symbol * sizeof(Elf64_Sym));
      const auto kernel = by_entry.find(text_at(sections_[symbols->sh_link], found.st_name));
      if (kernel == by_entry.end()) return;
      code_resources& resources = *kernel->second->resources;
      (attribute == register_count ? resources.registers : resources.stack_bytes) = static_cast<int>(value);
    });
  }

  std::string_view elf_;
  const std::string& file_;
  int capability_ = 0;
  std::vector<Elf64_Shdr> sections_;
  Elf64_Shdr names_{};
  std::unordered_map<std::string_view, const Elf64_Shdr*> by_name_;  ///< the first of each
};

}  // namespace

std::vector<code_kernel> cubin_kernels(std::string_view elf, const std::string& file) {
  return cubin_reader(elf, file).kernels();
}

}  // namespace ablate::wrapped
