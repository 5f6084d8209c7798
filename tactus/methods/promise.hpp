#pragma once

#include <string_view>

#include "tactus/methods/verdict.hpp"
#include "tactus/trace/observed.hpp"

/// What a verdict promises about a run.
namespace tactus {

/// Are bounds of this variant meant to hold? Others are as printed, or as somebody's program has them.
bool is_guaranteed(std::string_view variant);

/// Does the verdict promise anything? Bounds that hold only together need a schedulable system.
bool promises(const Verdict& verdict);

/// Writes the bounds that the verdict promises into the record of a run, which is then compared
/// with them; tasks without such a promise have no bound there.
void hold_to(const Verdict& verdict, trace::Observed& observed);
/// The same of its chains only.
void hold_chains_to(const Verdict& verdict, trace::Observed& observed);

}  // namespace tactus
