#pragma once

#include <cstddef>
#include <cstdint>

#include "tactus/host/shared_memory.hpp"

namespace tactus::arbiter::client {

/// An answer about reservations: a word for programs, a text for people, a JSON document, each ending
/// with a zero.
struct AskedAnswer {
  host::SharedMemory memory;
  const char *word = "", *text = "", *json = "";
  /// Why there is none; then the rest is empty.
  const char* problem = nullptr;

  bool says(const char* what) const;
};

/// Asks the arbiter, on a connection of its own, and waits: an analysis may take a second.
/// @param path null: the usual place
/// @param request JSON (docs/use/reservations.md), so many bytes of it
AskedAnswer ask_arbiter(const char* path, const char* request, std::size_t size,
                        std::int64_t patience_ns = 20'000'000'000);

}  // namespace tactus::arbiter::client
