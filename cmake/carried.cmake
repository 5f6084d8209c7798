# Libraries that the program `tactus` carries inside. Linked as shared libraries they make half of the
# CPU time of a small `tactus analyze`: each is mapped, and thousands of names are looked up. Whatever
# else is built (tests, libtactus.so) links them shared, as usual.
#
#     tactus_carried(GMP PkgConfig::gmpxx gmpxx gmp)
#
# sets GMP to the target, or, for a program with the property TACTUS_CARRIES, to the archives.
option(TACTUS_CARRY "Put the libraries that tactus needs into the program, where they can be" ON)
if(TACTUS_SANITIZE)  # the sanitizers look into shared libraries only
  set(TACTUS_CARRY OFF)
endif()

# For what has the C++ library inside: without the parts of it that nobody calls. One of them would ask
# for a C library newer than any on which the program otherwise runs (tools/check-abi).
set(TACTUS_ONLY_WHAT_IS_USED -Wl,--gc-sections)

define_property(TARGET PROPERTY TACTUS_CARRIES BRIEF_DOCS "Does this program carry its libraries?")

function(tactus_carried variable target)
  set(${variable} ${target} PARENT_SCOPE)
  if(NOT TACTUS_CARRY)
    return()
  endif()
  foreach(name IN LISTS ARGN)
    if(TARGET ${name} AND NOT name STREQUAL target)
      list(APPEND archives ${name})
      continue()
    endif()
    find_library(TACTUS_${name}_ARCHIVE lib${name}.a)
    mark_as_advanced(TACTUS_${name}_ARCHIVE)
    if(NOT TACTUS_${name}_ARCHIVE)
      return()
    endif()
    list(APPEND archives ${TACTUS_${name}_ARCHIVE})
  endforeach()
  set(carries "$<BOOL:$<TARGET_PROPERTY:TACTUS_CARRIES>>")
  list(TRANSFORM archives REPLACE "(.+)" "$<BUILD_INTERFACE:$<${carries}:\\1>>")
  set(${variable} ${archives} "$<BUILD_INTERFACE:$<$<NOT:${carries}>:${target}>>"
      $<INSTALL_INTERFACE:${target}> PARENT_SCOPE)
endfunction()

# Debian has no archive of fmt, but the sources of one in its headers.
if(TACTUS_CARRY AND fmt_VERSION VERSION_GREATER_EQUAL 9 AND fmt_VERSION VERSION_LESS 10)
  add_library(tactus_fmt STATIC cmake/fmt.cpp)
  target_include_directories(tactus_fmt SYSTEM PUBLIC
                             $<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>)
  tactus_carried(TACTUS_FMT fmt::fmt tactus_fmt)
else()
  set(TACTUS_FMT fmt::fmt)
endif()
tactus_carried(TACTUS_GMP PkgConfig::gmpxx gmpxx gmp)
tactus_carried(TACTUS_SQLITE SQLite::SQLite3 sqlite3)
tactus_carried(TACTUS_YAML yaml-cpp yaml-cpp)
tactus_carried(TACTUS_ZLIB ZLIB::ZLIB z)
add_library(tactus_expat_entropy STATIC cmake/expat_entropy.cpp)
tactus_carried(TACTUS_EXPAT EXPAT::EXPAT expat tactus_expat_entropy)
# libtactus.so carries it, too, where it can: the shared one asks for glibc 2.36. The archive of Debian 13 is
# for programs only.
if(TACTUS_CARRY AND TACTUS_expat_ARCHIVE)
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_FLAGS -fPIC)
  set(CMAKE_REQUIRED_LINK_OPTIONS -shared)
  set(CMAKE_REQUIRED_LIBRARIES ${TACTUS_expat_ARCHIVE})
  check_cxx_source_compiles("#include <expat.h>
    void* parser() { return XML_ParserCreate(nullptr); }
    int main() {}" TACTUS_EXPAT_FOR_LIBRARIES)
  unset(CMAKE_REQUIRED_FLAGS)
  unset(CMAKE_REQUIRED_LINK_OPTIONS)
  unset(CMAKE_REQUIRED_LIBRARIES)
endif()
if(TACTUS_EXPAT_FOR_LIBRARIES)
  set(TACTUS_EXPAT "$<BUILD_INTERFACE:${TACTUS_expat_ARCHIVE};tactus_expat_entropy>"
      $<INSTALL_INTERFACE:EXPAT::EXPAT>)
endif()
tactus_carried(TACTUS_MD PkgConfig::libmd md)
tactus_carried(TACTUS_UTF8PROC PkgConfig::utf8proc utf8proc)

# The program itself, and the C++ library where nothing else brings the shared one along.
function(tactus_carry program)
  if(NOT TACTUS_CARRY)
    return()
  endif()
  set_target_properties(${program} PROPERTIES TACTUS_CARRIES ON)
  if(TARGET tactus_fmt AND TACTUS_gmpxx_ARCHIVE)
    target_link_options(${program} PRIVATE -static-libstdc++ -static-libgcc
                        ${TACTUS_ONLY_WHAT_IS_USED})
  endif()
endfunction()
