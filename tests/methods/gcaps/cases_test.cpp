#include <gtest/gtest.h>

namespace {
TEST(Placeholder, Compiles) {}
}  // namespace
