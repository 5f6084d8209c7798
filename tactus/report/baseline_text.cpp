#include <fmt/core.h>

#include <array>

#include "tactus/report/baseline.hpp"
#include "tactus/report/text/table.hpp"
#include "tactus/report/text/time_units.hpp"

namespace tactus {
namespace report {
namespace {

using Kind = Difference::Kind;
using What = Difference::What;

constexpr std::array<std::string_view, 4> kKinds = {"worse", "better", "new", "gone"};
constexpr std::array<std::string_view, 4> kWhats = {"", "verdict", "bound", "slack"};

std::string_view word(Kind kind) { return kKinds[static_cast<std::size_t>(kind)]; }
std::string_view word(What what) { return kWhats[static_cast<std::size_t>(what)]; }

/// "bound 183.9 -> 190.2 ms".
std::string what_text(const Difference& one, TimeUnit unit) {
  if (one.what == What::kAll) {
    return one.was.empty() ? one.now : fmt::format("was {}", one.was);
  }
  const std::string_view of = one.what == What::kSlack ? " %"
                              : one.what == What::kBound && unit != TimeUnit::kUnit
                                  ? name_of(unit)
                                  : std::string_view();
  return fmt::format("{} {} -> {}{}{}", word(one.what), one.was, one.now,
                     one.what == What::kBound && !of.empty() ? " " : "", of);
}

bool same_row(const Difference& a, const Difference& b) {
  return a.kind == b.kind && a.method == b.method && a.variant == b.variant && a.task == b.task &&
         a.what != What::kAll;
}

Table table_of(const std::vector<Difference>& all, const System& system) {
  Table table({{""}, {"method"}, {"task"}, {"what"}});
  for (std::size_t i = 0; i < all.size();) {
    std::string what = what_text(all[i], system.time_unit);
    std::size_t next = i + 1;
    for (; next < all.size() && same_row(all[i], all[next]); ++next) {
      what += ", " + what_text(all[next], system.time_unit);
    }
    const std::string method =
        all[i].method.empty() ? "" : fmt::format("{} ({})", all[i].method, all[i].variant);
    const Ink ink = all[i].kind == Kind::kWorse    ? Ink::kRed
                    : all[i].kind == Kind::kBetter ? Ink::kGreen
                                                   : Ink::kDim;
    table.add({{word(all[i].kind), ink}, method, all[i].task, what});
    i = next;
  }
  return table;
}

}  // namespace

std::string comparison_text(const Comparison& comparison, const System& system,
                            const Style& style) {
  std::string out =
      fmt::format("\n{} {}: {}\n", inked("Compared with", Ink::kBold, style), comparison.file,
                  comparison.worse                 ? inked("worse", Ink::kRed, style)
                  : comparison.differences.empty() ? std::string("no difference")
                                                   : inked("not worse", Ink::kGreen, style));
  // What the heading speaks of stands right below it, and nothing else.
  std::vector<Difference> counting, others;
  for (const Difference& one : comparison.differences) {
    (one.counts || one.method.empty() ? counting : others).push_back(one);
  }
  if (!counting.empty()) out += table_of(counting, system).render(style, "  ");
  if (!others.empty()) {
    out += fmt::format("Methods that do not count here:\n{}",
                       table_of(others, system).render(style, "  "));
  }
  return out;
}

}  // namespace report

using namespace codec;  // the words of the tables
using report::Comparison, report::Difference;

namespace {

/// A status as text, or a number.
struct Value {
  bool number;
  std::string_view text;

  static void write(json::Writer& out, const System&, const Value& value) {
    value.number ? out.number(value.text) : out.string(value.text);
  }
  static void describe(json::Writer& out) {
    out.key("type").begin_array().string("string").string("number").end_array();
  }
};

template <auto kMember>
std::optional<Value> difference_value(const Difference& one) {
  using What = Difference::What;
  const std::string& text = one.*kMember;
  if (text.empty()) return std::nullopt;
  return Value{one.what == What::kBound || one.what == What::kSlack, text};
}

}  // namespace

template <>
std::span<const Field<Difference>> fields<Difference>() {
  static constexpr auto kTable = std::to_array<Field<Difference>>({
      always<OneOf<"worse", "better", "new", "gone">>(
          "change", "What became of it",
          [](const Difference& one) { return report::word(one.kind); }),
      where_known<&Difference::method, Line>("method", "Its id"),
      where_known<Line>("variant", "Which variant of it",
                        [](const Difference& one) {
                          return one.method.empty() ? std::nullopt : std::optional(one.variant);
                        }),
      where_known<&Difference::task, Line>("task", "Its name"),
      where_known<OneOf<"verdict", "bound", "slack">>(
          "what", "What changed", [](const Difference& one) { return report::word(one.what); }),
      where_known<difference_value<&Difference::was>, Value>("was", "A status, a time, or percent"),
      where_known<difference_value<&Difference::now>, Value>("now", "A status, a time, or percent"),
      always<&Difference::counts, Flag>("counts", "Is it of a method that decides about `worse`?"),
  });
  return kTable;
}

template <>
std::span<const Field<Comparison>> fields<Comparison>() {
  static constexpr auto kTable = std::to_array<Field<Comparison>>({
      always<&Comparison::file, Line>("file", "The earlier document"),
      always<&Comparison::worse, Flag>("worse", "Under a method that counts"),
      always<&Comparison::differences, Objects<Difference, "difference">>("differences",
                                                                          "What is worse first"),
  });
  return kTable;
}

}  // namespace tactus
