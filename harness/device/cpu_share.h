#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/record/record.h"

namespace ablate {

/// The processors for the process that drives one device of several; none: those that this process has.
struct cpu_share {
  std::optional<int> numa_node;  ///< of the device
  std::vector<int> cpus;
};

/// "0-3,8"; throws std::invalid_argument for anything else.
std::vector<int> cpus_in(const std::string& list);
std::string cpu_list(const std::vector<int>&);

/// For each device, by its PCI bus id: the processors near it that this process may use, divided among the
/// devices of the same NUMA node by whole cores. Memory is then near, too, being allocated where it is first
/// written. No share where `sys` knows no node, as in a virtual machine, or where it would be a single core;
/// none at all for the host ("").
std::vector<cpu_share> cpu_shares(const std::vector<std::string>& pci_bus_ids,
                                  const std::filesystem::path& sys = "/sys");
/// The same, with the processors that this process may use.
std::vector<cpu_share> cpu_shares(const std::vector<std::string>& pci_bus_ids,
                                  const std::vector<int>& allowed, const std::filesystem::path& sys);

/// Binds this process to its share, if it has one and the system lets it.
void bind_to(const cpu_share&);

/// As in the record; nothing without a share.
std::optional<worker_facts::bound_cpus> bound_cpus_of(const cpu_share&);

}  // namespace ablate
