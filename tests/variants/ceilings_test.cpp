#include <gmock/gmock.h>

#include <cstring>
#include <numeric>
#include <set>

#include "harness/registry/registry.h"
#include "harness/runner/buffers.h"
#include "kernels/common/bf16.h"
#include "kernels/common/poison.h"
#include "oracles/ceilings/reference.h"
#include "variants/ceilings/prepare.h"

namespace ablate::ceilings::ceilings_test {
namespace {

using ::testing::HasSubstr;

const operation& ceilings_operation() { return *find_operation("ceilings"); }

problem accesses(resource what, std::int64_t count, int sector_bits) {
  problem p;
  p.what = what;
  p.elements = count;
  p.sector_bits = sector_bits;
  p.untouched = std::uint64_t{poison_word} << 32 | poison_word;
  return p;
}

template <class Word>
std::vector<Word> oracle_of(const problem& p) {
  std::vector<Word> out(output_bytes(p) / sizeof(Word));
  reference(p, nullptr, out.data());
  return out;
}

// The plain model: a memory, with one access after another.
struct model {
  problem p;
  std::vector<std::uint64_t> memory;
  std::vector<std::uint32_t> sums;

  explicit model(const problem& of) : p(of), memory(memory_bytes(of) / 8, of.untouched) {
    if (reads_only(p.what))
      for (std::size_t w = 0; w < memory.size(); ++w) {
        const std::uint64_t m = (w + 1) * 0x9E3779B97F4A7C15u;
        memory[w] = m ^ m >> 32;
      }
    for (std::int64_t i = 0; i < p.elements; ++i) {
      if (i % 2048 == 0) sums.push_back(0);
      access(static_cast<std::uint32_t>(i));
    }
  }

  std::uint64_t& word(std::uint32_t sector) { return memory[4 * static_cast<std::size_t>(sector)]; }
  static std::uint64_t initial(std::uint32_t sector) { return word_at(4 * std::uint64_t{sector}); }
  void take(std::uint64_t value) { sums.back() += static_cast<std::uint32_t>(value + (value >> 32)); }

  void access(std::uint32_t i) {
    const std::uint32_t sector = sector_of(i, p.sector_bits);
    std::uint64_t& found = word(sector);
    switch (p.what) {
      case resource::random_read_sectors:
      case resource::random_cas:
      case resource::one_word_cas:
        return take(found);
      case resource::random_read_16b:
        return take(found), take((&found)[1]);
      case resource::random_read_pairs:
        return take(word(static_cast<std::uint32_t>((sector + found) % (memory.size() / 4))));
      case resource::random_write_sectors:
        found = found >> 32 << 32 | (initial(sector) & 0xffffffffu);
        return;
      case resource::random_min:
        found = std::min(found, initial(sector) & 0x7fffffffffffffffu);
        return;
      default:
        ++found;
    }
  }
};

TEST(RandomAccess, EverySectorIsHitEquallyOften) {
  for (int bits = 0; bits <= 16; ++bits) {
    std::set<std::uint32_t> sectors;
    const std::uint32_t count = 1u << bits;
    for (std::uint32_t i = 0; i < count; ++i) sectors.insert(sector_of(i, bits));
    EXPECT_EQ(sectors.size(), count) << bits;
    EXPECT_EQ(*sectors.rbegin(), count - 1) << bits;
    for (std::uint32_t i = 0; i < count; i += 7)
      EXPECT_EQ(sector_of(i + 3 * count, bits), sector_of(i, bits));
  }
}

TEST(RandomAccess, TheFirstAccessOfASectorIsTheInverse) {
  for (int bits = 0; bits <= 29; ++bits)
    for (std::uint32_t k = 0; k < 1000; ++k) {
      const std::uint32_t access = (k * 0x2545F491u) & ((1u << bits) - 1);
      ASSERT_EQ(first_access_of(sector_of(access, bits), bits), access) << bits;
    }
}

TEST(RandomAccess, TheSectorsOfAWarpAreFarApart) {
  for (const int bits : {11, 19, 23, 29}) {
    double neighbors = 0, same_page = 0;
    constexpr std::uint32_t warps = 2000;
    for (std::uint32_t warp = 0; warp < warps; ++warp) {
      std::set<std::uint32_t> lines, pages;
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        const std::uint32_t sector = sector_of(warp * 32 + lane, bits);
        lines.insert(sector / 4);
        pages.insert(sector / 64);
      }
      neighbors += 32.0 - static_cast<double>(lines.size());
      same_page += 32.0 - static_cast<double>(pages.size());
    }
    // Of 32 sectors at random among n places, 496 / n share one.
    const double sectors = 1u << bits;
    EXPECT_LT(neighbors / warps, 1.5 * 496 * 4 / sectors + 0.05) << bits;
    EXPECT_LT(same_page / warps, 1.5 * 496 * 64 / sectors + 0.05) << bits;
  }
}

TEST(RandomAccess, SumsAreThoseOfThePlainModel) {
  for (const resource what : {resource::random_read_sectors, resource::random_read_16b,
                              resource::random_read_pairs, resource::random_cas})
    for (const int bits : {0, 5, 11, 14}) {
      const problem p = accesses(what, 4 * 2048, bits);
      EXPECT_EQ(oracle_of<std::uint32_t>(p), model(p).sums) << static_cast<int>(what) << " " << bits;
    }
}

TEST(RandomAccess, SumsOfSoManyThatSeveralThreadsTakeThemAreTheSame) {
  const problem p = accesses(resource::random_read_sectors, 515 * 2048, 11);
  EXPECT_EQ(oracle_of<std::uint32_t>(p), model(p).sums);
}

TEST(Bandwidth, SumsAndNumbersOfSoManyThatSeveralThreadsTakeThemAreTheSame) {
  problem p;
  p.what = resource::dram_read_bytes;
  p.elements = 259 * words_per_read_block;
  std::vector<std::uint32_t> in(static_cast<std::size_t>(p.elements));
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint32_t>(i * i);
  std::vector<std::uint32_t> sums(output_bytes(p) / 4);
  reference(p, in.data(), sums.data());
  for (std::size_t block = 0; block < sums.size(); ++block) {
    const auto first = in.begin() + static_cast<std::ptrdiff_t>(block) * words_per_read_block;
    ASSERT_EQ(sums[block], std::accumulate(first, first + words_per_read_block, 0u)) << block;
  }
  p.what = resource::dram_write_bytes;
  p.elements = (1 << 21) + 3;
  const std::vector<std::uint32_t> numbers = oracle_of<std::uint32_t>(p);
  for (std::size_t i = 0; i < numbers.size(); ++i) ASSERT_EQ(numbers[i], i);
}

TEST(RandomAccess, ABlockOf4KibIsReadFromBothHalvesOfTheMemory) {
  const problem p = accesses(resource::random_read_blocks, 2 * 256, 9);  // 16 KiB: 4 blocks
  const auto sum_of = [](std::uint64_t first_byte) {
    std::uint32_t sum = 0;
    for (std::uint64_t i = 0; i < 2048 / 8; ++i) {
      const std::uint64_t word = word_at(first_byte / 8 + i);
      sum += static_cast<std::uint32_t>(word + (word >> 32));
    }
    return sum;
  };
  std::vector<std::uint32_t> sums(2);
  for (std::uint32_t i = 0; i < 512; ++i) {
    const std::uint32_t block = sector_of(i, 2);
    sums[i / 256] += sum_of(block * 2048) + sum_of(8192 + block * 2048);
  }
  EXPECT_EQ(oracle_of<std::uint32_t>(p), sums);
}

TEST(RandomAccess, ChangedSectorsAreThoseOfThePlainModel) {
  for (const resource what :
       {resource::random_write_sectors, resource::random_add, resource::random_min, resource::one_word_add})
    for (const int bits : {0, 5, 11, 14, 17}) {
      const problem p = accesses(what, 3 * 2048, bits);
      const model plain(p);
      const auto sampled = oracle_of<std::uint64_t>(p);
      ASSERT_EQ(sampled.size(), 4u * std::min(1 << bits, 1 << 15));
      for (std::int64_t i = 0; i < sampled_sectors(p); ++i)
        for (std::int64_t w = 0; w < 4; ++w)
          ASSERT_EQ(sampled[static_cast<std::size_t>(4 * i + w)],
                    plain.memory[static_cast<std::size_t>(4 * sampled_sector(p, i) + w)])
              << static_cast<int>(what) << " " << bits << " sample " << i;
    }
}

TEST(RandomAccess, SamplesOfALargeMemoryHoldSectorsThatWereHitAndOthers) {
  const problem p = accesses(resource::random_add, 1 << 24, 29);
  int hit = 0;
  const auto sampled = oracle_of<std::uint64_t>(p);
  for (std::size_t i = 0; i < sampled.size(); i += 4) hit += sampled[i] != p.untouched;
  EXPECT_NEAR(hit, (1 << 15) / 32, 200);
}

TEST(CeilingsOperation, DeclaresTheWorkThatItsReferenceDoes) {
  const input_library inputs(1, {}, {});
  for (const calibration& c : ceilings_operation().calibrations) {
    if (c.ceiling.starts_with("dram_")) continue;  // half a gigabyte each
    const workload work = ceilings_operation().prepare(c.axes, inputs);
    const auto buffers = ceilings_operation().buffers(c.axes, inputs);
    host_outputs host(buffers);
    std::memset(host.at(1), 0, buffers[1].bytes);
    std::vector<void*> addresses = {nullptr, host.at(1), nullptr};
    work.reference(addresses);
    EXPECT_TRUE(work.check(host.pointers()).ok) << c.ceiling;
    static_cast<unsigned char*>(host.at(1))[0] ^= 1;
    EXPECT_FALSE(work.check(host.pointers()).ok) << c.ceiling;
  }
}

TEST(CeilingsOperation, ReadsAndCopiesTheNumbersOfItsGenerator) {
  const input_library inputs(7, {}, {});
  // Less than eight at a time, eight, some left over, and so many that several threads make them.
  for (const std::int64_t words : {1, 8, 1003, (1 << 21) + 11}) {
    problem p;
    p.what = resource::dram_copy_bytes;
    p.elements = words;
    const workload work = prepare(p, {}, inputs);
    ASSERT_EQ(work.contents[0].size(), static_cast<std::size_t>(4 * words));
    std::uint64_t state = 7;
    for (std::size_t i = 0; i < static_cast<std::size_t>(words); ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      std::uint32_t found;
      std::memcpy(&found, work.contents[0].data() + 4 * i, 4);
      ASSERT_EQ(found, state >> 33) << i << " of " << words;
    }
    EXPECT_EQ(work.input.at("hash"), hash_hex(work.contents[0].data(), work.contents[0].size()));
  }
}

TEST(CeilingsOperation, HashesNumbersBySeedAndSize) {
  const auto hash_of = [](std::uint64_t seed, std::int64_t words) {
    problem p;
    p.what = resource::dram_read_bytes;
    p.elements = words;
    return prepare(p, {}, input_library(seed, {}, {})).input.at("hash").get<std::string>();
  };
  EXPECT_EQ(hash_of(1, 8192), hash_of(1, 8192));
  EXPECT_NE(hash_of(1, 8192), hash_of(2, 8192));
  EXPECT_NE(hash_of(1, 8192), hash_of(1, 16384));
  const axis_values l2 = {{"resource", "l2_bytes"}, {"footprint", "fixed"}};
  EXPECT_EQ(ceilings_operation().prepare(l2, input_library(1, {}, {})).input.at("hash"), "366c9302662cd8c7")
      << "that of records since their first";
}

TEST(CeilingsOperation, ACopyIsHeldAgainstItsInput) {
  problem p;
  p.what = resource::dram_copy_bytes;
  p.elements = 1003;
  const workload work = prepare(p, {}, input_library(1, {}, {}));
  std::vector<std::byte> copy(work.contents[0].begin(), work.contents[0].end());
  const std::vector<const std::byte*> outputs = {nullptr, copy.data(), nullptr};
  EXPECT_TRUE(work.check(outputs).ok);
  copy.back() ^= std::byte{1};
  const check_result found = work.check(outputs);
  EXPECT_FALSE(found.ok);
  EXPECT_THAT(found.message, HasSubstr("word 1002 of out"));
}

/// What the reference leaves in `out`, as fp32, and its input, as T.
template <class T>
std::pair<std::vector<float>, std::vector<T>> product_of(const char* resource) {
  const axis_values axes = {{"resource", resource}, {"footprint", "fixed"}};
  const input_library inputs(1, {}, {});
  const workload work = ceilings_operation().prepare(axes, inputs);
  std::vector<float> out(ceilings_operation().buffers(axes, inputs)[1].bytes / sizeof(float));
  std::vector<void*> addresses = {nullptr, out.data(), nullptr};
  work.reference(addresses);
  std::vector<T> in(work.contents[0].size() / sizeof(T));
  std::memcpy(in.data(), work.contents[0].data(), work.contents[0].size());
  return {out, in};
}

TEST(CeilingsOperation, TensorProductsAreThoseOfThePlainSums) {
  const auto expect = [](const char* resource, std::size_t rows, std::size_t depth, std::size_t columns,
                         bool b_is_column_major, std::size_t tiles) {
    const auto [out, in] = product_of<std::uint16_t>(resource);
    ASSERT_EQ(in.size(), rows * depth + depth * columns);
    ASSERT_EQ(out.size(), tiles * rows * columns);
    bool all_are_zero = true;
    for (const std::size_t tile : {std::size_t{0}, tiles - 1})
      for (std::size_t i = 0; i < rows * columns; ++i) {
        const std::size_t row = i / columns, column = i % columns;
        float sum = 0;
        for (std::size_t k = 0; k < depth; ++k)
          sum += float_of_bf16(in[row * depth + k]) *
                 float_of_bf16(
                     in[rows * depth + (b_is_column_major ? column * depth + k : k * columns + column)]);
        ASSERT_EQ(out[tile * rows * columns + i], 2048 * sum) << resource << " " << row << " " << column;
        all_are_zero = all_are_zero && sum == 0;
      }
    EXPECT_FALSE(all_are_zero);
  };
  expect("tensor_bf16_flops", 16, 16, 32, false, 1188 * 4);
  expect("tensor_bf16_wgmma_flops", 128, 64, 256, true, 132);
}

TEST(CeilingsOperation, MultiplyAddsAreThoseOfEveryStep) {
  const auto [out, in] = product_of<float>("fma_f32_flops");
  ASSERT_EQ(in.size(), 10u * 32);
  ASSERT_EQ(out.size(), 1188u * 8 * 128);
  for (std::size_t chain = 0; chain < 8; ++chain)
    for (std::size_t lane = 0; lane < 32; ++lane) {
      float sum = in[64 + 32 * chain + lane];
      for (int round = 0; round < 16384; ++round) {
        const float before = sum;
        sum += in[lane] * in[32 + lane];
        ASSERT_NE(sum, before);
      }
      for (const std::size_t thread : {lane, 96 + lane})
        for (const std::size_t block : {0, 1187})
          ASSERT_EQ(out[(block * 8 + chain) * 128 + thread], sum) << chain << " " << lane;
    }
}

TEST(CeilingsOperation, FlopsGoToAPipeThatTheirCeilingNames) {
  const input_library inputs(1, {}, {});
  int pipes = 0;
  for (const calibration& c : ceilings_operation().calibrations) {
    if (!c.ceiling.ends_with("_flops")) continue;
    const work_model work = ceilings_operation().prepare(c.axes, inputs).work;
    EXPECT_GT(work.flops, 1e10) << c.ceiling;
    EXPECT_FALSE(work.flop_pipe.empty()) << c.ceiling;
    EXPECT_TRUE(c.ceiling.starts_with(work.flop_pipe + "_")) << c.ceiling;
    ++pipes;
  }
  EXPECT_EQ(pipes, 3);
}

TEST(CeilingsOperation, ReductionsOfEveryOperandFillTheSameMemoryWithTheirShares) {
  const input_library inputs(1, {}, {});
  const auto counters_of = [&](const std::string& resource) {
    const axis_values axes = {{"resource", resource}, {"footprint", "fixed"}};
    const auto buffers = ceilings_operation().buffers(axes, inputs);
    std::vector<std::byte> out(buffers[1].bytes, std::byte{0});
    std::vector<void*> addresses = {nullptr, out.data(), nullptr};
    const workload work = ceilings_operation().prepare(axes, inputs);
    EXPECT_EQ(work.work.atomics, resource.starts_with("atomics_equal") ? 1 << 20 : 1 << 24) << resource;
    work.reference(addresses);
    return out;
  };
  const auto last = [](const std::vector<std::byte>& out, auto value) {
    std::memcpy(&value, out.data() + out.size() - sizeof value, sizeof value);
    return value;
  };
  for (const std::string kind : {"atomics_distinct", "atomics_full_sectors"}) {
    for (const char* operand : {"", "_f32", "_u64", "_f32x2"})
      EXPECT_EQ(counters_of(kind + operand).size(), std::size_t{1} << 23) << kind << operand;
    EXPECT_EQ(last(counters_of(kind), std::uint32_t{}), 8u);
    EXPECT_EQ(last(counters_of(kind + "_f32"), float{}), 8.0f);
    EXPECT_EQ(last(counters_of(kind + "_u64"), std::uint64_t{}), 16u);
    EXPECT_EQ(last(counters_of(kind + "_f32x2"), float{}), 16.0f);
  }
  EXPECT_EQ(counters_of("atomics_equal_f32x2").size(), 8u);
  EXPECT_EQ(last(counters_of("atomics_equal_f32"), float{}), static_cast<float>(1 << 20));
  EXPECT_EQ(last(counters_of("atomics_equal_u64"), std::uint64_t{}), std::uint64_t{1} << 20);
}

TEST(CeilingsOperation, FootprintsArePowersOfTwoThatOnlyTheDeviceHolds) {
  const input_library inputs(1, {}, {});
  const auto memory_at = [&](const std::string& resource, const std::string& footprint) {
    const auto buffers =
        ceilings_operation().buffers({{"resource", resource}, {"footprint", footprint}}, inputs);
    EXPECT_LE(buffers[1].bytes, std::size_t{1} << 20) << resource;
    EXPECT_EQ(buffers[2].role, buffer_role::scratch);
    return buffers[2].bytes;
  };
  for (const std::string resource : {"random_read_sectors", "random_write_sectors", "random_cas"}) {
    EXPECT_EQ(memory_at(resource, "64KiB"), std::size_t{1} << 16);
    EXPECT_EQ(memory_at(resource, "512KiB"), std::size_t{1} << 19);
    EXPECT_EQ(memory_at(resource, "1MiB"), std::size_t{1} << 20);
    EXPECT_EQ(memory_at(resource, "1GiB"), std::size_t{1} << 30);
    EXPECT_EQ(memory_at(resource, "16GiB"), std::size_t{1} << 34);
  }
  EXPECT_EQ(memory_at("one_word_cas", "fixed"), 32u);
  EXPECT_EQ(memory_at("launch", "fixed"), 0u);
}

TEST(CeilingsOperation, AFootprintIsNamedWhereThereIsOneToChoose) {
  const auto why = [](const char* resource, const char* footprint) {
    return ceilings_operation().refuses({{"resource", resource}, {"footprint", footprint}}).value_or("");
  };
  EXPECT_EQ(why("random_cas", "64KiB"), "");
  EXPECT_EQ(why("dram_copy_bytes", "fixed"), "");
  EXPECT_EQ(why("one_word_add", "fixed"), "");
  EXPECT_THAT(why("random_cas", "fixed"), HasSubstr("expected 64KiB to 16GiB"));
  EXPECT_THAT(why("launch", "1MiB"), HasSubstr("expected 'fixed'"));
}

}  // namespace
}  // namespace ablate::ceilings::ceilings_test
