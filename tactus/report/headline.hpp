#pragma once

#include <string>
#include <string_view>

#include "tactus/model/written.hpp"
#include "tactus/report/analysis.hpp"

namespace tactus {
namespace report {

/// What every page and every document says first of a system, in the same words.
struct Headline {
  enum class State {
    kRunsHere,   ///< proved, and what tactus starts here covers the proof
    kNeeds,      ///< proved, but not for what is started as things are
    kNotProved,  ///< not every deadline is proved
    kUndecided,
  };
  State state = State::kUndecided;
  std::string text;   ///< one sentence, without a full stop
  std::string needs;  ///< of kNeeds: what
  std::string now;    ///< of kNeeds: what is there instead; empty where there is no more to say
};

Headline headline_of(const Analysis& analysis);

std::string_view to_string(Headline::State state);  ///< "runs here", "needs", ...

}  // namespace report

/// With what no proof of the system covers.
template <>
std::span<const Field<report::Headline>> fields<report::Headline>();

}  // namespace tactus
