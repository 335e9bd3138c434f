#include "variants/backbone/scene.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "harness/inputs/input_errors.h"
#include "kernels/common/half.h"
#include "variants/cloud_axes.h"
#include "variants/pool/scene.h"

namespace ablate::backbone {

std::vector<std::uint16_t> coordinates_at(const axis_values& at, const input_library& inputs) {
  std::vector<std::uint16_t> halves;
  for (const float meters : pool::scene_at(at, inputs).xyz) {
    halves.push_back(half_of_float(meters));
    if (!std::isfinite(float_of_half(halves.back())))
      throw input_unfit(fmt::format("distribution '{}'", at.word("distribution")),
                        fmt::format("point {}", (halves.size() - 1) / 3),
                        fmt::format("expected coordinates that are finite as fp16, found {}", meters));
  }
  return halves;
}

std::vector<std::uint32_t> ends_at(const axis_values& at, const input_library& inputs) {
  if (is_point_file(at)) return pool::scene_at(at, inputs).ends;
  static std::mutex mutex;
  static std::map<std::pair<std::uint64_t, std::string>, std::vector<std::uint32_t>> found;
  std::string key;
  for (const char* name : {"distribution", "points", "batch", "sizes", "points_as"})
    key += at.word(name) + "/";
  const std::scoped_lock lock(mutex);
  const auto [known, is_new] = found.try_emplace({inputs.seed(), key});
  if (is_new) known->second = pool::scene_at(at, inputs).ends;
  return known->second;
}

}  // namespace ablate::backbone
