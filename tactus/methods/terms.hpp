#pragma once

#include <vector>

#include "tactus/methods/verdict.hpp"

namespace tactus {

/// More summands of one bound than a person reads. A bound may have one per task, so that a system
/// of 10^5 tasks would have 10^10 of them: they must not all be kept.
inline constexpr std::size_t kMostTerms = 200;

/// Terms that add up to the same, about `kMostTerms` of them: of those that other tasks cause, the
/// largest stay as they are, and the small ones of the same kind become one, caused by no task in
/// particular. Nothing happens to a list that is short already.
std::vector<Term> readable_terms(std::vector<Term> terms);

}  // namespace tactus
