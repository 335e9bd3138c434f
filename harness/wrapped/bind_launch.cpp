#include "harness/wrapped/bind_launch.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <stdexcept>

namespace ablate::wrapped {

namespace {

std::optional<launch_backend>& registered_backend() {
  static std::optional<launch_backend> backend;
  return backend;
}

axis_values axes_of(const spans& of) {
  axis_values out;
  for (const auto& [name, value] : of.axes()) out.set(name, value);
  return out;
}

/// Throws expression_error where a type cannot hold an argument's value.
void put_argument(const argument& given, const spans& arrays, const axis_values& at, std::byte* to) {
  switch (given.kind) {
    case argument_kind::null:
      return;
    case argument_kind::array: {
      void* const address = arrays.address(given.array);
      return void(std::memcpy(to, &address, sizeof address));
    }
    case argument_kind::real:
      return put_number(*given.type, given.real, to);
    case argument_kind::integer:
      break;
  }
  const std::int64_t value = given.integer.at(at);
  if (!can_hold(*given.type, value))
    throw expression_error(fmt::format("argument {}: {} does not fit", given.facts.what, value));
  put_integer(*given.type, value, to);
}

unsigned extent(const expression& of, const char* what, const axis_values& at) {
  const std::int64_t value = of.at(at);
  if (value < 1 || value > std::numeric_limits<std::int32_t>::max())
    throw expression_error(fmt::format("{} of {}; expected 1 or more", what, value));
  return static_cast<unsigned>(value);
}

extent3 extents(const std::vector<expression>& of, const char* what, const axis_values& at) {
  extent3 out;
  out.x = extent(of[0], what, at);
  if (of.size() > 1) out.y = extent(of[1], what, at);
  if (of.size() > 2) out.z = extent(of[2], what, at);
  return out;
}

}  // namespace

bound_launch bind_launch(const wrapped_launch& launch, const spans& arrays) {
  const axis_values at = axes_of(arrays);
  bound_launch out;
  for (const argument& given : launch.arguments) out.facts.push_back(given.facts);
  out.values.resize(launch.arguments.size());
  for (std::size_t i = 0; i < launch.arguments.size(); ++i)
    put_argument(launch.arguments[i], arrays, at, out.values[i].data());
  out.asked.symbol = launch.symbol;
  out.asked.grid = extents(launch.grid, "a grid", at);
  if (launch.grid_counts_clusters) out.asked.grid.x *= launch.cluster_blocks;
  out.asked.block = extents(launch.block, "a block", at);
  const std::array<std::int64_t, 3> threads = {out.asked.block.x, out.asked.block.y, out.asked.block.z};
  if (const auto why = why_no_block(threads)) throw expression_error(*why);
  const std::int64_t shared = launch.dynamic_shared_bytes.at(at);
  if (shared < 0 || shared > std::numeric_limits<std::int32_t>::max())
    throw expression_error(fmt::format("{} bytes of dynamic shared memory; expected 0 or more", shared));
  out.asked.dynamic_shared_bytes = static_cast<std::size_t>(shared);
  out.asked.cluster_blocks = launch.cluster_blocks;
  out.asked.cooperative = launch.cooperative;
  return out;
}

bool register_launch_backend(launch_backend backend) {
  registered_backend() = backend;
  return true;
}

const launch_backend* find_launch_backend() {
  return registered_backend() ? &*registered_backend() : nullptr;
}

}  // namespace ablate::wrapped
