#include "tactus/experiment/store/own_store.hpp"

#include "tactus/base/json.hpp"
#include "tactus/base/json_writer.hpp"
#include "tactus/experiment/store/stored.hpp"
#include "tactus/model/reader.hpp"
#include "tactus/model/writer.hpp"

namespace tactus::experiment {
namespace {

std::string as_json(const std::vector<std::string>& texts) {
  json::Writer out(json::Layout::kOneLine);
  out.begin_array();
  for (const std::string& text : texts) out.string(text);
  out.end_array();
  return out.take();
}

[[noreturn]] void damaged() { throw SqliteError("the systems of its files are damaged"); }

std::vector<std::string> from_json(std::string text) {
  const auto parsed = json::Document::parse(std::move(text));
  if (!parsed || !parsed->root().is(json::Kind::kArray)) damaged();
  std::vector<std::string> texts;
  for (const json::Value& item : parsed->root().items()) {
    if (!item.is(json::Kind::kString)) damaged();
    texts.emplace_back(item.text());
  }
  if (texts.empty()) damaged();
  return texts;
}

bool has_table(const Database& database) {
  Statement find(database, "SELECT count(*) FROM sqlite_master WHERE name = 'own_files'");
  return find.step() && find.integer(0) > 0;
}

}  // namespace

void write_own_sets(const Database& database, std::int64_t experiment, const OwnSets& sets) {
  Statement known(database, "SELECT count(*) FROM own_files WHERE experiment = ?");
  known.bind(experiment);
  if (known.step() && known.integer(0) > 0) return;
  Statement(database, "INSERT INTO own_files VALUES (?, ?, ?, ?)")
      .bind(experiment)
      .bind(sets.folder)
      .bind(as_json(sets.cases))
      .bind(as_json(sets.xs))
      .run();
  Statement insert(database, "INSERT INTO own_sets VALUES (?, ?, ?, ?, ?, ?)");
  for (std::size_t group = 0; group < sets.groups.size(); ++group) {
    for (std::size_t set = 0; set < sets.groups[group].size(); ++set) {
      const OwnSet& one = sets.groups[group][set];
      insert.bind(experiment).bind(static_cast<std::int64_t>(group));
      insert.bind(static_cast<std::int64_t>(set)).bind(one.place).bind(one.hash);
      insert.bind(write_system_line(one.system)).run();
    }
  }
}

std::shared_ptr<const OwnSets> read_own_sets(const Database& database, std::int64_t experiment) {
  if (!has_table(database)) return nullptr;
  Statement files(database, "SELECT folder, cases, xs FROM own_files WHERE experiment = ?");
  files.bind(experiment);
  if (!files.step()) return nullptr;
  auto sets = std::make_shared<OwnSets>();
  sets->folder = files.text(0);
  sets->cases = from_json(files.text(1));
  sets->xs = from_json(files.text(2));
  sets->groups.resize(sets->cases.size() * sets->xs.size());
  Statement rows(database,
                 "SELECT group_index, set_index, place, hash, system FROM own_sets "
                 "WHERE experiment = ? ORDER BY group_index, set_index");
  rows.bind(experiment);
  while (rows.step()) {
    auto& group = sets->groups[stored_point(rows.integer(0), sets->groups.size())];
    ReadResult read = read_system(rows.text(4));
    if (rows.integer(1) != static_cast<std::int64_t>(group.size()) || !read.system) damaged();
    group.push_back({rows.text(2), rows.text(3), std::move(*read.system)});
  }
  return sets;
}

}  // namespace tactus::experiment
