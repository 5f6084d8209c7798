#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "tactus/base/result.hpp"

namespace tactus {

/// Something to say about a text that is read; the reader leaves its name to those who asked.
using Diagnostic = Error;

/// `file:line:col: message`, the one form of every complaint about a file.
std::string to_string(const Error& error, std::string_view file);

/// The same in its own file; without one, the message.
std::string to_string(const Error& error);

/// `text` between back quotes, on one line and short whatever it holds: control characters are
/// escaped (a name in a file must not control the terminal) and long text is cut.
std::string quote(std::string_view text);

/// Edits (insert, delete, replace, swap neighbours) between two words, at most `limit` + 1.
int edit_distance(std::string_view a, std::string_view b, int limit);

/// The candidate closest to a misspelt `word`, or empty if none is close enough.
template <typename Candidates>
std::string_view closest(std::string_view word, const Candidates& candidates) {
  constexpr std::size_t kLongestWord = 100;  // the distance takes quadratic time
  // About every third letter may be wrong, but never all of them.
  int best = static_cast<int>(std::min(word.size() + 1, std::size_t{6}) / 3);
  std::string_view found;
  if (word.size() > kLongestWord) return found;
  for (std::string_view candidate : candidates) {
    const int distance = edit_distance(word, candidate, best);
    if (distance > best || (distance == best && !found.empty())) continue;
    best = distance;
    found = candidate;
  }
  return found;
}

/// "; did you mean `x`?" or nothing.
template <typename Candidates>
std::string suggestion(std::string_view word, const Candidates& candidates) {
  const std::string_view meant = closest(word, candidates);
  return meant.empty() ? std::string() : "; did you mean " + quote(meant) + "?";
}

}  // namespace tactus
