#include "tactus/report/table.hpp"

#include <gtest/gtest.h>

#include "tactus/report/csv.hpp"
#include "tactus/report/gantt.hpp"

namespace tactus::report {
namespace {

TEST(DisplayWidth, CountsColumnsNotBytes) {
  EXPECT_EQ(display_width("abc"), 3);
  EXPECT_EQ(display_width("tête"), 4);
  EXPECT_EQ(display_width("e\u0301"), 1);  // combining accent
  EXPECT_EQ(display_width("カメラ"), 6);
}

TEST(Table, AlignsAndLeavesNoTrailingBlanks) {
  Table table({{"a"}, {"n", Align::kRight}, {"z"}});
  table.add({"x", "1", ""});
  table.add({"long", "200", "end"});
  EXPECT_EQ(table.render(Style{}, "> "),
            "> a       n  z\n"
            "> x       1\n"
            "> long  200  end\n");
}

TEST(Table, UsesColourOnlyWhereTheStyleHasIt) {
  Table table({{"a"}});
  table.add({{"x", Ink::kRed}});
  EXPECT_EQ(table.render(Style{}), "a\nx\n");
  const std::string coloured = table.render(Style{.colour = true, .unicode = true});
  EXPECT_NE(coloured.find("\033[31mx\033[0m"), std::string::npos);
  EXPECT_NE(coloured.find("─"), std::string::npos);
}

TEST(Csv, QuotesWhatMustBeQuoted) {
  EXPECT_EQ(csv_line({"a", "b,c", "say \"x\"", ""}), "a,\"b,c\",\"say \"\"x\"\"\",\n");
}

TEST(Gantt, DrawsUnitsDownAndTimeAcross) {
  const std::vector<PlanBar> bars = {{0, Time(), Time::from_ms(1), "v1"},
                                     {1, Time(), Time::from_ms(2), "v2"},
                                     {2, Time(), Time::from_ms(2), "v2"},
                                     {0, Time::from_ms(1), Time::from_ms(2), "v3"}};
  EXPECT_EQ(render_gantt(bars, TimeUnit::kMs, Style{.width = 32}),
            "     0 |v1---------|v3---------\n"
            "   1-2 |v2---------------------\n"
            "  time 0                      2\n");
  EXPECT_EQ(render_gantt(std::vector<PlanBar>{}, TimeUnit::kMs, Style{}), "");
}

}  // namespace
}  // namespace tactus::report
