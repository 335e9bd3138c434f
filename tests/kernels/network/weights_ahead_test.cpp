// Which weights are fetched beside which step: each byte once, and before a layer needs it.
#include "kernels/network/weights_ahead.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/backbone/networks.h"

namespace ablate::backbone {
namespace {

network pass_of(const char* name, layer_form form = layer_form::joined) {
  return network_of(model_of(name), {23'091}, {}, form);
}

std::int64_t end_of_matrix(const network& n, int layer) {
  const auto elements = std::int64_t{n.layer_at(layer).inputs} * n.layer_at(layer).outputs;
  return 2 * (n.place_at(layer).matrix + elements);
}

TEST(BackboneWeightsAhead, AreThereBeforeALayerAsksForThemAndFetchedOnce) {
  for (const char* name : {"flash19", "flash46", "flash129", "small"}) {
    SCOPED_TRACE(name);
    const network n = pass_of(name);
    const std::vector<byte_range> all = weights_fetched_beside(n);
    ASSERT_EQ(all.size(), n.steps.size());
    std::int64_t fetched = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const step& s = n.steps[i];
      // What is fetched beside a step is for later ones.
      for (const int layer : {s.layer, s.second})
        if (layer >= 0 && n.layer_at(layer).kind == layer_kind::linear) {
          EXPECT_LE(end_of_matrix(n, layer), fetched) << s.name;
        }
      if (all[i].is_empty()) continue;
      EXPECT_TRUE(i == 0 || s.kind == step_kind::attention) << s.name;
      EXPECT_EQ(all[i].begin, fetched) << s.name;
      EXPECT_GT(all[i].end, all[i].begin) << s.name;
      EXPECT_EQ(all[i].begin % 16, 0) << s.name;
      fetched = all[i].end;
    }
    EXPECT_LE(fetched, 2 * n.weights.matrix_elements);
  }
}

/// Few launches where layers need little, and no more at once than L2 has room for.
TEST(BackboneWeightsAhead, AreFetchedInFewLaunchesOfBoundedSize) {
  const network n = pass_of("flash19");
  int launches = 0;
  for (const byte_range& bytes : weights_fetched_beside(n)) {
    launches += !bytes.is_empty();
    EXPECT_LE(bytes.end - bytes.begin, max_bytes_ahead);
  }
  EXPECT_EQ(launches, 3);  // 39 MB
}

}  // namespace
}  // namespace ablate::backbone
