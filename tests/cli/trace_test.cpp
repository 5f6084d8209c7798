// What ui.perfetto.dev asks of a trace: rows whose slices do not overlap, arrows that begin and end
// inside a slice, counters within what there is.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <span>

#include "tactus/base/decimal.hpp"
#include "tactus/base/json.hpp"
#include "tests/cli/run_tactus.hpp"

namespace tactus::cli {
namespace {

struct Traced {
  const char *system, *policy;
};
constexpr Traced kTraced[] = {
    {"robot", "gcaps.suspend"},
    {"robot", "gcaps.busy"},
    {"robot", "tsg-rr.busy"},
    {"robot", "fmlp.busy"},
    {"gang-shares", "gang.swc"},
    {"gang-fig1", "gang.wc"},
    {"dag-example", "dag.balanced"},
    {"pbs-figure1", "pbs.graph"},
    {"pbs-drone", "pbs.edf-parallel"},
    {"rtgpu-perception", "rtgpu"},
    {"rtgpu-spare-sms", "self-suspension"},
};

/// A number of the trace, which counts in microseconds, in nanoseconds.
std::int64_t ns(const json::Value& event, std::string_view key) {
  return parse_scaled(event.find(key)->text(), 3, Rounding::kUp)->value;
}

using RowName = std::pair<std::int64_t, std::int64_t>;
RowName row_of(const json::Value& event) { return {ns(event, "pid"), ns(event, "tid")}; }

struct Rows {
  std::map<RowName, std::map<std::int64_t, std::int64_t>> slices;  ///< end by start
  std::vector<RowName> named;

  bool inside_a_slice(const json::Value& point) const {
    const auto row = slices.find(row_of(point));
    if (row == slices.end()) return false;
    const auto after = row->second.upper_bound(ns(point, "ts"));
    return after != row->second.begin() && std::prev(after)->second > ns(point, "ts");
  }
};

Rows rows_of(std::span<const json::Value> events) {
  Rows rows;
  for (const json::Value& event : events) {
    const std::string_view phase = event.find("ph")->text();
    if (phase == "M" && event.find("name")->text() == "thread_name") {
      rows.named.push_back(row_of(event));
    }
    if (phase != "X" || ns(event, "dur") == 0) continue;
    auto& row = rows.slices[row_of(event)];
    EXPECT_TRUE(row.emplace(ns(event, "ts"), ns(event, "ts") + ns(event, "dur")).second)
        << "two slices of a row begin at once";
  }
  return rows;
}

TEST(TraceFile, HasRowsThatDoNotOverlapAndArrowsThatJoinSlices) {
  const TemporaryFolder folder;
  for (const Traced& one : kTraced) {
    const std::string file = folder.file("t.json");
    run_tactus({"simulate", source_path("examples/" + std::string(one.system) + ".system.json"),
                "--policy", one.policy, "--scenario", "sporadic,uniform,shuffled,preemptive",
                "--jobs", "8", "--trace", file});
    const auto parsed = json::Document::parse(slurp(file));
    ASSERT_TRUE(std::holds_alternative<json::Document>(parsed)) << one.policy;
    const auto events = std::get<json::Document>(parsed).root().find("traceEvents")->items();
    const Rows rows = rows_of(events);
    for (const auto& [name, slices] : rows.slices) {
      EXPECT_NE(std::find(rows.named.begin(), rows.named.end(), name), rows.named.end());
      std::int64_t free = 0;
      for (const auto& [start, end] : slices) {
        EXPECT_GE(start, free) << one.policy << " row " << name.first << "/" << name.second;
        free = end;
      }
    }
    std::map<std::string, const json::Value*> begun;  // arrows, by id
    std::size_t arrows = 0;
    for (const json::Value& event : events) {
      const std::string_view phase = event.find("ph")->text();
      if (phase == "C") {
        EXPECT_GE(ns(*event.find("args"), "in use"), 0);
      }
      if (phase != "s" && phase != "f") continue;
      EXPECT_TRUE(rows.inside_a_slice(event)) << one.policy;
      const std::string id(event.find("id")->text());
      if (phase == "s") {
        EXPECT_TRUE(begun.emplace(id, &event).second) << "arrow " << id << " begins twice";
        continue;
      }
      ++arrows;
      ASSERT_EQ(begun.count(id), 1U);
      EXPECT_LT(ns(*begun[id], "ts"), ns(event, "ts"));
    }
    EXPECT_EQ(arrows, begun.size()) << one.policy;
  }
}

TEST(TraceFile, ShowsBlocksThatShareAnSmOnRowsOfTheirOwn) {
  const TemporaryFolder folder;
  const std::string file = folder.file("t.json");
  run_tactus({"simulate", source_path("examples/gang-shares.system.json"), "--policy", "gang.swc",
              "--jobs", "1", "--trace", file});
  const std::string text = slurp(file);
  EXPECT_NE(text.find("\"gpu 1 (2)\""), std::string::npos);
  EXPECT_EQ(text.find("\"cpu 1 (2)\""), std::string::npos);
}

}  // namespace
}  // namespace tactus::cli
