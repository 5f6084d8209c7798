#pragma once

#include <span>
#include <string_view>

#include "tactus/base/json.hpp"

namespace tactus::report {

/// What a document is: its own word for it ("verdict", "plan", ...), which lives as long as `root`.
/// Systems and traces do not say it and are known by their members: "system", "trace". Empty: not
/// one of ours.
std::string_view kind_of_document(const json::Value& root);

/// Was it written by a tactus whose documents did not say yet what they are? Then it must be made
/// again.
bool is_of_old(const json::Value& root);

/// A kind of document that can be joined to others, and under which name they are listed there.
struct Joinable {
  std::string_view kind, list;
  std::string_view member;  ///< that it has, if it is whole
};
std::span<const Joinable> joinable_documents();
/// Null where it is none of them.
const Joinable* find_joinable(std::string_view kind);

}  // namespace tactus::report
