#include <gtest/gtest.h>

#include "tactus/arbiter/exec/exec.hpp"

namespace tactus::arbiter::exec {
namespace {

TEST(PreloadList, HasOurLibraryInFrontOfOthers) {
  EXPECT_EQ(preload_list("/t/own.so", ""), "/t/own.so");
  EXPECT_EQ(preload_list("/t/own.so", "libjemalloc.so.2"), "/t/own.so:libjemalloc.so.2");
  EXPECT_EQ(preload_list("/t/own.so", "/a/x.so /b/y.so::/c/z.so"),
            "/t/own.so:/a/x.so:/b/y.so:/c/z.so");
}

TEST(PreloadList, HasSanitizersFirstBecauseTheyInsistOnIt) {
  EXPECT_EQ(preload_list("/t/own.so", "/a/x.so:/usr/lib/libasan.so.8:libtsan.so.2"),
            "/usr/lib/libasan.so.8:libtsan.so.2:/t/own.so:/a/x.so");
  EXPECT_EQ(preload_list("/t/own.so", "/l/libclang_rt.asan-x86_64.so"),
            "/l/libclang_rt.asan-x86_64.so:/t/own.so");
}

}  // namespace
}  // namespace tactus::arbiter::exec
