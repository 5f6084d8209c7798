# The toolchain of the preset `arm64`: Debian's cross compiler, the libraries of a sysroot
# (tools/arm64-sysroot makes it), and qemu-user to run what is built.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

if(DEFINED ENV{TACTUS_ARM64_SYSROOT})
  set(sysroot $ENV{TACTUS_ARM64_SYSROOT})
else()
  get_filename_component(sysroot "${CMAKE_CURRENT_LIST_DIR}/../build-arm64-sysroot" ABSOLUTE)
endif()
if(NOT EXISTS ${sysroot}/usr/lib/aarch64-linux-gnu/libc.so)
  message(FATAL_ERROR "${sysroot} holds no arm64 libraries: tools/arm64-sysroot makes it")
endif()
set(CMAKE_SYSROOT ${sysroot})
set(CMAKE_FIND_ROOT_PATH ${sysroot})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${sysroot})
set(ENV{PKG_CONFIG_LIBDIR} ${sysroot}/usr/lib/aarch64-linux-gnu/pkgconfig:${sysroot}/usr/share/pkgconfig)

# Not qemu's own option -L: it would also turn the files that programs open towards the sysroot.
get_filename_component(CMAKE_CROSSCOMPILING_EMULATOR "${CMAKE_CURRENT_LIST_DIR}/../tools/with-arm64" ABSOLUTE)
