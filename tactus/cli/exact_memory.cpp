#include "tactus/cli/exact_memory.hpp"

#include <gmp.h>

#include <cstdlib>
#include <new>

namespace tactus::cli {
namespace {

/// GMP cannot be left by an exception, so there is no other end than that of the program.
void* must_be_there(void* place) {
  if (place != nullptr) return place;
  if (const std::new_handler handler = std::get_new_handler()) handler();
  std::abort();
}

}  // namespace

void take_exact_numbers_as_own_memory() {
  mp_set_memory_functions([](std::size_t size) { return must_be_there(std::malloc(size)); },
                          [](void* place, std::size_t, std::size_t size) {
                            return must_be_there(std::realloc(place, size));
                          },
                          [](void* place, std::size_t) { std::free(place); });
}

}  // namespace tactus::cli
