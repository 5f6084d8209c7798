#pragma once

#include <vector>

#include "tactus/decide/advise.hpp"

/// Nothing works: what is the smallest change that would?
namespace tactus::decide {

/// One change of the file that an option needs to be proved.
struct Remedy {
  const Method* method = nullptr;
  Reach reach;            ///< `now` does not do, `holds` does
  System system;          ///< the option that was looked at
  std::int64_t permille;  ///< how large the change is, of the file's value
};

/// The smallest changes of one time, period, deadline or cost, smallest first; at most `most`. They
/// are looked for around the options that come nearest.
std::vector<Remedy> remedies(const Advice& advice, std::size_t most);

/// Would one more core do, or one more SM? The advice then; nothing where it would not, where the
/// tasks say which core they are on and may not move, or where the file does not say what kernels
/// take on other numbers of SMs.
std::optional<Advice> with_one_more(const System& system, const Wish& wish, ElementKind kind);

}  // namespace tactus::decide
