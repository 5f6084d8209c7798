#include "tactus/arbiter/preload/driver.hpp"

#include <gtest/gtest.h>

namespace tactus::arbiter::preload {
namespace {

TEST(Driver, ReadsTheVersionOfTheOpenKernelModule) {
  const Driver driver = parse_driver(
      "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build  "
      "(builder@host)  Tue Oct 7\nGCC version:  gcc version 13.3.0 (Ubuntu)\n");
  EXPECT_EQ(driver.version, "580.159.04");
  EXPECT_TRUE(driver.supported);
}

TEST(Driver, ReadsTheVersionOfTheClosedKernelModule) {
  const Driver driver = parse_driver(
      "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  Sun Jul 27 07:00:02 UTC 2025\n");
  EXPECT_EQ(driver.version, "580.65.06");
  EXPECT_TRUE(driver.supported);
}

TEST(Driver, RefusesBranchesThatWereNotMeasured) {
  const Driver driver =
      parse_driver("NVRM version: NVIDIA UNIX x86_64 Kernel Module  595.45.04  Sun\n");
  EXPECT_EQ(driver.version, "595.45.04");
  EXPECT_FALSE(driver.supported);
  EXPECT_NE(driver.reason.find("595.45.04"), std::string::npos);
}

TEST(Driver, SaysWhenThereIsNone) {
  EXPECT_EQ(parse_driver("").reason, "no NVIDIA driver is loaded");
  EXPECT_FALSE(parse_driver("NVRM version: nonsense\n").supported);
}

}  // namespace
}  // namespace tactus::arbiter::preload
