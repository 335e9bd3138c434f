#include "reports/gate/machine_code.h"

#include <cctype>
#include <charconv>
#include <regex>

#include "base/text/sha256.h"
#include "reports/gate/cubin.h"
#include "reports/gate/fat_binaries.h"

namespace ablate::gate {
namespace {

/// A module of PTX without comments, line numbers and file names.
std::string what_runs(std::string_view ptx) {
  std::string out;
  for (std::size_t at = 0; at < ptx.size();) {
    const std::size_t end = std::min(ptx.find('\n', at), ptx.size());
    std::string_view line = ptx.substr(at, end - at);
    at = end + 1;
    line = line.substr(0, line.find("//"));
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos) continue;
    line = line.substr(begin);
    if (line.starts_with(".loc") || line.starts_with(".file")) continue;
    out += without_file(line);
    out += '\n';
  }
  return out;
}

std::vector<std::string> kernels_of_ptx(const std::string& text) {
  static const std::regex entry(R"(\.entry\s+([A-Za-z_$][A-Za-z0-9_$]*))");
  std::vector<std::string> out;
  for (std::sregex_iterator at(text.begin(), text.end(), entry), end; at != end; ++at)
    out.push_back((*at)[1].str());
  return out;
}

void enter(machine_code& to, const std::string& kernel, const std::string& architecture,
           kernel_machine_code code) {
  const auto [at, is_new] = to.try_emplace({kernel, architecture}, code);
  // A template's kernel may be in several files; which one runs is the linker's choice.
  if (!is_new && at->second.hash != code.hash) at->second.hash = joined_hash({at->second.hash, code.hash});
}

}  // namespace

std::string without_file(std::string_view mangled) {
  constexpr std::string_view local = "_GLOBAL__N_", standard = "12_GLOBAL__N_1";
  std::string out;
  while (true) {
    const std::size_t at = mangled.find(local);
    std::size_t digits = at;
    while (digits != std::string_view::npos && digits > 0 &&
           std::isdigit(static_cast<unsigned char>(mangled[digits - 1])))
      --digits;
    std::size_t length = 0;
    if (at == std::string_view::npos ||
        std::from_chars(mangled.data() + digits, mangled.data() + at, length).ec != std::errc() ||
        length < local.size() || length > mangled.size() - at)
      return out + std::string(mangled);
    out += mangled.substr(0, digits);
    out += standard;
    mangled.remove_prefix(at + length);
  }
}

std::string joined_hash(const std::vector<std::string>& hashes) {
  std::string all;
  for (const std::string& hash : hashes) all += hash + "\n";
  return reports::sha256_hex(all);
}

machine_code machine_code_of(std::string_view program) {
  machine_code out;
  for (const std::string_view part : fat_binaries(program))
    for (const fat_image& image : images_of(part)) {
      if (image.is_ptx) {
        const std::string text = what_runs(image.bytes);
        for (const std::string& kernel : kernels_of_ptx(text))
          enter(out, kernel, image.architecture, {reports::sha256_hex(text), {}});
        continue;
      }
      for (auto& [kernel, code] : kernels_in(image.bytes))
        enter(out, kernel, image.architecture, std::move(code));
    }
  return out;
}

}  // namespace ablate::gate
