#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "base/record/record.h"
#include "base/record/selection.h"
#include "base/text/json_text.h"
#include "harness/gate/findings.h"
#include "harness/gate/pair_journal.h"
#include "harness/inputs/files/point_file.h"
#include "harness/runner/journal.h"
#include "harness/wrapped/kernel_code.h"
#include "harness/wrapped/read_wrapped.h"
#include "reports/claims/claims.h"
#include "reports/gate/accepted.h"
#include "reports/gate/noise_floors.h"
#include "reports/gate/policy.h"
#include "reports/gate/static_facts.h"
#include "tests/growth/work.h"
#include "tests/harness/wrapped/made_cubin.h"
#include "tests/support/paths.h"
#include "tests/support/slurp.h"
#include "tests/support/temporary_directory.h"

// Files with ten times as many elements take about ten times the work. The work is counted, not timed: these
// tests hold on a busy machine.

namespace ablate::growth {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

/// A reader, and a file for it whose elements of one kind can be as many as one likes.
struct growing_file {
  std::string name;
  std::size_t elements;  ///< of the larger file
  std::function<std::string(std::size_t)> text;
  void (*read)(const fs::path&);
  std::string file_name = "input";
};

/// What test names are made of.
void PrintTo(const growing_file& of, std::ostream* out) { *out << of.name; }

std::string seed_text(const std::string& name) {
  return test_support::slurp(test_support::source_path("tests/fuzz/seeds/" + name));
}
ordered_json seed_json(const std::string& name) { return ordered_json::parse(seed_text(name)); }

/// "PIECE(0)SEPARATOR PIECE(1)...", n of them.
std::string repeated(std::size_t n, const std::function<std::string(std::size_t)>& piece,
                     const std::string& separator = ",") {
  std::string out;
  for (std::size_t i = 0; i < n; ++i) out += (i > 0 ? separator : "") + piece(i);
  return out;
}

/// Of a seed, with n elements or members in place of a mark.
std::function<std::string(std::size_t)> seed_with(const std::string& name, const char* pointer,
                                                  std::function<std::string(std::size_t)> list) {
  ordered_json json = seed_json(name);
  json[ordered_json::json_pointer(pointer)] = "here";
  return [text = json.dump(), list = std::move(list)](std::size_t n) {
    const std::string mark = "\"here\"";
    std::string out = text;
    return out.replace(out.find(mark), mark.size(), list(n));
  };
}

std::string array_of(std::size_t n, const std::function<std::string(std::size_t)>& element) {
  return "[" + repeated(n, element) + "]";
}
std::string object_of(std::size_t n, const std::function<std::string(std::size_t)>& value,
                      const std::string& key = "k") {
  return "{" + repeated(n, [&](std::size_t i) { return fmt::format(R"("{}{}":)", key, i) + value(i); }) + "}";
}
std::string number(std::size_t i) { return std::to_string(i); }
std::string one(std::size_t) { return "1"; }

/// Of a measured case, told apart by a value.
std::string case_text(std::size_t i) {
  static const ordered_json made = seed_json("record/whole.json")["benchmarks"][2];
  ordered_json out = made;
  out["axes"]["items"] = std::to_string(i);
  out["name"] = out["run_name"] = fmt::format("scatter/direct/items={}/layout=rows/@cold-clean", i);
  return out.dump();
}

std::string cubin_with(std::size_t kernels) {
  wrapped_test::elf_writer out;
  out.add("", SHT_NULL, {});
  const std::string parameter = wrapped_test::attribute_bytes(0x17, {0, 0, 8u << 18 | 0x1f000});
  for (std::size_t i = 0; i < kernels; ++i) {
    out.add(fmt::format(".nv.info.k{}", i), SHT_LOPROC, parameter);
    out.add(fmt::format(".text.k{}", i), SHT_PROGBITS, std::string(16, '\0'));
  }
  return out.bytes(80u << 16 | 80u, 7);
}

std::string fatbin_with(std::size_t parts) {
  const std::string cubin = wrapped_test::cubin_bytes({});
  std::string contents;
  for (std::size_t i = 0; i < parts; ++i) {
    contents += wrapped_test::object_bytes(std::uint32_t{0x01010002}) +
                wrapped_test::object_bytes(std::uint32_t{16}) +
                wrapped_test::object_bytes(std::uint64_t{cubin.size()}) + cubin;
  }
  return "\x50\xed\x55\xba" + wrapped_test::object_bytes(std::uint32_t{16u << 16 | 1}) +
         wrapped_test::object_bytes(std::uint64_t{contents.size()}) + contents;
}

std::string ptx_with(const std::string& entries) {
  return ".version 8.0\n.target sm_80\n.address_size 64\n" + entries;
}

std::string description(const std::string& axes, const std::string& arrays, const std::string& count,
                        const std::string& variants) {
  return R"({"operation": "grown", "description": "d", "axes": [{"name": "e", "minimum": 1, "maximum": 9})" +
         axes + R"(], "arrays": [{"name": "out", "role": "output", "type": "f32", "count": ")" + count +
         R"("})" + arrays + R"(], "variants": [{"name": "v"})" + variants + "]}";
}

void read_description(const fs::path& file) {
  wrapped::read_plugin_operation(test_support::slurp(file), file);
}

void read_claims_of(const fs::path& file) { read_claims(file); }
void read_whole_record(const fs::path& file) { all_case_words(read_checked_record(file)); }
void read_points(const fs::path& file) {
  visit_file_points(file, 4, 0, [](const auto&...) {});
}
void select(const fs::path& file) {
  const std::vector<case_words> cases = all_case_words(read_record(file));
  const selection chosen({"operation=scatter", "items=1"}, cases, "words");
  for (const case_words& c : cases) chosen.selects(c);
}

std::vector<growing_file> files() {
  const auto json = [](const fs::path& file) { reports::parse_json_file(file); };
  const auto code = [](const fs::path& file) { wrapped::read_kernel_code(file).entries(); };
  static const std::string kernel =
      seed_json("record/whole.json")["context"]["ablate"]["kernels"].front().dump();
  const std::string whole = "record/whole.json", told_once = "record/launches_told_once.json";
  return {
      {"json_keys", 500'000, [](std::size_t n) { return object_of(n, one); }, json},
      {"json_elements", 1'000'000, [](std::size_t n) { return array_of(n, number); }, json},
      {"json_objects", 200'000, [](std::size_t n) { return array_of(n, [](auto) { return R"({"a":{}})"; }); },
       json},
      {"record_cases", 2'000,
       seed_with(whole, "/benchmarks", [](std::size_t n) { return array_of(n, case_text); }),
       read_whole_record},
      {"record_samples", 500'000,
       seed_with(whole, "/benchmarks/2/time_us/samples", [](std::size_t n) { return array_of(n, one); }),
       read_whole_record},
      {"record_counters", 50'000,
       seed_with(
           whole, "/benchmarks/2/counters",
           [](std::size_t n) {
             return R"({"set": "core", "reason": null, "missing": {}, "coherent": true, "output": "ok", "values": )" +
                    object_of(n, one) + R"(, "kernels": []})";
           }),
       read_whole_record},
      {"record_counter_columns", 50'000,
       [told_once](std::size_t n) {
         ordered_json record = seed_json(told_once), columns = ordered_json::array();
         for (std::size_t i = 0; i < n; ++i) columns.push_back(fmt::format("c{}", i));
         ordered_json& lists = record["context"]["ablate"]["counter_columns"];
         ordered_json& counters = record["benchmarks"][2]["counters"];
         counters["columns"] = lists.size();
         lists.push_back(std::move(columns));
         counters["values"] = std::vector<int>(n, 1);
         counters["kernels"] = {std::vector<int>(n, 1)};
         counters["missing"] = ordered_json::object();
         return record.dump();
       },
       read_whole_record},
      {"record_kernels", 50'000,
       seed_with(whole, "/context/ablate/kernels",
                 [](std::size_t n) { return object_of(n, [](auto) { return kernel; }); }),
       read_whole_record},
      {"record_axes", 50'000,
       seed_with(whole, "/benchmarks/2/axes",
                 [](std::size_t n) {
                   return object_of(
                       n, [](auto) { return "\"1\""; }, "axis");
                 }),
       [](const fs::path& file) { read_record(file); }},
      {"selection", 2'000,
       seed_with(whole, "/benchmarks", [](std::size_t n) { return array_of(n, case_text); }), select},
      {"claims", 10'000,
       seed_with("claims/every_key.json", "/claims",
                 [](std::size_t n) {
                   return array_of(n, [](std::size_t i) {
                     static ordered_json claim = seed_json("claims/every_key.json")["claims"][0];
                     claim["id"] = fmt::format("c{}", i);
                     return claim.dump();
                   });
                 }),
       read_claims_of},
      {"accepted", 50'000,
       seed_with("accepted/both.json", "/accepted",
                 [](std::size_t n) {
                   return array_of(n, [](auto) {
                     return R"({"case": "a", "quantity": "time", "up_to": 4, "reason": "r"})";
                   });
                 }),
       [](const fs::path& file) { gate::read_accepted_of_cases(file, {"time"}); }},
      {"floors", 50'000,
       seed_with("floors/made.json", "/cases",
                 [](std::size_t n) {
                   return object_of(
                       n, [](auto) { return R"({"floor_pct": 1, "baseline_us": 6, "effects": [0.1]})"; });
                 }),
       [](const fs::path& file) { gate::read_floors(file); }},
      {"static_facts", 20'000,
       seed_with("static_facts/baseline.json", "/kernels",
                 [](std::size_t n) {
                   return object_of(n, [](auto) {
                     return R"({"code": {"sm_80": {"resources": {"registers": 8}}}, "launches": []})";
                   });
                 }),
       [](const fs::path& file) { gate::read_static_facts(file); }},
      {"journal", 50'000,
       [](std::size_t n) {
         return repeated(
                    n,
                    [](std::size_t i) {
                      return fmt::format(
                          R"({{"key": "{:016x}", "case": {{"name": "c{}", "status": "failed", "reason": "r"}}}})",
                          i, i);
                    },
                    "\n") +
                "\n";
       },
       [](const fs::path& file) { read_journal(file); }, "journal.jsonl"},
      {"findings", 100'000,
       [](std::size_t n) {
         return repeated(
                    n, [](auto) { return R"({"date": "2026-01-01", "effects": {"a": 0.1}})"; }, "\n") +
                "\n";
       },
       [](const fs::path& file) { gate::read_findings(file); }},
      {"pair_journal", 5'000,
       [](std::size_t n) {
         const std::string seed = seed_text("pair_journal/gate.jsonl"),
                           begin = seed.substr(0, seed.find('\n'));
         const std::size_t at = seed.find('\n') + 1;
         ordered_json pair = ordered_json::parse(seed.substr(at, seed.find('\n', at) - at));
         return begin + "\n" +
                repeated(
                    n,
                    [&](std::size_t i) {
                      pair["pair"] = i + 1;
                      return pair.dump();
                    },
                    "\n") +
                "\n";
       },
       [](const fs::path& file) {
         gate::pair_journal(file, {{"suite", "made"}}, true).seconds();
       }},
      {"cubin", 20'000, cubin_with, code},
      {"fatbin", 5'000, fatbin_with, code},
      {"ptx_entries", 50'000,
       [](std::size_t n) {
         return ptx_with(repeated(
             n, [](std::size_t i) { return fmt::format(".entry k{}(.param .u64 p) {{}}", i); }, "\n"));
       },
       code},
      {"ptx_parameters", 100'000,
       [](std::size_t n) {
         return ptx_with(".entry k(" + repeated(n, [](auto) { return ".param .u64 p"; }) + ") {}");
       },
       code},
      {"wrapped_axes", 20'000,
       [](std::size_t n) {
         return description(repeated(
                                n,
                                [](std::size_t i) {
                                  return fmt::format(R"(,{{"name": "a{}", "minimum": 0, "maximum": 1}})", i);
                                },
                                ""),
                            "", "e", "");
       },
       read_description},
      {"wrapped_arrays", 50'000,
       [](std::size_t n) {
         return description("",
                            repeated(
                                n,
                                [](std::size_t i) {
                                  return fmt::format(
                                      R"(,{{"name": "a{}", "role": "scratch", "type": "u8", "count": "e"}})",
                                      i);
                                },
                                ""),
                            "e", "");
       },
       read_description},
      {"wrapped_variants", 50'000,
       [](std::size_t n) {
         return description(
             "", "", "e",
             repeated(
                 n, [](std::size_t i) { return fmt::format(R"(,{{"name": "v{}"}})", i); }, ""));
       },
       read_description},
      {"expression", 200'000,
       [](std::size_t n) {
         return description("", "",
                            repeated(
                                n, [](auto) { return "e"; }, "+"),
                            "");
       },
       read_description},
      {"text_points", 100'000,
       [](std::size_t n) {
         return fmt::format(
                    "ply\nformat ascii 1.0\nelement vertex {}\nproperty float x\nproperty float y\nproperty "
                    "float z\nend_header\n",
                    n) +
                repeated(
                    n, [](auto) { return "1 2 3\n"; }, "");
       },
       read_points, "input.ply"},
      {"ply_properties", 2'000,
       [](std::size_t n) {
         return "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float "
                "z\n" +
                repeated(
                    n, [](std::size_t i) { return fmt::format("property float p{}\n", i); }, "") +
                "end_header\n1 2 3" +
                repeated(
                    n, [](auto) { return " 0"; }, "") +
                "\n";
       },
       read_points, "input.ply"},
  };
}

class ReadersGrowth : public ::testing::TestWithParam<growing_file> {
 protected:
  std::uint64_t work_of(std::size_t elements) const {
    const growing_file& of = GetParam();
    const fs::path file = files_.write(of.file_name, of.text(elements));
    const std::uint64_t before = executed_blocks();
    of.read(file);
    return executed_blocks() - before;
  }

  test_support::temporary_directory files_;
};

/// n log n included.
constexpr double max_growth = 13;

TEST_P(ReadersGrowth, IsThatOfTheFile) {
  const std::size_t elements = GetParam().elements;
  const std::uint64_t tenth = work_of(elements / 10), whole = work_of(elements);
  ASSERT_GT(tenth, elements / 10) << "the reader is not instrumented, or reads no elements";
  EXPECT_LE(static_cast<double>(whole), max_growth * static_cast<double>(tenth));
}

INSTANTIATE_TEST_SUITE_P(Of, ReadersGrowth, ::testing::ValuesIn(files()),
                         [](const auto& of) { return of.param.name; });

TEST(Growth, OfASearchAmongAllBeforeIsSeen) {
  const auto work_of = [](std::uint64_t n) {
    const std::uint64_t before = executed_blocks();
    EXPECT_EQ(distinct_by_search(n), n);
    return static_cast<double>(executed_blocks() - before);
  };
  EXPECT_GT(work_of(10'000), max_growth * work_of(1'000));
}

}  // namespace
}  // namespace ablate::growth
