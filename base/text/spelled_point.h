#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ablate {

/// A value by the name of its switch.
using switch_values = std::vector<std::pair<std::string, std::string>>;

/// A point of an operation's space of switches, as it is spelled: a variant, and where it differs.
struct spelled_point {
  std::string variant;
  switch_values changes;
};

/// `threads=512`, or `pdl`, short for `pdl=on`.
switch_values::value_type read_change(std::string_view);

/// `smem_hashed+threads=512+pdl`; a variant's name is a point without changes.
spelled_point read_point(std::string_view);
std::string point_name(const spelled_point&);

}  // namespace ablate
