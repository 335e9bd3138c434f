#include "harness/wrapped/kernel_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <unordered_set>
#include <utility>

#include "base/text/bad_input.h"
#include "base/text/text_file.h"
#include "harness/wrapped/cubin.h"
#include "harness/wrapped/ptx.h"

namespace ablate::wrapped {

namespace {

constexpr std::string_view elf_magic =
    "\x7f"
    "ELF";
constexpr std::string_view fatbin_magic = "\x50\xed\x55\xba";

/// How a fatbin and each of its parts begin (cuda/fatbinary.h does not say; cuobjdump reads the same).
struct fatbin_header {
  std::uint32_t magic;
  std::uint16_t version, header_bytes;
  std::uint64_t bytes;  ///< of all parts
};
struct part_header {
  std::uint16_t kind, version;
  std::uint32_t header_bytes;
  std::uint64_t bytes;
};
constexpr std::uint16_t machine_code = 2;

template <class T>
T header_at(std::string_view bytes, std::uint64_t at, const std::string& file) {
  T out;
  if (at > bytes.size() || sizeof out > bytes.size() - at)
    throw bad_input(file, fmt::format("byte {}", bytes.size()),
                    "expected more of the fatbin, the file ends: truncated");
  std::memcpy(&out, bytes.data() + at, sizeof out);
  return out;
}

/// Reads what is not compressed.
void read_fatbin(kernel_code& into, const std::string& file) {
  const std::string_view bytes = into.bytes;
  for (std::uint64_t begin = 0; begin < bytes.size();) {
    const auto whole = header_at<fatbin_header>(bytes, begin, file);
    const std::uint64_t end = begin + whole.header_bytes + whole.bytes;
    if (end > bytes.size() || end <= begin || !bytes.substr(begin).starts_with(fatbin_magic))
      throw bad_input(file, fmt::format("byte {}", begin),
                      "expected a fatbin's header and as many bytes as it says");
    for (std::uint64_t at = begin + whole.header_bytes; at < end;) {
      const auto part = header_at<part_header>(bytes, at, file);
      const std::uint64_t code = at + part.header_bytes;
      if (code > end || part.bytes > end - code || code + part.bytes <= at)
        throw bad_input(file, fmt::format("byte {}", at), "expected a part that ends within the fatbin");
      const std::string_view held = bytes.substr(code, part.bytes);
      if (part.kind == machine_code && held.starts_with(elf_magic)) {
        for (code_kernel& kernel : cubin_kernels(held, file)) into.kernels.push_back(std::move(kernel));
      } else {
        into.has_unread = true;
      }
      at = code + part.bytes;
    }
    begin = end;
  }
}

bool looks_like_ptx(std::string_view text) {
  return text.find('\0') == std::string_view::npos && text.find(".version") != std::string_view::npos &&
         text.find(".target") != std::string_view::npos;
}

}  // namespace

int kernel_code::least_capability() const {
  if (has_unread || kernels.empty()) return 80;
  return std::ranges::min_element(kernels, {}, &code_kernel::capability)->capability;
}

std::vector<std::string> kernel_code::entries() const {
  std::vector<std::string> out;
  std::unordered_set<std::string_view> seen;
  for (const code_kernel& kernel : kernels)
    if (seen.insert(kernel.entry).second) out.push_back(kernel.entry);
  return out;
}

kernel_code read_kernel_code(const std::filesystem::path& path) {
  return parse_kernel_code(reports::read_text_file(path), path);
}

kernel_code parse_kernel_code(std::string bytes, const std::filesystem::path& file) {
  kernel_code out{file, code_kind::cubin, std::move(bytes), {}, false};
  const std::string name = file.string();
  if (out.bytes.starts_with(elf_magic)) {
    out.kernels = cubin_kernels(out.bytes, name);
  } else if (out.bytes.starts_with(fatbin_magic)) {
    out.kind = code_kind::fatbin;
    read_fatbin(out, name);
  } else if (looks_like_ptx(out.bytes)) {
    out.kind = code_kind::ptx;
    out.kernels = ptx_kernels(out.bytes, name);
  } else {
    throw bad_input(name, "", "expected a cubin, a fatbin or PTX");
  }
  if (out.kernels.empty() && !out.has_unread) throw bad_input(name, "", "expected at least one kernel");
  return out;
}

}  // namespace ablate::wrapped
