// trajectory_resample: trajectories resampled at other times by linear interpolation. Axes, inputs, check
// against fp64 and work model; one entry per variant.
#include "kernels/trajectory_resample/trajectory_resample.h"

#include <memory>

#include "kernels/trajectory_resample/launches.h"
#include "variants/trajectories.h"

namespace ablate::trajectory_resample {
namespace {

problem problem_at(const axis_values& at, const input_library&) {
  problem p;
  p.batch = static_cast<int>(at.integer("batch"));
  p.samples = static_cast<int>(at.integer("samples"));
  p.targets = static_cast<int>(at.integer("targets"));
  p.channels = static_cast<int>(at.integer("channels"));
  p.out_row = p.channels;
  p.type = element_of(at);
  p.beyond = outside_of(at);
  return p;
}

std::optional<std::string> refuses(const axis_values& at) {
  const long elements =
      at.integer("batch") * std::max(at.integer("samples"), at.integer("targets")) * at.integer("channels");
  if (elements <= max_elements) return std::nullopt;
  return fmt::format("{} elements of samples or output: at most {}", elements, max_elements);
}

bound_buffers buffers(problem& p) {
  const auto rows = [&](int of_trajectory) {
    return static_cast<std::size_t>(p.batch) * static_cast<std::size_t>(of_trajectory);
  };
  const auto row_bytes = static_cast<std::size_t>(p.channels) * static_cast<std::size_t>(bytes_of(p.type));
  return {bind("source", p.source, rows(p.samples) * row_bytes, buffer_role::input),
          bind("source_times", p.source_times, rows(p.samples) * sizeof(float), buffer_role::input),
          bind("target_times", p.target_times, rows(p.targets) * sizeof(float), buffer_role::input),
          bind("out", p.out, rows(p.targets) * row_bytes, buffer_role::output, buffer_reset::poison)};
}

struct known_inputs {
  std::vector<std::byte> values;
  std::vector<float> times, targets;

  problem on_host(problem p) const {
    p.source = values.data();
    p.source_times = times.data();
    p.target_times = targets.data();
    return p;
  }
};

workload prepare(const problem& p, const axis_values& at, const input_library& inputs) {
  auto known = std::make_shared<known_inputs>();
  const auto random = [&](const char* purpose) { return random_stream(inputs.seed(), purpose); };
  known->values = sample_values(p.type, std::int64_t{p.batch} * p.samples * p.channels, random("samples"));
  known->times = sample_times(p.batch, p.samples, at.word("times"), random("times of samples"));
  known->targets = target_times(p.batch, p.targets, at.word("order") == "sorted", known->times,
                                random("times of targets"));
  const problem host = known->on_host(p);

  workload w;
  w.contents = contents_of(p, buffers,
                           {{"source", std::span(known->values)},
                            {"source_times", std::as_bytes(std::span(known->times))},
                            {"target_times", std::as_bytes(std::span(known->targets))}});
  w.check = [p, known](std::span<const std::byte* const> outputs) {
    return check_of(known->on_host(attached(p, buffers, outputs)));
  };
  w.quality = [p, known](std::span<const std::byte* const> outputs) {
    nlohmann::ordered_json figures;
    add_bias(figures, "", bias_of(known->on_host(attached(p, buffers, outputs))));
    return figures;
  };
  w.reference = [p, known](std::span<void* const> host_buffers) {
    reference(known->on_host(attached(p, buffers, host_buffers)));
  };
  w.work = work_of(host);
  w.work.bytes += static_cast<double>(known->targets.size() * sizeof(float));
  w.input = {{"hash", hash_hex(known->values.data(), known->values.size())},
             {"outputs", std::int64_t{p.batch} * p.targets},
             {"needed_samples", needed_rows(host)}};
  w.storage = known;
  return w;
}

switches searching(const char* smem, const char* search) {
  return {{"smem", smem}, {"search", search}, {"vector", "element"}, {"targets_per_block", "8"}};
}
switches vectors_of(const char* targets_per_block) {
  return {{"smem", "on"}, {"search", "target"}, {"vector", "16B"}, {"targets_per_block", targets_per_block}};
}

const axis_conditions sorted_targets = {{"order", {"sorted"}}};

std::vector<axis> axes() {
  std::vector<axis> all = {
      axis::of_integers("batch", 1, 65535, 32, "trajectories"),
      axis::of_integers("samples", 1, max_samples, 500, "of a trajectory"),
      axis::of_integers("targets", 1, 1 << 20, 250, "times at which a trajectory is resampled"),
      axis::of_integers("channels", 1, 4096, 256, "of a sample")};
  for (axis& more : common_axes()) all.push_back(std::move(more));
  return all;
}

}  // namespace

const bool defined = define<problem>(
    {.name = "trajectory_resample",
     .description = "trajectories at other times, by linear interpolation",
     .axes = axes(),
     .baseline = "per_target",
     .presets = {.best = {"merge_walk_vec16", "smem_vec16", "smem_per_target"}},
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .refuses = refuses,
     .switches = {{"smem",
                   "where a search reads the times of samples",
                   {{"on", "in shared memory, copied by the block"}, {"off", "in device memory, through L1"}},
                   "long-scoreboard stalls become short-scoreboard ones; L2 sectors of the copies, up"},
                  {"search",
                   "who finds a target's place among the samples",
                   {{"element", "the thread of every output element"},
                    {"target", "one thread per target"},
                    {"walk", "a warp, once for several sorted targets, 32 samples per step"}},
                   "instructions issued, and stalls on loads of the search"},
                  {"vector",
                   "width of a load or store of rows",
                   {{"element", "one element"}, {"16B", "16 bytes"}},
                   "load and store instructions, to a quarter (fp32) or an eighth (bf16)"},
                  only_with("search", {"target", "element"},
                            {"targets_per_block",
                             "targets that a block resamples",
                             {{"4"}, {"8"}, {"16"}, {"32"}, {"64"}},
                             "copies of times, down; blocks, down"}),
                  only_with("search", {"walk"},
                            {"targets_per_warp",
                             "targets that a warp walks to",
                             {{"2"}, {"4"}, {"8"}, {"16"}, {"32"}},
                             "searches, down; warps, down"})},
     .variants = {
         {"per_element", ABLATE_LAUNCH(per_element), searching("off", "element"),
          "every output element searches for its target's place; times in device memory"},
         {"smem_per_element", ABLATE_LAUNCH(per_element), searching("on", "element"),
          "per_element with the times in shared memory"},
         {"per_target", ABLATE_LAUNCH(per_target), searching("off", "target"),
          "one search per target, by the first lane of a warp; times in device memory"},
         {"smem_per_target", ABLATE_LAUNCH(per_target), searching("on", "target"),
          "per_target with the times in shared memory"},
         {"smem_vec16",
          ABLATE_LAUNCH(vec16),
          vectors_of("8"),
          "smem_per_target with 16-byte accesses and a block's searches side by side, 8 targets per block",
          {.takes = {{"smem", {"off"}}, {"targets_per_block", {"4", "16", "32", "64"}}}}},
         {"merge_walk_vec16",
          ABLATE_LAUNCH(merge_walk),
          {{"smem", "off"}, {"search", "walk"}, {"vector", "16B"}, {"targets_per_warp", "4"}},
          "for ascending targets: a warp searches for the first of four and walks on to the others, 32 "
          "samples per step; 16-byte accesses",
          {.only_where = sorted_targets, .takes = {{"targets_per_warp", {"2", "8", "16", "32"}}}}},
     }});

}  // namespace ablate::trajectory_resample
