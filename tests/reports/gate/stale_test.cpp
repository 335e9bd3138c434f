#include "reports/gate/stale.h"

#include <gtest/gtest.h>

#include "tests/reports/made_record.h"

namespace ablate::gate::stale_test {
namespace {

record record_with(std::vector<std::pair<std::string, compiled_kernel>> kernels) {
  record r = read_record(reports::made_record_path());  // of sm_90a
  r.kernels.clear();
  for (auto& [name, facts] : kernels) r.kernels.push_back({name, {{"sm_80", {}}, {"sm_90a", facts}}});
  return r;
}

TEST(StaleKernels, AreToldByTheirResourcesOnTheDevice) {
  static_facts_file tree;
  tree.kernels["ablate::same(int)"].code["sm_90a"].resources = {{"registers", 32}};
  tree.kernels["void ablate::spills<int>()"].code["sm_90a"].resources = {{"registers", 32},
                                                                         {"spill_bytes", 24}};
  tree.kernels["ablate::grew()"].code["sm_90a"].resources = {{"registers", 40}};
  tree.kernels["ablate::elsewhere()"].code["sm_80"].resources = {{"registers", 32}};
  const compiled_kernel plain{32, 0, 0, 0, 0}, spilling{32, 8, 16, 0, 0};
  const record r = record_with({{"ablate::same(int)", plain},
                                {"void ablate::spills<int>()", spilling},
                                {"ablate::grew()", plain},
                                {"ablate::elsewhere()", plain},
                                {"ablate::renamed()", plain},
                                {"void cub::scan<ablate::sum>()", plain}});
  const kernel_states states = states_of_kernels(r, tree);
  EXPECT_EQ(states.same, 2u);
  EXPECT_EQ(states.changed, 2u);
  EXPECT_EQ(states.gone, 1u);
  EXPECT_TRUE(states.is_stale());
  EXPECT_EQ(states.text(),
            "of 5 kernels 2 have the same resources as in this tree, 2 are changed, 1 no longer exist");
}

TEST(StaleKernels, ARecordOfTheTreeIsNotStale) {
  static_facts_file tree;
  tree.kernels["ablate::same()"].code["sm_90a"].resources = {{"registers", 32}, {"static_shared_bytes", 128}};
  EXPECT_FALSE(states_of_kernels(record_with({{"ablate::same()", {32, 0, 0, 0, 128}}}), tree).is_stale());
  EXPECT_TRUE(states_of_kernels(record_with({{"ablate::same()", {32, 0, 0, 0, 64}}}), tree).is_stale());
  EXPECT_FALSE(states_of_kernels(record_with({}), tree).is_stale());
}

}  // namespace
}  // namespace ablate::gate::stale_test
