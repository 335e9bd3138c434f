#include "harness/device/cpu_share.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <set>
#include <stdexcept>

namespace ablate {

namespace {

namespace fs = std::filesystem;

int number_in(const std::string& text, const std::string& list) {
  int value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0)
    throw std::invalid_argument(fmt::format("'{}' is not a list of processors", list));
  return value;
}

/// The first line of a file; empty if it cannot be read.
std::string line_of(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return {};
  std::vector<int> out;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) out.push_back(cpu);
  return out;
}

/// The processors near a device; without a node where the system does not know it.
cpu_share near(const std::string& pci_bus_id, const std::vector<int>& allowed, const fs::path& sys) {
  const fs::path device = sys / "bus/pci/devices" / pci_bus_id;
  cpu_share out;
  try {
    if (pci_bus_id.empty()) return out;
    out.numa_node = number_in(line_of(device / "numa_node"), "");
    for (const int cpu : cpus_in(line_of(device / "local_cpulist")))
      if (std::binary_search(allowed.begin(), allowed.end(), cpu)) out.cpus.push_back(cpu);
    return out;
  } catch (const std::invalid_argument&) {
    return {};  // such as node −1
  }
}

/// These processors by core, each with its hyperthreads.
std::vector<std::vector<int>> cores_of(const std::vector<int>& cpus, const fs::path& sys) {
  std::map<int, std::vector<int>> cores;
  for (const int cpu : cpus) {
    const std::string siblings =
        line_of(sys / fmt::format("devices/system/cpu/cpu{}/topology/thread_siblings_list", cpu));
    int core = cpu;
    try {
      if (!siblings.empty()) core = cpus_in(siblings).front();
    } catch (const std::invalid_argument&) {
    }
    cores[core].push_back(cpu);
  }
  std::vector<std::vector<int>> out;
  for (auto& [core, threads] : cores) out.push_back(std::move(threads));
  return out;
}

/// Part `index` of `count` of the cores; nothing if that is a single one.
std::vector<int> part_of(const std::vector<std::vector<int>>& cores, std::size_t index, std::size_t count) {
  const std::size_t begin = cores.size() * index / count, end = cores.size() * (index + 1) / count;
  if (end - begin < 2) return {};
  std::vector<int> out;
  for (std::size_t i = begin; i < end; ++i) out.insert(out.end(), cores[i].begin(), cores[i].end());
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

std::vector<int> cpus_in(const std::string& list) {
  std::set<int> out;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    const std::string range = list.substr(at, end - at);
    const std::size_t dash = range.find('-');
    const int first = number_in(range.substr(0, dash), list);
    const int last = dash == std::string::npos ? first : number_in(range.substr(dash + 1), list);
    for (int cpu = first; cpu <= last; ++cpu) out.insert(cpu);
    at = end + 1;
  }
  return {out.begin(), out.end()};
}

std::string cpu_list(const std::vector<int>& cpus) {
  std::string out;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    out += fmt::format("{}{}", out.empty() ? "" : ",", cpus[i]);
    if (last > i) out += fmt::format("-{}", cpus[last]);
    i = last + 1;
  }
  return out;
}

std::vector<cpu_share> cpu_shares(const std::vector<std::string>& pci_bus_ids, const fs::path& sys) {
  return cpu_shares(pci_bus_ids, allowed_cpus(), sys);
}

std::vector<cpu_share> cpu_shares(const std::vector<std::string>& pci_bus_ids,
                                  const std::vector<int>& allowed, const fs::path& sys) {
  std::vector<cpu_share> out;
  std::map<int, std::size_t> devices_of_node;
  for (const std::string& id : pci_bus_ids) {
    out.push_back(near(id, allowed, sys));
    if (out.back().numa_node) ++devices_of_node[*out.back().numa_node];
  }
  std::map<int, std::size_t> next_of_node;
  for (cpu_share& share : out)
    if (share.numa_node)
      share.cpus = part_of(cores_of(share.cpus, sys), next_of_node[*share.numa_node]++,
                           devices_of_node[*share.numa_node]);
  return out;
}

void bind_to(const cpu_share& share) {
  if (share.cpus.empty()) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : share.cpus)
    if (cpu < CPU_SETSIZE) CPU_SET(cpu, &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0)
    fmt::print(stderr, "ablate: cannot bind to processors {}; using any\n", cpu_list(share.cpus));
}

std::optional<worker_facts::bound_cpus> bound_cpus_of(const cpu_share& share) {
  if (share.cpus.empty()) return std::nullopt;
  return worker_facts::bound_cpus{*share.numa_node, cpu_list(share.cpus)};
}

}  // namespace ablate
