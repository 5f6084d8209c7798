#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tactus/tactus.h"
#include "tactus/verbs/answer.hpp"

/// How answers are made: whatever happens inside, the caller gets one.
struct tactus_answer {
  int status = TACTUS_UNKNOWN;
  std::optional<std::string> document;
  std::string problems;
};

namespace tactus::api {

/// The texts that the caller gave us, by the names that problems give them.
struct Sources {
  struct Source {
    std::string name;
    const char* text;
  };
  std::vector<Source> texts;
};

tactus_answer* answer_with(int status, std::string document,
                           const std::vector<Error>& problems = {}, const Sources& sources = {});
tactus_answer* answer_without(const verbs::NoAnswer& none, const Sources& sources = {});

/// Whatever `make` throws becomes an answer too.
tactus_answer* guarded(tactus_answer* (*make)(void* context), void* context) noexcept;

template <typename Make>
tactus_answer* guarded(const Make& make) noexcept {
  return guarded([](void* context) { return (*static_cast<const Make*>(context))(); },
                 const_cast<Make*>(&make));
}

}  // namespace tactus::api
