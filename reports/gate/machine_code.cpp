#include "reports/gate/machine_code.h"

#include <fmt/format.h>

#include <algorithm>
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

/// What nvcc calls the unnamed namespace of a file, and its static variables and functions.
constexpr std::string_view local_parts[] = {"_GLOBAL__N_", "_INTERNAL_"};

/// The first of them in a name: where it begins, and which it is.
std::pair<std::size_t, std::string_view> first_local_part(std::string_view mangled) {
  std::pair<std::size_t, std::string_view> first{std::string_view::npos, {}};
  for (const std::string_view kind : local_parts)
    first = std::min(first, std::pair(mangled.find(kind), kind));
  return first;
}

/// Whether `part` is KIND, a hash, the length of the file's name, the name, and another hash, joined by `_`.
bool names_a_file(std::string_view part, std::string_view kind) {
  part.remove_prefix(kind.size());
  if (part.starts_with('_')) part.remove_prefix(1);
  constexpr std::size_t hash_digits = 8;
  if (part.size() <= hash_digits || part[hash_digits] != '_') return false;
  const char* const begin = part.data() + hash_digits + 1;
  const char* const end = part.data() + part.size();
  std::size_t name = 0;
  const auto [after, error] = std::from_chars(begin, end, name);
  return error == std::errc() && static_cast<std::size_t>(end - after) > name + 2 && *after == '_' &&
         after[name + 1] == '_';
}

/// How many digits before `at` give the length of the part that begins there, and this length; 0 and 0 if
/// none do. The digits may follow others, those of a name such as `__4`.
std::pair<std::size_t, std::size_t> length_before(std::string_view mangled, std::size_t at,
                                                  std::string_view kind) {
  std::size_t first = at;
  while (first > 0 && std::isdigit(static_cast<unsigned char>(mangled[first - 1]))) --first;
  for (; first < at; ++first) {
    std::size_t length = 0;
    const auto read = std::from_chars(mangled.data() + first, mangled.data() + at, length);
    if (read.ec == std::errc() && length > kind.size() && length <= mangled.size() - at &&
        names_a_file(mangled.substr(at, length), kind))
      return {at - first, length};
  }
  return {0, 0};
}

}  // namespace

std::string without_file(std::string_view mangled) {
  std::string out;
  while (!mangled.empty()) {
    const auto [at, kind] = first_local_part(mangled);
    if (at == std::string_view::npos) break;
    const auto [digits, length] = length_before(mangled, at, kind);
    const std::size_t end = length > 0 ? at + length : at + kind.size();
    out += mangled.substr(0, length > 0 ? at - digits : end);
    if (length > 0) out += fmt::format("{}{}1", kind.size() + 1, kind);
    mangled.remove_prefix(end);
  }
  return out + std::string(mangled);
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
