#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tactus/methods/method.hpp"
#include "tactus/methods/pbs/pbs_methods.hpp"
#include "tactus/methods/pbs/table.hpp"
#include "tests/support/read.hpp"
#include "tests/support/scaled.hpp"

/// Systems for the tests, written down as the paper writes its examples: (T, D, C).
namespace tactus::pbs::testing {

/// A task as (T, D, C) with what some examples add.
struct TaskText {
  std::string name;
  std::int64_t period, deadline, wcet;
  std::int64_t offset = 0;
  std::string more = {};  ///< further attributes of the node, as JSON after a comma
};

struct SystemText {
  std::vector<TaskText> tasks;
  std::string batches = {};          ///< the items of `batches`
  std::string gpu = "\"units\": 8";  ///< attributes of the element
  std::string more = {};             ///< further members of the file, each after a comma
};

std::string to_json(const SystemText& text);

using support::read;
using support::scaled;
inline System make(const SystemText& text) { return read(to_json(text)); }

/// The worked examples of docs/use/methods/pbs.md.
SystemText figure_1();
SystemText example_21(bool j1_first);
SystemText example_312();
SystemText slower_order_needed();
SystemText finding(int number);  ///< F1 to F4

/// The options of a call, flags as "on".
Options with(std::map<std::string, std::string, std::less<>> settings);
Verdict run(const Method& method, const System& system, Options options = {});
bool schedulable(const Method& method, const System& system);

/// The table of a verdict.
const ScheduleTable& table_of(const Verdict& verdict);
/// "t1 [0,1], t2+t3 [1,5]", times in ticks.
std::string shown(const System& system, const ScheduleTable& table);

/// The violations that the checker finds in the plan of a verdict, written and read back.
std::vector<std::string> check_own_plan(const Method& method, const System& system,
                                        const Verdict& verdict);
/// The violations in the text of a plan.
std::vector<std::string> check_text(const Method& method, const System& system, std::string plan);

}  // namespace tactus::pbs::testing
