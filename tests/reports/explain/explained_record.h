#pragma once

#include "base/record/record_file.h"
#include "tests/reports/graded_record.h"

namespace ablate::explain {

/// The made record of reports::graded_record, of no machine, with switches (direct: merge off; merged: merge
/// on; sorted: merge on and sort on), buffers, FLOPs and counters of them.
inline record explained_record(const std::filesystem::path& folder) {
  using nlohmann::ordered_json;
  ordered_json made = reports::parse_record_file(reports::graded_record(folder));
  for (ordered_json& entry : made["benchmarks"]) {
    if (entry.contains("ceiling")) continue;
    const std::string variant = entry["variant"];
    entry["switches"] = {{"merge", variant == "direct" ? "off" : "on"}};
    if (variant == "sorted") entry["switches"]["sort"] = "on";
    entry["memory"] = {{"bytes", 4096 + 1536}, {"buffers", {{"rows", 1536}, {"items", 4096}}}};
    entry["work"]["flops"] = 1000000;
    entry["work"]["atomics"] = 4000;
    entry["floors"]["flops_us"] = 0.5;
    entry["floors"]["atomics_us"] = nullptr;
    entry["instrumented"]["atomics"] = 5000;
    if (!entry["counters"]["values"].empty())
      for (const auto& [name, value] :
           {std::pair("sm__ops_path_tensor_op_hmma_src_bf16_dst_fp32_sparsity_off.sum", 1500000),
            {"sm__ops_path_tensor_src_int8_sparsity_off.sum", 77},
            {"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", 100000},
            {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 200000}}) {
        entry["counters"]["values"][name] = value;
        entry["counters"]["kernels"][0]["values"][name] = 0;  // the kernel that clears computes nothing
        entry["counters"]["kernels"][1]["values"][name] = value;
      }
  }
  std::ofstream(folder / "record.json", std::ios::binary) << made.dump();
  return read_record(folder / "record.json");
}

}  // namespace ablate::explain
