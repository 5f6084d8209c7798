#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tactus/methods/verdict.hpp"
#include "tactus/model/written.hpp"
#include "tactus/report/text/terminal.hpp"

namespace tactus {
namespace report {

/// What a verdict says from end to end: the latency of each path of `after`, and the chains. Empty
/// where the file has neither.
std::string end_to_end_text(const Verdict& verdict, const System& system, const Style& style);

/// Of the chain that `whose` names ("chain see-steer", as the least slack does): its bound, its limit
/// and its longest parts. Empty where it names none.
std::string chain_made_of(const Verdict& verdict, const System& system, std::string_view whose);

/// A chain of a verdict in its document.
struct ChainRow {
  const Verdict& verdict;
  const ChainVerdict& found;
};
std::vector<ChainRow> chain_rows(const Verdict& verdict);
inline constexpr std::string_view kChainsDoc =
    "The chains of the file; schedulable means that they hold, too";

}  // namespace report

template <>
std::span<const Field<report::ChainRow>> fields<report::ChainRow>();

}  // namespace tactus
