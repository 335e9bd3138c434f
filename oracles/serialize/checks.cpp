#include "oracles/serialize/checks.h"

#include <fmt/format.h>

#include "kernels/serialize/index.h"

namespace ablate::serialize {
namespace {

std::optional<std::string> wrong_keys(const problem& p, const answer& right) {
  for (std::int64_t i = 0; i < p.curves * p.points; ++i)
    if (p.keys[i] != right.keys[static_cast<std::size_t>(i)])
      return fmt::format("keys[{}][{}]: expected {:#x}, found {:#x}", i / p.points, i % p.points,
                         right.keys[static_cast<std::size_t>(i)], p.keys[i]);
  return std::nullopt;
}

std::optional<std::string> wrong_order(const problem& p, const answer& right, int c) {
  const std::uint64_t* const keys = right.keys.data() + c * p.points;
  for (std::int64_t i = 0, before = -1; i < p.points; ++i) {
    const std::int64_t point = index_at(p, p.order, c * p.points + i);
    if (!(point >= 0 && point < p.points))
      return fmt::format("order[{}][{}]: expected a point below {}, found {}", c, i, p.points, point);
    const bool ascends =
        before < 0 || keys[before] < keys[point] || (keys[before] == keys[point] && before < point);
    if (!ascends)
      return fmt::format("order[{}][{}]: expected a point after {} of key {:#x}, found {} of key {:#x}", c, i,
                         before, keys[before], point, keys[point]);
    before = point;
  }
  return std::nullopt;
}

std::optional<std::string> wrong_inverse(const problem& p, int c) {
  for (std::int64_t i = 0; i < p.points; ++i) {
    const std::int64_t point = index_at(p, p.order, c * p.points + i);
    const std::int64_t found = index_at(p, p.inverse, c * p.points + point);
    if (found != i) return fmt::format("inverse[{}][{}]: expected {}, found {}", c, point, i, found);
  }
  return std::nullopt;
}

std::optional<std::string> wrong_indices(const problem& p, const char* name, const void* found,
                                         const std::vector<std::int64_t>& expected) {
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (const std::int64_t value = index_at(p, found, static_cast<std::int64_t>(i)); value != expected[i])
      return fmt::format("{}[{}]: expected {}, found {}", name, i, expected[i], value);
  return std::nullopt;
}

std::optional<std::string> wrong_padding(const problem& p, const padding& right) {
  if (auto wrong = wrong_indices(p, "pad", p.pad, right.pad)) return wrong;
  if (auto wrong = wrong_indices(p, "unpad", p.unpad, right.unpad)) return wrong;
  for (std::size_t i = 0; i < right.cu_seqlens.size(); ++i)
    if (p.cu_seqlens[i] != right.cu_seqlens[i])
      return fmt::format("cu_seqlens[{}]: expected {}, found {}", i, right.cu_seqlens[i], p.cu_seqlens[i]);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> violated(const problem& p, const answer& right) {
  if (auto wrong = wrong_keys(p, right)) return wrong;
  for (int c = 0; c < p.curves; ++c) {
    if (p.does(phase::sort))
      if (auto wrong = wrong_order(p, right, c)) return wrong;
    if (p.does(phase::patches))
      if (auto wrong = wrong_inverse(p, c)) return wrong;
  }
  return p.pads() ? wrong_padding(p, right.padding) : std::nullopt;
}

}  // namespace ablate::serialize
