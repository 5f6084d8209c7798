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
  EXPECT_FALSE(driver_name("cuMemcpyHtoD_v2").per_thread);
  EXPECT_STREQ(driver_name("cuMemcpyHtoDAsync_v2_ptsz").base, "cuMemcpyHtoDAsync");
  EXPECT_TRUE(driver_name("cuMemcpyHtoDAsync_v2_ptsz").per_thread);
  EXPECT_TRUE(driver_name("cuMemcpy_ptds").per_thread);
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

}  // namespace
}  // namespace tactus::host
