#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tactus/experiment/judge/judge.hpp"
#include "tactus/experiment/results/results.hpp"
#include "tactus/experiment/store/sqlite.hpp"

/// Every set of a store, one after the other: what a summary leaves out.
namespace tactus::experiment {

struct StoredSet {
  std::size_t point = 0;
  std::int64_t set = 0, utilisation = 0;
  std::vector<CurveVerdict> curves;
};

/// The sets of one experiment, by point and then by number. @throws SqliteError
void for_each_set(const Database& database, const Results& of,
                  const std::function<void(const StoredSet&)>& take);

/// The same for a store, which is a file or a folder. What went wrong, if something did.
std::optional<Error> for_each_set(const std::string& path, const Results& of,
                                  const std::function<void(const StoredSet&)>& take);

}  // namespace tactus::experiment
