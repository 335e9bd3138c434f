#include "base/process/interrupt_watch.h"

#include <gtest/gtest.h>

#include "base/process/child_process.h"

namespace ablate::process::interrupt_watch_test {
namespace {

TEST(InterruptWatch, NotesBothSignals) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const interrupt_watch watch;
    EXPECT_FALSE(interrupt_watch::interrupted());
    raise(signal);
    EXPECT_TRUE(interrupt_watch::interrupted());
  }
}

TEST(InterruptWatch, GivesTheSignalsBack) {
  child_process child([] {
    { const interrupt_watch watch; }
    return raise(SIGTERM);
  });
  EXPECT_EQ(child.wait().signal, SIGTERM);
}

TEST(InterruptWatch, DoesNotReachIntoACopyOfTheProcess) {
  const interrupt_watch watch;
  child_process child([] { return raise(SIGINT); });
  EXPECT_EQ(child.wait().signal, SIGINT);
}

}  // namespace
}  // namespace ablate::process::interrupt_watch_test
