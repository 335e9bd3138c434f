// Kernels that begin while the preceding one still runs (backbone's fused+pdl): each alone, after a kernel
// that lets it begin at once but writes its inputs only later. Early reads then find poison, on any GPU and
// in any order of blocks. Outputs must equal those of a launch that begins afterwards, bit by bit, on a
// stream and in a CUDA graph.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "harness/device/cuda_memory.cuh"
#include "harness/inputs/random_floats.h"
#include "kernels/common/bf16.h"
#include "kernels/common/launch.cuh"
#include "kernels/linear/parts.h"
#include "kernels/mlp/launches.h"
#include "kernels/mlp/mlp.h"
#include "kernels/ptv3/joined_rows.h"
#include "kernels/row_norm/row_norm.h"
#include "kernels/window_attention/hopper_forward.h"
#include "kernels/window_attention/window_attention.h"
#include "tests/kernels/backbone/dependent_launch_kernels.cuh"
#include "tests/support/capability.h"
#include "tests/support/gpu.cuh"

namespace ablate::test_support::dependent_launch_test {

constexpr long long late_by_ns = 3'000'000;

namespace {

template <class T>
device_memory on_gpu(const std::vector<T>& values) {
  device_memory made(sizeof(T) * values.size());
  ABLATE_CUDA_CHECK(cudaMemcpy(made.address(), values.data(), made.bytes(), cudaMemcpyHostToDevice));
  return made;
}

std::vector<std::uint16_t> drawn(std::int64_t count, const std::string& name, float reach) {
  std::vector<std::uint16_t> values;
  for (const float x : random_floats(count, 1, name)) values.push_back(bf16_of_float(reach * x));
  return values;
}

/// What the kernel in front writes: two tensors of so many elements, which are poison (NaN) until then.
class late_rows {
 public:
  explicit late_rows(std::int64_t elements)
      : elements_((2 * elements + 15) / 16 * 16),
        given_(on_gpu(drawn(elements_, "late", 1.7f))),
        rows_(given_.bytes()) {}

  const std::uint16_t* first() const { return static_cast<const std::uint16_t*>(rows_.address()); }
  const std::uint16_t* second() const { return first() + elements_ / 2; }
  void poison() const { ABLATE_CUDA_CHECK(cudaMemset(rows_.address(), 0xff, rows_.bytes())); }
  void write(launcher& to, long long wait_ns) const {
    launch(to, copy_late, dim3(1), dim3(late_threads), 0, static_cast<const uint4*>(given_.address()),
           static_cast<uint4*>(rows_.address()), static_cast<long long>(rows_.bytes() / sizeof(uint4)),
           wait_ns);
  }

 private:
  std::int64_t elements_;
  device_memory given_, rows_;
};

using kernels_of_test = std::function<void(launcher&, bool begins_early)>;

class DependentLaunchOnGpu : public gpu_test {
 protected:
  void SetUp() override {
    gpu_test::SetUp();
    if (IsSkipped()) return;
    if (compute_capability() < 90) ABLATE_LACKS("hopper", "kernels begin behind each other before sm_90");
    limits_ = {properties().multiProcessorCount, properties().sharedMemPerBlockOptin};
  }

  std::vector<std::uint16_t> left_in(const device_memory& out) const {
    std::vector<std::uint16_t> values(out.bytes() / 2);
    ABLATE_CUDA_CHECK(cudaMemcpy(values.data(), out.address(), out.bytes(), cudaMemcpyDeviceToHost));
    return values;
  }

  void expect_same(const std::string& what, const late_rows& late, const device_memory& out,
                   const kernels_of_test& kernels) const {
    const auto prepare = [&] {
      late.poison();
      ABLATE_CUDA_CHECK(cudaMemset(out.address(), 0xff, out.bytes()));
      ABLATE_CUDA_CHECK(cudaDeviceSynchronize());
    };
    const stream on;
    launcher to(on, limits_);
    prepare();
    late.write(to, 0);
    ABLATE_CUDA_CHECK(cudaStreamSynchronize(on));
    kernels(to, false);
    ABLATE_CUDA_CHECK(cudaStreamSynchronize(on));
    const std::vector<std::uint16_t> right = left_in(out);
    EXPECT_EQ(std::ranges::count_if(right, [](std::uint16_t bits) { return (bits & 0x7fff) > 0x7f80; }), 0)
        << what << ": some are no numbers";

    prepare();
    late.write(to, late_by_ns);
    kernels(to, true);
    ABLATE_CUDA_CHECK(cudaStreamSynchronize(on));
    EXPECT_TRUE(left_in(out) == right) << what;

    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    ABLATE_CUDA_CHECK(cudaStreamBeginCapture(on, cudaStreamCaptureModeThreadLocal));
    late.write(to, late_by_ns);
    kernels(to, true);
    ABLATE_CUDA_CHECK(cudaStreamEndCapture(on, &graph));
    ABLATE_CUDA_CHECK(cudaGraphInstantiate(&executable, graph, 0));
    prepare();
    ABLATE_CUDA_CHECK(cudaGraphLaunch(executable, on));
    ABLATE_CUDA_CHECK(cudaStreamSynchronize(on));
    EXPECT_TRUE(left_in(out) == right) << what << ", in a graph";
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
  }

  /// `run`: a launch function of linear.
  void expect_layer(const std::string& name, linear::problem p,
                    const std::function<void(launcher&, const linear::problem&)>& run) const {
    const late_rows late(p.rows * std::max(p.inputs, p.outputs));
    const device_memory weight = on_gpu(drawn(std::int64_t{p.inputs} * p.outputs, "weight", 0.1f)),
                        bias = on_gpu(random_floats(p.outputs, 1, "bias")),
                        gamma = on_gpu(random_floats(p.inputs, 1, "gamma")),
                        beta = on_gpu(random_floats(p.inputs, 1, "beta")),
                        out(static_cast<std::size_t>(2 * p.rows * p.columns()));
    p.x = late.first();
    p.residual = late.second();
    p.weight = static_cast<const std::uint16_t*>(weight.address());
    p.bias = static_cast<const float*>(bias.address());
    p.gamma = static_cast<const float*>(gamma.address());
    p.beta = static_cast<const float*>(beta.address());
    p.y = static_cast<std::uint16_t*>(out.address());
    expect_same(name + ", " + std::to_string(p.inputs) + " to " + std::to_string(p.outputs), late, out,
                [&](launcher& to, bool begins_early) {
                  linear::problem layer = p;
                  layer.begins_early = begins_early;
                  run(to, layer);
                });
  }

  device_limits limits_;
};

linear::problem layer_of(int inputs, int outputs, linear::epilogue behind, bool has_norm = false) {
  linear::problem p;
  p.rows = 1500;
  p.inputs = inputs;
  p.outputs = outputs;
  p.behind = behind;
  p.has_norm = has_norm;
  return p;
}

TEST_F(DependentLaunchOnGpu, LayersByWarpgroups) {
  const auto plain = linear::hopper_forward, normed = linear::hopper_normed_forward;
  for (const int channels : {64, 128, 256}) {
    expect_layer("normed", layer_of(channels, 3 * channels, linear::epilogue::bias, true), normed);
    expect_layer("normed and gated", layer_of(channels, 8 * channels, linear::epilogue::swiglu, true),
                 normed);
    expect_layer("residual", layer_of(channels, channels, linear::epilogue::residual), plain);
  }
  expect_layer("GELU", layer_of(512, 256, linear::epilogue::gelu_erf), plain);
  expect_layer("in steps", layer_of(1024, 256, linear::epilogue::residual), plain);
  expect_layer("in steps", layer_of(2048, 512, linear::epilogue::residual), plain);
}

TEST_F(DependentLaunchOnGpu, LayersByWarps) {
  for (const int channels : {32, 512})
    expect_layer("normed", layer_of(channels, 3 * channels, linear::epilogue::bias, true),
                 linear::mma_normed_forward);
  expect_layer("residual", layer_of(32, 32, linear::epilogue::residual), linear::mma_forward);
  expect_layer("residual", layer_of(128, 128, linear::epilogue::residual), linear::mma_forward);
}

TEST_F(DependentLaunchOnGpu, Norms) {
  for (const int channels : {32, 256, 1024}) {
    row_norm::problem p;
    p.rows = p.valid = 1500;
    p.channels = channels;
    const late_rows late(p.rows * channels);
    const device_memory gamma = on_gpu(random_floats(channels, 1, "gamma")),
                        beta = on_gpu(random_floats(channels, 1, "beta")),
                        out(static_cast<std::size_t>(2 * p.rows * channels));
    p.in = late.first();
    p.gamma = static_cast<const float*>(gamma.address());
    p.beta = static_cast<const float*>(beta.address());
    p.out = static_cast<std::uint16_t*>(out.address());
    expect_same("norm of " + std::to_string(channels), late, out, [&](launcher& to, bool begins_early) {
      row_norm::problem norm = p;
      norm.begins_early = begins_early;
      row_norm::normalize(to, norm);
    });
  }
}

/// Rows on their way into windows and back: some in two windows, the last slots of no whole block.
class moved_rows_of_test {
 public:
  static constexpr int rows = 1501, slots = 1701;
  moved_rows_of_test() {
    std::vector<std::int32_t> row_of_slot(slots), slot_of_row(rows);
    for (int slot = 0; slot < slots; ++slot) {
      const int place = slot < rows ? slot : slot - 700;  // later ones are taken along from before
      row_of_slot[static_cast<std::size_t>(slot)] = place * 7 % rows;
      if (slot < rows) slot_of_row[static_cast<std::size_t>(place * 7 % rows)] = slot;
    }
    row_of_slot_ = on_gpu(row_of_slot);
    slot_of_row_ = on_gpu(slot_of_row);
  }
  const std::int32_t* row_of_slot() const { return static_cast<const std::int32_t*>(row_of_slot_.address()); }
  const std::int32_t* slot_of_row() const { return static_cast<const std::int32_t*>(slot_of_row_.address()); }

 private:
  device_memory row_of_slot_, slot_of_row_;
};

TEST_F(DependentLaunchOnGpu, RowsIntoWindowsAndBack) {
  const moved_rows_of_test moved;
  for (const int channels : {32, 64, 128, 256, 512}) {
    const std::int64_t sums = std::int64_t{moved.rows} * channels,
                       wide = std::int64_t{moved.slots} * channels;
    const late_rows late(wide);
    const device_memory norms = on_gpu(random_floats(4 * channels, 1, "norms")),
                        out(static_cast<std::size_t>(2 * (sums + wide))),
                        back(static_cast<std::size_t>((channels > mlp::max_fused_channels ? 4 : 2) * sums));
    const auto* const norm = static_cast<const float*>(norms.address());
    backbone::entering_rows in;
    in.slots = moved.slots;
    in.channels = channels;
    in.x = late.first();
    in.y = late.second();
    in.norm = norm;
    in.next_norm = norm + 2 * channels;
    in.row_of_slot = moved.row_of_slot();
    in.slot_of_row = moved.slot_of_row();
    in.sum = static_cast<std::uint16_t*>(out.address());
    in.normed = in.sum + sums;
    expect_same("into windows, " + std::to_string(channels), late, out, [&](launcher& to, bool begins_early) {
      backbone::entering_rows rows = in;
      rows.begins_early = begins_early;
      backbone::enter_windows(to, rows);
    });
    backbone::leaving_rows away;
    away.rows = moved.rows;
    away.channels = channels;
    away.x = late.first();
    away.y = late.second();
    away.next_norm = norm;
    away.slot_of_row = moved.slot_of_row();
    away.sum = static_cast<std::uint16_t*>(back.address());
    away.normed = away.sum + sums;
    away.has_norm = channels > mlp::max_fused_channels;
    expect_same("from windows, " + std::to_string(channels), late, back,
                [&](launcher& to, bool begins_early) {
                  backbone::leaving_rows rows = away;
                  rows.begins_early = begins_early;
                  backbone::leave_windows(to, rows);
                });
  }
}

/// Blocks of one to three groups of 64 rows.
TEST_F(DependentLaunchOnGpu, WholeMlps) {
  for (const int channels : {32, 64, 128})
    for (const mlp::kind kind : {mlp::kind::swiglu, mlp::kind::gelu})
      for (const std::int64_t rows : {1500, 11000, 20000}) {
        mlp::problem p;
        p.kind = kind;
        p.rows = rows;
        p.channels = channels;
        const late_rows late(rows * channels);
        const std::int64_t hidden = p.hidden_columns(), wide = p.first_columns();
        const device_memory first = on_gpu(drawn(wide * channels, "first", 0.1f)),
                            second = on_gpu(drawn(hidden * channels, "second", 0.1f)),
                            first_bias = on_gpu(random_floats(wide, 1, "first_bias")),
                            second_bias = on_gpu(random_floats(channels, 1, "second_bias")),
                            gamma = on_gpu(random_floats(channels, 1, "gamma")),
                            beta = on_gpu(random_floats(channels, 1, "beta")),
                            out(static_cast<std::size_t>(2 * rows * channels));
        p.x = late.first();
        p.first = static_cast<const std::uint16_t*>(first.address());
        p.second = static_cast<const std::uint16_t*>(second.address());
        p.first_bias = static_cast<const float*>(first_bias.address());
        p.second_bias = static_cast<const float*>(second_bias.address());
        p.gamma = static_cast<const float*>(gamma.address());
        p.beta = static_cast<const float*>(beta.address());
        p.y = static_cast<std::uint16_t*>(out.address());
        expect_same(std::to_string(channels) + " channels, " + std::to_string(rows) + " rows", late, out,
                    [&](launcher& to, bool begins_early) {
                      mlp::problem both = p;
                      both.begins_early = begins_early;
                      channels == 32 ? mlp::fused_mma(to, both, {}) : mlp::fused_wgmma(to, both, {});
                    });
      }
}

window_attention::problem attention_of(int heads, int width, std::int64_t window) {
  window_attention::problem p;
  p.tokens = 4096;
  p.heads = heads;
  p.width = width;
  p.window = window;
  p.bucket = 256;
  p.layout = window_attention::qkv_layout::packed;
  return p;
}

struct attention_memory {
  explicit attention_memory(window_attention::problem& p)
      : out(static_cast<std::size_t>(2 * p.elements())),
        lse(static_cast<std::size_t>(4 * p.tokens * p.heads)),
        scratch(window_attention::scratch_bytes(p)),
        scope(on_gpu(buckets_of(p))) {
    p.scope = static_cast<const std::uint32_t*>(scope.address());
    p.out = static_cast<std::uint16_t*>(out.address());
    p.lse = static_cast<float*>(lse.address());
    p.scratch = scratch.address();
  }
  static std::vector<std::uint32_t> buckets_of(const window_attention::problem& p) {
    std::vector<std::uint32_t> all;
    for (std::int64_t i = 0; i < p.tokens / p.bucket; ++i) all.push_back(static_cast<std::uint32_t>(i));
    return all;
  }
  device_memory out, lse, scratch, scope;
};

TEST_F(DependentLaunchOnGpu, Attention) {
  struct sizes {
    int heads, width;
    std::int64_t window;
  };
  for (const sizes& of : {sizes{4, 16, 1024}, sizes{2, 64, 1024}, sizes{2, 64, 4096}}) {
    window_attention::problem p = attention_of(of.heads, of.width, of.window);
    const late_rows late(3 * p.elements());
    const attention_memory memory(p);
    p.q = late.first();
    p.k = p.q + of.heads * of.width;
    p.v = p.k + of.heads * of.width;
    expect_same(std::to_string(of.width) + " elements a head", late, memory.out,
                [&](launcher& to, bool begins_early) {
                  window_attention::problem attention = p;
                  attention.begins_early = begins_early;
                  window_attention::attend_with_fixed_max_on_hopper(to, attention);
                });
  }
}

/// Queries and keys so large that tiles overflow.
class overflowing_tiles {
 public:
  explicit overflowing_tiles(window_attention::problem& p) {
    std::vector<std::uint16_t> large = drawn(3 * p.elements(), "large", 1.7f);
    const std::int64_t stride = p.qkv_stride();
    // The last window's last token's key is alike its queries, far beyond all others.
    for (std::int64_t token = p.tokens - 1024; token < p.tokens; ++token)
      for (std::int64_t i = 0; i < p.heads * p.width; ++i) {
        large[static_cast<std::size_t>(token * stride + i)] = bf16_of_float(8.0f);
        if (token + 1 == p.tokens)
          large[static_cast<std::size_t>(token * stride + p.heads * p.width + i)] = bf16_of_float(8.0f);
      }
    qkv_ = on_gpu(large);
    p.q = static_cast<const std::uint16_t*>(qkv_.address());
    p.k = p.q + p.heads * p.width;
    p.v = p.k + p.heads * p.width;
  }

 private:
  device_memory qkv_;
};

/// The last launch does these again from the list that the first one has emptied and the second one filled.
TEST_F(DependentLaunchOnGpu, AttentionWhoseTilesAreDoneAgain) {
  window_attention::problem p = attention_of(2, 16, 1024);
  const late_rows late(3 * p.elements());
  const attention_memory memory(p);
  const overflowing_tiles tiles(p);
  expect_same("done again", late, memory.out, [&](launcher& to, bool begins_early) {
    window_attention::problem attention = p;
    attention.begins_early = begins_early;
    window_attention::attend_with_fixed_max_on_hopper(to, attention);
  });
}

/// From a list that is empty before, and one that holds these tiles already; by tiles of 192 queries, too,
/// which list those of 256 that they are in.
TEST_F(DependentLaunchOnGpu, AttentionOnAnEmptyList) {
  static const switches by_pairs = {{"exp2", "bf16x2_6of16"}};
  struct form {
    const char* name;
    bool is_packed;
    switches by;
  };
  const form forms[] = {{"alone", false, {}},
                        {"by pairs", true, by_pairs},
                        {"by rounds", true, by_pairs.with({{"tiles", "wave_fit"}})},
                        {"by rounds, overlapped", true, by_pairs.with({{"tiles", "wave_fit_overlapped"}})}};
  for (const int width : {16, 32})
    for (const form& of : forms) {
      window_attention::problem p = attention_of(2, width, 1024);
      const attention_memory memory(p);
      const overflowing_tiles tiles(p);
      const stream on;
      launcher to(on, limits_);
      of.is_packed ? window_attention::attend_in_pairs_on_hopper(to, p, by_pairs)
                   : window_attention::attend_with_fixed_max_on_hopper(to, p);
      ABLATE_CUDA_CHECK(cudaStreamSynchronize(on));
      const std::vector<std::uint16_t> right = left_in(memory.out);
      ABLATE_CUDA_CHECK(cudaMemset(memory.scratch.address(), 0, memory.scratch.bytes()));
      p.begins_early = true;
      for (int time = 0; time < 2; ++time) {
        ABLATE_CUDA_CHECK(cudaMemset(memory.out.address(), 0xff, memory.out.bytes()));
        ABLATE_CUDA_CHECK(cudaDeviceSynchronize());
        const window_attention::run_form on_empty_list = {.is_list_empty = true};
        of.is_packed ? window_attention::attend_in_pairs_on_hopper(to, p, of.by, on_empty_list)
                     : window_attention::attend_with_fixed_max_on_hopper(
                           to, p, window_attention::pingpong::by_window, on_empty_list);
        ABLATE_CUDA_CHECK(cudaStreamSynchronize(on));
        EXPECT_TRUE(left_in(memory.out) == right)
            << width << " elements a head, " << of.name << ", time " << time;
      }
    }
}

}  // namespace
}  // namespace ablate::test_support::dependent_launch_test
