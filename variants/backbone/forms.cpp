#include "variants/backbone/forms.h"

#include <fmt/format.h>

namespace ablate::backbone {

std::optional<std::string> refuses_windows(const axis_values& at) {
  const long window = at.integer("window"), bucket = at.integer("bucket");
  if (bucket % 128 != 0) return fmt::format("bucket={}: expected a multiple of 128", bucket);
  if (window % bucket != 0) return fmt::format("window={} is not a multiple of bucket={}", window, bucket);
  return std::nullopt;
}

std::optional<std::string> refuses_step_launches(const axis_values& at) {
  const std::string& host = at.word("host");
  if (at.integer("step_launches") == 1 || host == "absent" || host == "graph") return std::nullopt;
  return fmt::format("step_launches={}/host={}: steps by themselves are those that no host waits for",
                     at.integer("step_launches"), host);
}

std::optional<std::string> refuses_drop(const axis_values& at) {
  if (at.word("drop") == "0" || pass_at(at) == pass_kind::training) return std::nullopt;
  return fmt::format("drop={}: rows are dropped from branches in training", at.word("drop"));
}

window_shape windows_at(const axis_values& at) {
  return {static_cast<int>(at.integer("bucket")), static_cast<int>(at.integer("window"))};
}

region_clock clock(const problem& p) {
  if (p.host == host_role::absent) return region_clock::device;
  return p.host == host_role::graph ? region_clock::host_graph : region_clock::host;
}

}  // namespace ablate::backbone
