#include "tactus/report/how.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "tactus/report/analysis.hpp"
#include "tactus/report/text/wrap.hpp"

namespace tactus::report {
namespace {

/// "upload 0.2 + detect 9 + download 0.2": the nodes of these kinds, if their times add up to `sum`.
std::string nodes_text(const Task& task, const System& system, Time sum,
                       std::initializer_list<ElementKind> kinds) {
  constexpr std::size_t kMost = 8;
  Time total;
  std::vector<std::string> parts;
  for (const Node& node : task.nodes) {
    const ElementKind kind = system.platform.elements[node.on].kind;
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) continue;
    if (!node.wcet) return {};
    total += *node.wcet;
    parts.push_back(fmt::format("{} {}", node.name, format_time(*node.wcet, system.time_unit)));
  }
  if (total != sum || parts.empty() || parts.size() > kMost) return {};
  return fmt::format("{}", fmt::join(parts, " + "));
}

/// Of a term that is the task's own work.
std::string own_nodes(const Term& term, const Task& task, const System& system) {
  using Kind = ElementKind;
  if (term.label == "own CPU work") return nodes_text(task, system, term.amount, {Kind::kCpu});
  if (term.label == "own copies") return nodes_text(task, system, term.amount, {Kind::kCopy});
  if (term.label != "own GPU work") return {};
  const std::string with_copies = nodes_text(task, system, term.amount, {Kind::kGpu, Kind::kCopy});
  return with_copies.empty() ? nodes_text(task, system, term.amount, {Kind::kGpu}) : with_copies;
}

}  // namespace

std::string how_text(const Term& term, const Task& task, const System& system) {
  const auto time = [&](Time value) { return format_time(value, system.time_unit); };
  if (term.jobs != 0 && term.period != Time()) {
    return fmt::format("ceil((R + {}) / {}) * {} = {} * {}", time(term.jitter), time(term.period),
                       time(term.each), term.jobs, time(term.each));
  }
  if (term.jobs != 0) {
    const std::string product = fmt::format("{} * {}", term.jobs, time(term.each));
    return term.how.empty() ? product : fmt::format("{}: {}", product, term.how);
  }
  if (std::string nodes = own_nodes(term, task, system); !nodes.empty()) return nodes;
  return std::string(term.how);
}

Table terms_table(const TaskVerdict& verdict, const System& system) {
  constexpr std::size_t kLine = 80, kLeast = 36;
  // The last row, with the sum, is added by the caller.
  std::size_t names = std::string_view("conditional bound R").size();
  std::size_t amounts = format_time(total(verdict.terms), system.time_unit).size();
  amounts = std::max(amounts, std::string_view("amount").size());
  for (const Term& term : verdict.terms) {
    names = std::max(names, term_name(term, system).size());
    amounts = std::max(amounts, format_time(term.amount, system.time_unit).size());
  }
  const std::size_t taken = names + amounts + 6;  // with what is between the columns
  const std::size_t room = kLine > taken + kLeast ? kLine - taken : kLeast;
  Table table({{"term"}, {"amount", Align::kRight}, {"how"}});
  for (const Term& term : verdict.terms) {
    std::string name = term_name(term, system), amount = format_time(term.amount, system.time_unit);
    std::istringstream lines(
        wrapped("", how_text(term, system.tasks[verdict.task], system), static_cast<int>(room)));
    std::string line;
    do {
      std::getline(lines, line);
      table.add({name, amount, line});
      name.clear();
      amount.clear();
    } while (lines.peek() != std::istringstream::traits_type::eof());
  }
  return table;
}

}  // namespace tactus::report
