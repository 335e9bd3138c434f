#include "harness/wrapped/read_wrapped.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "base/text/bad_input.h"
#include "harness/wrapped/bind_launch.h"
#include "tests/harness/wrapped/made_cubin.h"
#include "tests/support/paths.h"
#include "tests/support/slurp.h"
#include "tests/support/temporary_directory.h"

namespace ablate::wrapped {
namespace {

using nlohmann::ordered_json;
using testing::ElementsAre;
using testing::HasSubstr;

/// out = x + y by CUDA and by Triton.
ordered_json add_json() {
  return ordered_json::parse(R"json({
    "operation": "wrapped_add", "description": "out = x + y",
    "axes": [{"name": "elements", "minimum": 1, "maximum": 1000000, "default": 1000, "description": "elements"},
             {"name": "order", "words": ["natural", "shuffled"]}],
    "arrays": [{"name": "x", "role": "input", "type": "f32", "count": "elements"},
               {"name": "y", "role": "input", "type": "f16", "count": "elements", "fill": {"uniform": [0, 2]}},
               {"name": "out", "role": "output", "type": "f32", "count": "elements", "tolerance": 1e-6},
               {"name": "partial", "role": "scratch", "type": "u8", "count": "ceil_div(elements, 256) * 4"}],
    "flops": "elements",
    "variants": [
      {"name": "cuda", "description": "one element a thread", "switches": {"by": "cuda", "wide": 1},
       "code": "add.cubin", "grid": "ceil_div(elements, 256)", "block": [256], "dynamic_shared_bytes": 1024,
       "arguments": [{"array": "x"}, {"array": "y"}, {"array": "out"}, {"i32": "elements"}]},
      {"name": "triton", "switches": {"by": "triton"}, "only_where": {"order": "natural"},
       "triton": "add_kernel.json", "grid": ["ceil_div(elements, 1024)", 2],
       "arguments": [{"array": "x"}, {"array": "y"}, {"array": "out"}, {"i32": "elements"}]}]})json");
}

constexpr const char* triton_json =
    R"({"hash": "a", "target": {"backend": "cuda", "arch": 90, "warp_size": 32},
  "num_warps": 4, "num_ctas": 1, "shared": 64, "name": "add_kernel", "global_scratch_size": 0})";

class ReadWrapped : public testing::Test {
 protected:
  ReadWrapped() {
    files_.write("add.cubin", wrapped_test::cubin_bytes({.capability = 80}));
    files_.write("add_kernel.json", triton_json);
    files_.write("add_kernel.cubin",
                 wrapped_test::cubin_bytes(
                     {.entry = "add_kernel", .parameter_bytes = {8, 8, 8, 4, 8, 8}, .capability = 90}));
  }

  wrapped_file read(const ordered_json& json) { return read_wrapped(files_.write("add.json", json.dump())); }

  /// What is said of the file whose value at `pointer` is another.
  std::string refusal(const char* pointer, const ordered_json& value) {
    ordered_json json = add_json();
    json[ordered_json::json_pointer(pointer)] = value;
    try {
      read(json);
      return "accepted";
    } catch (const bad_input& why) {
      return std::string(why.what()).substr((files_.path() / "add.json").string().size() + 2);
    }
  }

  spans arrays_of(const wrapped_file& of, const axis_values& at) const {
    spans::facts facts;
    for (const kernel_array& a : of.operation.arrays(at))
      facts.arrays.push_back({a.name, a.count, a.element_bytes, a.type, false, false});
    facts.axes.assign(at.begin(), at.end());
    spans out(facts);
    out.attach(addresses_);
    return out;
  }

  test_support::temporary_directory files_;
  char memory_[4]{};
  std::vector<void*> addresses_ = {&memory_[0], &memory_[1], &memory_[2], &memory_[3]};
  axis_values at_ = {{"elements", "1000"}, {"order", "natural"}};
};

TEST_F(ReadWrapped, DescribesAnOperation) {
  const wrapped_file file = read(add_json());
  const array_definition& of = file.operation;
  EXPECT_EQ(of.name, "wrapped_add");
  ASSERT_EQ(of.axes.size(), 2u);
  EXPECT_EQ(of.axes[0].default_value, "1000");
  EXPECT_EQ(of.axes[1].default_value, "natural");
  EXPECT_EQ(of.baseline, "cuda");
  EXPECT_FALSE(of.has_oracle());
  EXPECT_EQ(of.flops(at_), 1000);
  const std::vector<kernel_array> arrays = of.arrays(at_);
  ASSERT_EQ(arrays.size(), 4u);
  EXPECT_EQ(arrays[1].element_bytes, 2u);
  EXPECT_EQ(arrays[2].role, buffer_role::output);
  EXPECT_EQ(arrays[2].tolerance, 1e-6);
  EXPECT_EQ(arrays[3].count, 16);
  EXPECT_EQ(arrays[0].contents(1).size(), 4000u);
  EXPECT_EQ(arrays[0].contents(1), arrays[0].contents(1));
  EXPECT_NE(arrays[0].contents(1), arrays[0].contents(2));
  ASSERT_EQ(of.variants.size(), 2u);
  EXPECT_EQ(of.variants[0].facts.switches.word("wide"), "1");
  EXPECT_EQ(of.variants[0].facts.minimum_compute_capability, 80);
  EXPECT_EQ(of.variants[1].facts.minimum_compute_capability, 90);
  EXPECT_EQ(of.variants[1].facts.only_where.front().second, std::vector<std::string>{"natural"});
}

TEST_F(ReadWrapped, KnowsWhichInputsMayChangeBetweenLaunches) {
  const auto may_change = [&](const char* type, const ordered_json& more) {
    ordered_json json = add_json();
    json["arrays"][1]["type"] = type;
    json["arrays"][1].erase("fill");
    if (!more.empty()) json["arrays"][1].update(more);
    return read(json).operation.arrays(at_)[1].may_change;
  };
  EXPECT_TRUE(may_change("f32", {}));
  EXPECT_TRUE(may_change("i32", {}));
  EXPECT_TRUE(may_change("f32", {{"fill", {{"file", "y.npy"}}}}));
  EXPECT_FALSE(may_change("i32", {{"fill", {{"file", "y.npy"}}}})) << "they may be places in other arrays";
  EXPECT_TRUE(may_change("i32", {{"fill", {{"file", "y.npy"}}}, {"change", true}}));
  EXPECT_FALSE(may_change("f32", {{"change", false}}));
  EXPECT_THAT(refusal("/arrays/2/change", true), HasSubstr("/arrays/2/change: expected none: only an input"));
}

TEST_F(ReadWrapped, LaysOutArgumentsAsTheKernelTakesThem) {
  const wrapped_file file = read(add_json());
  const bound_launch launch = bind_launch(file.launches[0], arrays_of(file, at_));
  EXPECT_EQ(launch.asked.symbol, "add");
  EXPECT_EQ(launch.asked.grid.x, 4u);
  EXPECT_EQ(launch.asked.block.x, 256u);
  EXPECT_EQ(launch.asked.dynamic_shared_bytes, 1024u);
  ASSERT_EQ(launch.values.size(), 4u);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(std::memcmp(launch.values[i].data(), &addresses_[i], 8), 0) << i;
  const std::int32_t elements = 1000;
  EXPECT_EQ(std::memcmp(launch.values[3].data(), &elements, 4), 0);
}

TEST_F(ReadWrapped, TakesTritonsLaunchFromItsCache) {
  const wrapped_file file = read(add_json());
  const bound_launch launch = bind_launch(file.launches[1], arrays_of(file, at_));
  EXPECT_EQ(launch.asked.symbol, "add_kernel");
  EXPECT_EQ(launch.asked.block.x, 128u);
  EXPECT_EQ(launch.asked.grid.x, 1u);
  EXPECT_EQ(launch.asked.grid.y, 2u);
  EXPECT_EQ(launch.asked.dynamic_shared_bytes, 64u);
  // The scratch memory that Triton's launcher passes, which this kernel does not want.
  ASSERT_EQ(launch.values.size(), 6u);
  EXPECT_EQ(launch.values[4], (std::array<std::byte, 8>{}));
}

TEST_F(ReadWrapped, RefusesAKernelOfTritonThatWantsMemory) {
  files_.write("add_kernel.json",
               R"({"num_warps": 4, "shared": 0, "name": "add_kernel", "global_scratch_size": 128})");
  EXPECT_THAT(refusal("/flops", 1),
              HasSubstr("/variants/1/triton: the kernel needs 128 bytes of scratch memory"));
}

std::string bound_refusal(const wrapped_file& of, const spans& arrays) {
  try {
    bind_launch(of.launches[0], arrays);
    return "accepted";
  } catch (const std::runtime_error& why) {
    return why.what();
  }
}

TEST_F(ReadWrapped, RefusesArgumentsThatAreNotTheKernels) {
  EXPECT_THAT(refusal("/variants/0/arguments/3", {{"i64", "elements"}}),
              AllOf(HasSubstr("/variants/0/arguments: kernel 'add' of "),
                    HasSubstr("parameter 3 has 4 bytes, expected 8 for i64 \"elements\"")));
  EXPECT_THAT(refusal("/variants/0/arguments/0", {{"f32", 1}}),
              HasSubstr("parameter 0 has 8 bytes, expected 4"));
  EXPECT_THAT(refusal("/variants/0/arguments/-", nullptr), HasSubstr("it has 4 parameters, expected 5"));
}

TEST_F(ReadWrapped, RefusesBlocksAndGridsThatNoGpuLaunches) {
  EXPECT_EQ(refusal("/variants/0/block", 4096),
            "/variants/0/block: a block of 4096; expected 1 to 1024 threads");
  EXPECT_THAT(refusal("/variants/0/block", 0), HasSubstr("/variants/0/block: a block of 0"));
  EXPECT_THAT(refusal("/variants/0/block", "32 - 64"), HasSubstr("/variants/0/block: a block of -32"));
  EXPECT_THAT(refusal("/variants/0/block", {64, 32}), HasSubstr("a block of 2048 threads"));
  EXPECT_THAT(refusal("/variants/0/block", {1, 1, 65}), HasSubstr("a block of 65 along z"));
  EXPECT_THAT(refusal("/variants/0/block", "1 / 0"), HasSubstr("/variants/0/block: "));
  EXPECT_THAT(refusal("/variants/0/grid", {1, 0}), HasSubstr("/variants/0/grid: expected 1 block or more"));
  EXPECT_THAT(refusal("/variants/0/dynamic_shared_bytes", -1),
              HasSubstr("/variants/0/dynamic_shared_bytes: expected 0 bytes or more, found -1"));
  EXPECT_EQ(refusal("/variants/0/block", {32, 16, 2}), "accepted");
}

TEST_F(ReadWrapped, RefusesWhatIsNoFile) {
  EXPECT_THAT(refusal("/variants/0/code", ""), HasSubstr("/variants/0/code: expected a file; "));
  EXPECT_THAT(refusal("/variants/0/code", std::string(300, 'x')),
              HasSubstr("/variants/0/code: expected a file; "));
}

TEST_F(ReadWrapped, LaunchesNothingWithoutValuesThatFit) {
  const auto said = [&](const char* pointer, const ordered_json& value) {
    ordered_json json = add_json();
    json[ordered_json::json_pointer(pointer)] = value;
    const wrapped_file file = read(json);
    return bound_refusal(file, arrays_of(file, at_));
  };
  EXPECT_EQ(said("/flops", 1), "accepted");
  EXPECT_THAT(said("/variants/0/block", "elements + 25"), HasSubstr("a block of 1025"));
  EXPECT_THAT(said("/variants/0/arguments/3", {{"i32", "elements * 4294967296"}}), HasSubstr("does not fit"));
  EXPECT_THAT(said("/variants/0/grid", "elements - 1000"), HasSubstr("a grid of 0; expected 1 or more"));
  EXPECT_THAT(said("/variants/0/block", "elements / (elements - 1000)"), HasSubstr("division by zero"));
}

TEST_F(ReadWrapped, TellsKernelsOfOneNameApart) {
  ordered_json json = add_json();
  json["variants"].push_back(json["variants"][0]);
  json["variants"][2]["name"] = "same_file";
  EXPECT_EQ(read(json).launches[2].symbol, "add");
  files_.write("other.cubin", wrapped_test::cubin_bytes({.registers = 40}));
  json["variants"][2]["code"] = "other.cubin";
  const wrapped_file file = read(json);
  EXPECT_EQ(file.launches[0].symbol, "add@cuda");
  EXPECT_EQ(file.launches[2].symbol, "add@same_file");
}

TEST_F(ReadWrapped, KnowsWhenCodeIsAnother) {
  const std::string before = read(add_json()).hash;
  EXPECT_EQ(read(add_json()).hash, before);
  files_.write("add.cubin", wrapped_test::cubin_bytes({.registers = 13}));
  const std::string other_code = read(add_json()).hash;
  EXPECT_NE(other_code, before);
  ordered_json json = add_json();
  json["flops"] = 1;
  EXPECT_NE(read(json).hash, other_code);
}

TEST_F(ReadWrapped, RefusesWithFileAndPlace) {
  EXPECT_EQ(refusal("/operation", "a b"),
            "/operation: 'a b' is not allowed in a case id; expected letters, digits and _.=+-");
  EXPECT_THAT(refusal("/arrays/0/role", "inptu"),
              HasSubstr("/arrays/0/role: no role 'inptu' (did you mean 'input'?)"));
  EXPECT_THAT(refusal("/arrays/0/type", "float"),
              HasSubstr("/arrays/0/type: no type 'float'; expected one of 'f64'"));
  EXPECT_THAT(refusal("/arrays/0/count", "element"), HasSubstr("did you mean 'elements'?"));
  EXPECT_THAT(refusal("/arrays/0/count", "order"), HasSubstr("/arrays/0/count: 'order', column 1"));
  EXPECT_THAT(refusal("/arrays/1/name", "x"), HasSubstr("/arrays/1/name: there are two arrays 'x'"));
  EXPECT_THAT(refusal("/arrays/0/tolerance", 1), HasSubstr("only an output has it"));
  EXPECT_THAT(refusal("/arrays/2/role", "scratch"), HasSubstr("/arrays/2/tolerance"));
  EXPECT_THAT(refusal("/arrays/1/fill", {{"uniform", {2, 0}}}), HasSubstr("low first"));
  EXPECT_THAT(refusal("/arrays/1/fill/uniform", {2}), HasSubstr("expected [low, high]"));
  EXPECT_THAT(refusal("/arrays/1/fill", {{"integers", {0, 0.5}}}), HasSubstr("/arrays/1/fill/integers/1"));
  EXPECT_THAT(
      refusal("/arrays/0",
              {{"name", "x"}, {"role", "input"}, {"type", "u8"}, {"count", 1}, {"fill", {{"value", 256}}}}),
      HasSubstr("/arrays/0/fill/value: 256 is no number of type u8"));
  EXPECT_THAT(refusal("/baseline", "cuad"), HasSubstr("/baseline: no variant 'cuad' (did you mean 'cuda'?)"));
  EXPECT_THAT(refusal("/baseline", "triton"), HasSubstr("is the oracle"));
  EXPECT_THAT(refusal("/variants/0/code", "none.cubin"),
              HasSubstr("/variants/0/code: expected a file; there is no "));
  EXPECT_THAT(refusal("/variants/0/entry", "ad"),
              HasSubstr("/variants/0/entry: no kernel 'ad' (did you mean 'add'?)"));
  EXPECT_THAT(refusal("/variants/0/arguments/0/array", "z"),
              HasSubstr("/variants/0/arguments/0/array: no array 'z'"));
  EXPECT_THAT(refusal("/variants/0/arguments/3", {{"int", 1}}), HasSubstr("no type 'int'"));
  EXPECT_THAT(refusal("/variants/0/grid", {1, 2, 3, 4}), HasSubstr("x, y and z at most"));
  EXPECT_THAT(refusal("/variants/1/block", 128), HasSubstr("Triton's file says it"));
  EXPECT_THAT(refusal("/variants/1/only_where/order", "sorted"), HasSubstr("/variants/1/only_where/order"));
  EXPECT_THAT(refusal("/variants/1/name", "cuda"), HasSubstr("there are two variants 'cuda'"));
  EXPECT_THAT(refusal("/arrays/2/expected", "out_{elemnts}.npy"),
              HasSubstr("expected the name of an axis in braces"));
  EXPECT_THAT(refusal("/grid", 1), HasSubstr("grid"));
}

TEST_F(ReadWrapped, ReadsTheDocumentsExample) {
  const std::string document = test_support::slurp(test_support::source_path("docs/wrap.md"));
  const std::size_t begin = document.find("```json\n") + 8, end = document.find("```", begin);
  ASSERT_LT(begin, end);
  const ordered_json json = ordered_json::parse(document.substr(begin, end - begin));
  files_.write("add.fatbin", wrapped_test::cubin_bytes({}));
  std::filesystem::create_directories(files_.path() / "cache" / "ABC");
  for (const char* name : {"add_kernel.json", "add_kernel.cubin"})
    std::filesystem::copy_file(files_.path() / name, files_.path() / "cache" / "ABC" / name);
  const wrapped_file file = read(json);
  ASSERT_EQ(file.launches.size(), 2u);
  const spans arrays = arrays_of(file, {{"elements", "4096"}});
  EXPECT_EQ(bind_launch(file.launches[0], arrays).asked.grid.x, 16u);
  EXPECT_EQ(bind_launch(file.launches[1], arrays).asked.grid.x, 4u);
}

TEST_F(ReadWrapped, ReadsWhatIsRightFromAFile) {
  ordered_json json = add_json();
  json["arrays"][2]["expected"] = "out_{elements}.npy";
  json["arrays"][0]["fill"] = {{"file", "x.npy"}};
  const wrapped_file file = read(json);
  ASSERT_TRUE(file.operation.has_oracle());
  const axis_values two = {{"elements", "2"}, {"order", "natural"}};
  EXPECT_THROW(file.operation.answer(two), std::runtime_error);
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  header.resize(118, ' ');
  const float values[] = {1.5f, -2};
  const std::string npy = std::string("\x93NUMPY\x01\0", 8) + std::string("\x76\0", 2) + header +
                          std::string(reinterpret_cast<const char*>(values), sizeof values);
  files_.write("out_2.npy", npy);
  files_.write("x.npy", npy);
  const auto answer = file.operation.answer(two);
  ASSERT_EQ(answer.size(), 4u);
  EXPECT_EQ(std::memcmp(answer[2].data(), values, sizeof values), 0);
  EXPECT_TRUE(answer[0].empty());
  EXPECT_EQ(file.operation.arrays(two)[0].contents(1), answer[2]);
  // Of another length it is refused.
  EXPECT_THROW(file.operation.arrays(at_)[0].contents(1), bad_input);
}

}  // namespace
}  // namespace ablate::wrapped
