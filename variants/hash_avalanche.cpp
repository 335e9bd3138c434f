// hash_avalanche: how often flipping a bit of a key flips a bit of its hash. Axes, inputs, check, quality
// figures and work model; one entry per variant.
#include "kernels/hash_avalanche/hash_avalanche.h"

#include <fmt/format.h>

#include <memory>

#include "harness/inputs/voxels/cloud.h"
#include "harness/registry/define.h"
#include "kernels/hash_avalanche/launches.h"
#include "oracles/hash_avalanche/reference.h"

namespace ablate::hash_avalanche {
namespace {

const std::vector<std::string>& hash_words() {
  static const std::vector<std::string> words = {"splitmix",  "murmur",   "city",  "fnv",
                                                 "fibonacci", "identity", "second"};
  return words;
}

hashing hashing_of(const std::string& word) {
  const auto place = std::find(hash_words().begin(), hash_words().end(), word);
  return static_cast<hashing>(place - hash_words().begin());
}

axis keys_axis() {
  axis keys =
      axis::of_words("keys", {"random"}, "the voxels whose keys are flipped: random keys, or a scene");
  for (const std::string& scene : voxel_scenes())
    if (scene != keys.default_value) keys.words.push_back(scene);
  return keys;
}

problem problem_at(const axis_values& at, const input_library&) {
  return {.by = hashing_of(at.word("hash")), .samples = at.integer("samples")};
}

bound_buffers buffers(problem& p) {
  return {bind("coordinates", p.coordinates, 16 * static_cast<std::size_t>(p.samples), buffer_role::input),
          bind("flips", p.flips, sizeof(std::uint64_t) * result_counts, buffer_role::output,
               buffer_reset::zeros)};
}

struct known_answer {
  voxel_cloud keys;
  std::vector<std::uint64_t> flips;
};

check_result compared(const std::vector<std::uint64_t>& expected, const std::uint64_t* found) {
  for (std::size_t i = 0; i < result_counts; ++i) {
    if (found[i] == expected[i]) continue;
    return {false, fmt::format("key bit {}, output bit {}: expected {} flips, found {}", i / output_bits,
                               i % output_bits, expected[i], found[i])};
  }
  return {.ok = true};
}

nlohmann::ordered_json figures_of(const problem& p) {
  const flip_shares shares = shares_of(p);
  return {{"flip_share_min", shares.least},
          {"flip_share_max", shares.most},
          {"flip_share_mean", shares.mean},
          {"worst_deviation", shares.worst_deviation}};
}

workload prepare(const problem& p, const axis_values& at, const input_library& inputs) {
  auto known = std::make_shared<known_answer>();
  known->keys = inputs.voxels({.scene = at.word("keys"), .rows = p.samples});
  known->flips.resize(result_counts);
  problem on_host = p;
  on_host.coordinates = known->keys.coords.data();
  on_host.flips = known->flips.data();
  reference(on_host);

  workload w;
  w.input = {{"hash", hash_hex(known->keys.coords.data(), known->keys.coords.size() * sizeof(std::int32_t))},
             {"samples", p.samples},
             {"lowest", known->keys.low},
             {"highest", known->keys.high}};
  for (const auto& [name, value] : known->keys.facts) w.input[name] = value;
  // Compulsory: each key read, the result written once. The time goes into integer arithmetic.
  w.work.bytes =
      16 * static_cast<double>(p.samples) + sizeof(std::uint64_t) * static_cast<double>(result_counts);
  w.contents = contents_of(p, buffers, {{"coordinates", std::as_bytes(std::span(known->keys.coords))}});
  w.check = [p, known](std::span<const std::byte* const> outputs) {
    return compared(known->flips, attached(p, buffers, outputs).flips);
  };
  w.reference = [p, known](std::span<void* const> host) {
    std::copy(known->flips.begin(), known->flips.end(), attached(p, buffers, host).flips);
  };
  w.quality = [p](std::span<const std::byte* const> outputs) {
    return figures_of(attached(p, buffers, outputs));
  };
  w.storage = known;
  return w;
}

}  // namespace

const bool defined = define<problem>(
    {.name = "hash_avalanche",
     .description =
         "how often flipping one bit of a packed key flips one bit of its hash, for each pair of bits",
     .axes = {axis::of_words("hash", hash_words(),
                             "the hash; second: the one that gives the step of double hashing"),
              keys_axis(),
              axis::of_integers("samples", 1, max_voxel_rows, 1000000, "keys, each hashed 64 times"),
              axis::of_words("region", {"count"}, "what is timed")},
     .baseline = "warp_ballots",
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .switches = {{.name = "count",
                   .description = "how a warp counts flips",
                   .values = {{"ballots", "32 ballots per key bit; a lane counts the ones of its output bit"},
                              {"planes", "bit-sliced sums per thread, then over the warp"}},
                   .counter = "issue slots, from three times those of the hashes to little more than these"}},
     .variants = {
         {"warp_ballots",
          ABLATE_LAUNCH(warp_ballots),
          {{"count", "ballots"}},
          "32 ballots transpose a warp's differences; each lane counts one output bit"},
         {"bit_planes",
          ABLATE_LAUNCH(bit_planes),
          {{"count", "planes"}},
          "a thread's differences are added as 32 bit-sliced sums, which are then added over the warp"},
     }});

}  // namespace ablate::hash_avalanche
