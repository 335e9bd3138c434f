#include "harness/wrapped/triton.h"

#include <fmt/format.h>

#include "base/text/bad_input.h"
#include "base/text/json_place.h"
#include "base/text/json_text.h"

namespace ablate::wrapped {

triton_kernel read_triton(const std::filesystem::path& path) {
  constexpr int warp_size = 32;
  constexpr std::int64_t max_bytes = std::int64_t{1} << 40;
  const std::string file = path.string();
  const nlohmann::ordered_json document = reports::parse_json_file(path);
  const reports::json_place root(document, file);
  triton_kernel out;
  // Versions of Triton have added keys; only those that a launch needs are read.
  if (const auto target = root.find("target"))
    if (const auto backend = target->find("backend"); backend && backend->text() != "cuda")
      backend->refuse_value("\"cuda\"");
  out.entry = root.at("name").text();
  out.threads = warp_size * static_cast<int>(root.at("num_warps").integer(1, 32));
  out.shared_bytes = root.at("shared").integer(0, max_bytes);
  if (const auto blocks = root.find("num_ctas"))
    out.cluster_blocks = static_cast<int>(blocks->integer(1, 16));
  if (const auto cooperative = root.find("launch_cooperative_grid")) out.cooperative = cooperative->boolean();
  if (const auto bytes = root.find("global_scratch_size"); bytes && !bytes->is_null())
    out.global_scratch_bytes = bytes->integer(0, max_bytes);
  out.code = path;
  out.code.replace_extension(".cubin");
  if (!std::filesystem::exists(out.code))
    throw bad_input(file, "",
                    fmt::format("expected its machine code beside it; there is no {}", out.code.string()));
  return out;
}

}  // namespace ablate::wrapped
