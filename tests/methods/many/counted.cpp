#include "tests/methods/many/counted.hpp"

#include <cstdlib>
#include <new>

namespace {

thread_local std::size_t g_allocations = 0;

}  // namespace

namespace tactus::tests {

std::size_t allocations() { return g_allocations; }

}  // namespace tactus::tests

// Of the whole program. In a file of their own: where a compiler sees both, it takes them for a pair
// that does not match.
void* operator new(std::size_t size) {
  ++g_allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
