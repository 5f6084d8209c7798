#include "tactus/experiment/results/sets.hpp"

#include <fmt/core.h>

#include "tactus/experiment/store/set_row.hpp"
#include "tactus/experiment/store/stored.hpp"

namespace tactus::experiment {

void for_each_set(const Database& database, const Results& of,
                  const std::function<void(const StoredSet&)>& take) {
  Statement rows(database,
                 "SELECT point, set_index, utilisation, statuses, amounts, times FROM sets "
                 "WHERE experiment = ? ORDER BY point, set_index");
  rows.bind(of.id);
  StoredSet set;
  while (rows.step()) {
    set.point = stored_point(rows.integer(0), of.points.size());
    set.set = stored_set(rows.integer(1));
    set.utilisation = rows.integer(2);
    set.curves.resize(of.curves.size());
    read_row(rows.view(3), rows.view(4), rows.view(5), set.curves);
    take(set);
  }
}

std::optional<Error> for_each_set(const std::string& path, const Results& of,
                                  const std::function<void(const StoredSet&)>& take) {
  const std::string file = store_file(path);
  try {
    const Database database(file, Database::Mode::kRead);
    check_schema(database);
    for_each_set(database, of, take);
    return std::nullopt;
  } catch (const std::exception& problem) {
    return Error{fmt::format("cannot read {}: {}", file, problem.what())};
  }
}

}  // namespace tactus::experiment
