// multimodal_fusion: three streams of different rates resampled at the same times, channels concatenated.
// Axes, inputs, check against fp64 and work model; one entry per variant.
#include "kernels/multimodal_fusion/multimodal_fusion.h"

#include <memory>

#include "kernels/multimodal_fusion/launches.h"
#include "oracles/multimodal_fusion/reference.h"
#include "variants/trajectories.h"

namespace ablate::multimodal_fusion {
namespace {

using namespace trajectory_resample;
using problem = multimodal_fusion::problem;

// The study's names, in the order of their channels in an output row.
const std::array<std::string, stream_count> stream_names = {"vision", "proprioception", "force"};

problem problem_at(const axis_values& at, const input_library&) {
  problem p;
  p.batch = static_cast<int>(at.integer("batch"));
  p.targets = static_cast<int>(at.integer("targets"));
  p.type = element_of(at);
  p.beyond = outside_of(at);
  for (std::size_t s = 0; s < stream_count; ++s) {
    p.streams[s].samples = static_cast<int>(at.integer(stream_names[s] + "_samples"));
    p.streams[s].channels = static_cast<int>(at.integer(stream_names[s] + "_channels"));
  }
  return p;
}

std::optional<std::string> refuses(const axis_values& at) {
  long samples = 0, in = 0, channels = 0;
  for (const std::string& name : stream_names) {
    const long of_stream = at.integer(name + "_samples");
    samples += of_stream;
    channels += at.integer(name + "_channels");
    in = std::max(in, of_stream * at.integer(name + "_channels"));
  }
  const long elements = at.integer("batch") * std::max(in, at.integer("targets") * channels);
  if (elements > max_elements)
    return fmt::format("{} elements of samples or output: at most {}", elements, max_elements);
  if (samples > max_samples)
    return fmt::format("{} samples of all streams together: at most {}", samples, max_samples);
  return std::nullopt;
}

bound_buffers buffers(problem& p) {
  const auto size = [&](int rows, int row_bytes) {
    return static_cast<std::size_t>(p.batch) * static_cast<std::size_t>(rows) *
           static_cast<std::size_t>(row_bytes);
  };
  const int element_bytes = bytes_of(p.type), time_bytes = sizeof(float);
  bound_buffers all;
  for (std::size_t s = 0; s < stream_count; ++s) {
    stream& of = p.streams[s];
    all.push_back(bind(stream_names[s], of.source, size(of.samples, of.channels * element_bytes)));
    all.push_back(bind(stream_names[s] + "_times", of.times, size(of.samples, time_bytes)));
  }
  all.push_back(bind("target_times", p.target_times, size(p.targets, time_bytes)));
  all.push_back(bind("out", p.out, size(p.targets, p.out_row() * element_bytes), buffer_role::output,
                     buffer_reset::poison));
  return all;
}

struct known_inputs {
  std::array<std::vector<std::byte>, stream_count> values;
  std::array<std::vector<float>, stream_count> times;
  std::vector<float> targets;

  problem on_host(problem p) const {
    for (std::size_t s = 0; s < stream_count; ++s) {
      p.streams[s].source = values[s].data();
      p.streams[s].times = times[s].data();
    }
    p.target_times = targets.data();
    return p;
  }
};

check_result check(const problem& host) {
  double worst = 0;
  for (int s = 0; s < stream_count; ++s) {
    const check_result of_stream = check_of(resampling_of(host, s));
    if (!of_stream.ok)
      return {false, stream_names[static_cast<std::size_t>(s)] + ": " + of_stream.message,
              of_stream.max_error, of_stream.accepted_error};
    worst = std::max(worst, of_stream.max_error);
  }
  return {true, "", worst, accepted_ulps(host.type)};
}

work_model work(const problem& host) {
  work_model all{.bytes = sizeof(float) * static_cast<double>(host.batch) * host.targets,
                 .flop_pipe = "fma_f32"};
  for (int s = 0; s < stream_count; ++s) {
    const work_model of_stream = work_of(resampling_of(host, s));
    all.bytes += of_stream.bytes;
    all.written_bytes += of_stream.written_bytes;
    all.flops += of_stream.flops;
  }
  return all;
}

workload prepare(const problem& p, const axis_values& at, const input_library& inputs) {
  auto known = std::make_shared<known_inputs>();
  const auto random = [&](const std::string& purpose) { return random_stream(inputs.seed(), purpose); };
  for (std::size_t s = 0; s < stream_count; ++s) {
    const stream& of = p.streams[s];
    known->values[s] =
        sample_values(p.type, std::int64_t{p.batch} * of.samples * of.channels, random(stream_names[s]));
    known->times[s] =
        sample_times(p.batch, of.samples, at.word("times"), random("times of " + stream_names[s]));
  }
  known->targets = target_times(p.batch, p.targets, at.word("order") == "sorted", known->times[0],
                                random("times of targets"));

  workload w;
  w.contents = contents_of(p, buffers,
                           {{"vision", std::span(known->values[0])},
                            {"vision_times", std::as_bytes(std::span(known->times[0]))},
                            {"proprioception", std::span(known->values[1])},
                            {"proprioception_times", std::as_bytes(std::span(known->times[1]))},
                            {"force", std::span(known->values[2])},
                            {"force_times", std::as_bytes(std::span(known->times[2]))},
                            {"target_times", std::as_bytes(std::span(known->targets))}});
  w.check = [p, known](std::span<const std::byte* const> outputs) {
    return check(known->on_host(attached(p, buffers, outputs)));
  };
  w.quality = [p, known](std::span<const std::byte* const> outputs) {
    const problem host = known->on_host(attached(p, buffers, outputs));
    nlohmann::ordered_json figures;
    for (int s = 0; s < stream_count; ++s)
      add_bias(figures, stream_names[static_cast<std::size_t>(s)], bias_of(resampling_of(host, s)));
    return figures;
  };
  w.reference = [p, known](std::span<void* const> host) {
    reference(known->on_host(attached(p, buffers, host)));
  };
  w.work = work(known->on_host(p));
  w.input = {{"hash", hash_hex(known->values[0].data(), known->values[0].size())},
             {"outputs", std::int64_t{p.batch} * p.targets},
             {"channels", p.out_row()}};
  w.storage = known;
  return w;
}

switches fused(const char* launches, const char* brackets, const char* times) {
  return {{"launches", launches}, {"brackets", brackets}, {"times", times}};
}

std::vector<axis> axes() {
  std::vector<axis> all = {
      axis::of_integers("batch", 1, 65535, 4, "trajectories"),
      axis::of_integers("targets", 1, 1 << 20, 50, "times at which streams are aligned")};
  constexpr std::pair<long, long> defaults[stream_count] = {{30, 512}, {100, 64}, {200, 12}};
  for (std::size_t s = 0; s < stream_count; ++s) {
    const auto& [samples, channels] = defaults[s];
    all.push_back(
        axis::of_integers(stream_names[s] + "_samples", 1, max_samples, samples, "of a trajectory"));
    all.push_back(axis::of_integers(stream_names[s] + "_channels", 1, 4096, channels, "of a sample"));
  }
  for (axis& more : common_axes()) all.push_back(std::move(more));
  return all;
}

}  // namespace

const bool defined = define<problem>(
    {.name = "multimodal_fusion",
     .description =
         "three streams of different rates resampled at the same times, channels next to each other",
     .axes = axes(),
     .baseline = "one_launch",
     .presets = {.best = {"smem_times"}},
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .refuses = refuses,
     .switches =
         {{.name = "launches",
           .description = "launches for the three streams",
           .values = {{"1"}, {"3"}},
           .counter =
               "time, by two launches; a target's searches, side by side instead of one behind the other"},
          {.name = "brackets",
           .description = "where a target's places in the streams and their weights are",
           .values =
               {{"registers", "in lanes that search; shuffles broadcast them"},
                {"shared",
                 "in shared memory; a thread searches for each of a block's eight targets and each stream"}},
           .counter = "instructions issued by searches, down; one barrier more"},
          {.name = "times",
           .description = "where searches read the streams' times",
           .values = {{"global", "in device memory, through L1"},
                      {"shared", "in shared memory, copied by each block"}},
           .counter =
               "stalls on L1, down; loads of times, up from about log2(samples) per search to all per block"}},
     .variants = {
         {"launch_per_stream", ABLATE_LAUNCH(fuse), fused("3", "registers", "global"),
          "three launches, one per stream; one search per target, by the first lane of a warp"},
         {"one_launch", ABLATE_LAUNCH(fuse), fused("1", "registers", "global"),
          "one launch, one warp per target, whose first three lanes search one stream each"},
         {"smem_brackets", ABLATE_LAUNCH(fuse), fused("1", "shared", "global"),
          "one launch; places found and their weights in shared memory, 24 searches per block side by side"},
         {"smem_times",
          ABLATE_LAUNCH(fuse),
          fused("1", "shared", "shared"),
          "one launch; places found, their weights and the times of all streams in shared memory",
          {.takes = {{"launches", {"3"}}, {"brackets", {"registers"}}}}},
     }});

}  // namespace ablate::multimodal_fusion
