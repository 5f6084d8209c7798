#include "tactus/host/driver_symbols.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace tactus::host {
namespace {

TEST(DriverSymbols, KnowAFunctionOfTheDriverWithItsSuffixes) {
  EXPECT_STREQ(driver_name("cuLaunchKernel").base, "cuLaunchKernel");
  EXPECT_STREQ(driver_name("cuMemcpyHtoD_v2").base, "cuMemcpyHtoD");
  EXPECT_STREQ(driver_name("cuMemcpyHtoDAsync_v2_ptsz").base, "cuMemcpyHtoDAsync");
  EXPECT_STREQ(driver_name(std::string(100, 'x').c_str()).base, "");
  EXPECT_STREQ(driver_name("_v2").base, "_v2");
}

TEST(DriverSymbols, FindWhatDlsymFinds) {
  EXPECT_EQ(real_dlsym()(RTLD_DEFAULT, "malloc"), dlsym(RTLD_DEFAULT, "malloc"));
}

TEST(DriverSymbols, KnowTheirOwnCode) {
  EXPECT_TRUE(is_in_this_library(reinterpret_cast<void*>(&driver_name)));
  // Not malloc: a sanitizer has one of its own.
  EXPECT_FALSE(is_in_this_library(dlsym(RTLD_DEFAULT, "gnu_get_libc_version")));
}

TEST(DriverSymbols, GiveEachFormOfAFunctionAPlaceOfItsOwn) {
  Forms forms{};
  int functions[kForms + 1];
  for (int round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i < kForms; ++i) EXPECT_EQ(place_of(&functions[i], forms), i);
  }
  EXPECT_EQ(place_of(&functions[kForms], forms), kForms);
}

}  // namespace
}  // namespace tactus::host
