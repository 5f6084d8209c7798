#pragma once

#include <cstdint>
#include <string>

#include "tactus/experiment/store/sqlite.hpp"
#include "tactus/methods/verdict.hpp"

/// What a store contains is checked before it is used: it may be damaged, or made by another user.
namespace tactus::experiment {

inline constexpr std::int64_t kStoreSchema = 2;

/// The most sets of a point.
inline constexpr std::int64_t kMostSets = 1'000'000'000;

/// The file of a store, given its folder or the file itself.
std::string store_file(const std::string& path);

/// All of these throw SqliteError.
Status stored_status(std::int64_t number);
std::int64_t stored_set(std::int64_t index, std::int64_t sets = kMostSets);  ///< 0 .. sets - 1
std::size_t stored_point(std::int64_t index, std::size_t points);            ///< 0 .. points - 1

/// Says, by throwing, why a file is not a store that this tactus can read.
void check_schema(const Database& database);

}  // namespace tactus::experiment
