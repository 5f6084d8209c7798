#pragma once

#include <vector>

#include "tactus/decide/advise.hpp"

/// Nothing works: what is the smallest change that would?
namespace tactus::decide {

/// One change of the file after which `advise` finds a way to run it.
struct Remedy {
  const Method* method = nullptr;  ///< that proves it then
  Reach reach;                     ///< `now` does not do, `holds` does
  System system;                   ///< the file, run in that way
  std::int64_t permille;           ///< how large the change is, of the file's value
};

/// The smallest changes of one time, period, deadline or cost, smallest first; at most `most`. Where
/// a value is another, another way to run the system may be the best one, so each value is searched
/// for anew; nearer to the file by `kNearEnough` permille of its value no way was found.
/// @param advice that for the system as it is, in which nothing is proved
struct Remedies {
  std::vector<Remedy> smallest;
  bool cut_short =
      false;  ///< not every value was tried: enough searches, or somebody asked to stop
};
Remedies remedies(const System& system, const Wish& wish, const Advice& advice, std::size_t most);
inline constexpr std::int64_t kNearEnough = 5;

/// Would one more core do, or one more SM? The advice then; nothing where it would not, where the
/// tasks say which core they are on and may not move, or where the file does not say what kernels
/// take on other numbers of SMs.
std::optional<Advice> with_one_more(const System& system, const Wish& wish, ElementKind kind);

}  // namespace tactus::decide
