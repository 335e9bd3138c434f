#include "variants/backbone/scene.h"

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "variants/cloud_axes.h"
#include "variants/half_coordinates.h"
#include "variants/pool/scene.h"

namespace ablate::backbone {

half_scene half_scene_at(const axis_values& at, const input_library& inputs) {
  pool::scene s = pool::scene_at(at, inputs);
  half_coordinates halves = halves_of(s.xyz, s.ends, at, inputs);
  add_facts_of(halves, s.facts);
  return {std::move(halves.xyz), std::move(s.facts)};
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
