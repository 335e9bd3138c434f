#pragma once

#include <filesystem>
#include <set>
#include <vector>

namespace ablate {

/// `pid`, all that it descends from and all that descend from it, as far as `proc` shows them.
std::set<unsigned> process_family(unsigned pid, const std::filesystem::path& proc = "/proc");

/// How many of `computing`, the numbers of the processes with a context on a GPU, are foreign: neither `own`,
/// which is one of them, nor of its family. A container may number processes in its own way, so that not even
/// `own` is found: then as many are taken for the family's as its members have the driver's memory open.
std::size_t count_foreign(const std::vector<unsigned>& computing, unsigned own,
                          const std::filesystem::path& proc = "/proc");

}  // namespace ablate
