#include "harness/device/process_family.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>

namespace ablate {
namespace {

namespace fs = std::filesystem;

std::optional<unsigned> number(const std::string& text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Of `<pid> (<name>) <state> <parent> …`; the name may hold anything.
std::optional<unsigned> parent_in(const fs::path& stat) {
  std::ifstream in(stat);
  std::string line, state, parent;
  if (!std::getline(in, line) || line.rfind(')') == std::string::npos) return std::nullopt;
  std::istringstream words(line.substr(line.rfind(')') + 1));
  words >> state >> parent;
  return number(parent);
}

/// Every process and its parent. One that ends meanwhile is left out.
std::map<unsigned, unsigned> parents(const fs::path& proc) {
  std::map<unsigned, unsigned> all;
  std::error_code error;
  for (fs::directory_iterator entry(proc, error), end; !error && entry != end; entry.increment(error))
    if (const auto pid = number(entry->path().filename().string()))
      if (const auto parent = parent_in(entry->path() / "stat")) all[*pid] = *parent;
  return all;
}

bool descends(unsigned pid, unsigned from, const std::map<unsigned, unsigned>& parent_of) {
  auto found = parent_of.find(pid);
  // No more steps than processes: numbers that were reused while they were read may form a ring.
  for (std::size_t step = 0; step < parent_of.size() && found != parent_of.end(); ++step) {
    if (found->second == from) return true;
    found = parent_of.find(found->second);
  }
  return false;
}

/// Whether a process of the same user has CUDA's unified memory open, as every context has.
bool has_driver_memory_open(unsigned pid, const fs::path& proc) {
  std::error_code error;
  for (fs::directory_iterator entry(proc / std::to_string(pid) / "fd", error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code closed;
    if (fs::read_symlink(entry->path(), closed) == "/dev/nvidia-uvm") return true;
  }
  return false;
}

}  // namespace

std::set<unsigned> process_family(unsigned pid, const fs::path& proc) {
  const std::map<unsigned, unsigned> parent_of = parents(proc);
  std::set<unsigned> family = {pid};
  for (const auto& [other, parent] : parent_of)
    if (descends(other, pid, parent_of) || descends(pid, other, parent_of)) family.insert(other);
  return family;
}

std::size_t count_foreign(const std::vector<unsigned>& computing, unsigned own, const fs::path& proc) {
  if (computing.size() <= 1) return 0;  // as a rule, and /proc may be long
  const std::set<unsigned> family = process_family(own, proc);
  if (std::find(computing.begin(), computing.end(), own) != computing.end())
    return std::count_if(computing.begin(), computing.end(),
                         [&](unsigned pid) { return !family.contains(pid); });
  const std::size_t of_the_family = std::count_if(family.begin(), family.end(), [&](unsigned pid) {
    return pid == own || has_driver_memory_open(pid, proc);
  });
  return computing.size() - std::min(computing.size(), of_the_family);
}

}  // namespace ablate
