#include "tactus/report/text/table.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "tactus/host/terminal.hpp"
#include "tactus/report/gantt.hpp"
#include "tactus/report/text/csv.hpp"
#include "tactus/report/text/wrap.hpp"

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

TEST(Table, IsAListWhereEvenTwoColumnsDoNotFit) {
  Table table({{"method"}, {"plan"}, {"what it proves"}});
  table.add({{"gcaps.suspend", Ink::kBold}, "yes", "preemptive GPU priorities"});
  EXPECT_EQ(table.render(Style{.fold = 30}),
            "method         plan\n"
            "gcaps.suspend  yes\n"
            "\n"
            "method: what it proves\n"
            "gcaps.suspend: preemptive GPU\n"
            "  priorities\n");
  EXPECT_EQ(table.render(Style{.fold = 60}).find("method: "), std::string::npos);
}

TEST(Text, StandsBelowAHeadThatLeavesNoRoom) {
  const Style narrow{.fold = 30};
  EXPECT_EQ(paragraph("a head of some words: ", "and what it is about", narrow),
            "a head of some words: and what\n  it is about\n");
  EXPECT_EQ(paragraph("note: ", "and what it is about, at length", narrow),
            "note: and what it is about, at\n      length\n");
  EXPECT_EQ(heading("Plan of x", Ink::kBold, " (safe) for robot: schedulable", narrow),
            "Plan of x (safe) for robot:\n  schedulable\n");
  EXPECT_EQ(heading("Plan of x", Ink::kBold, " (safe) for robot: schedulable", Style{}),
            "Plan of x (safe) for robot: schedulable\n");
}

TEST(Csv, QuotesWhatMustBeQuoted) {
  EXPECT_EQ(csv_line({"a", "b,c", "say \"x\"", ""}), "a,\"b,c\",\"say \"\"x\"\"\",\n");
}

TEST(Csv, LetsNoTextBecomeAFormula) {
  EXPECT_EQ(csv_line({"=1+2", "+1", "-x", "@sum", "a=b"}), "'=1+2,'+1,'-x,'@sum,a=b\n");
  EXPECT_EQ(csv_line({"=a,b", "-1\r\n"}), "\"'=a,b\",\"'-1\r\n\"\n");
}

TEST(Csv, LeavesNumbersAlone) {
  EXPECT_EQ(csv_line({"-1", "-0.25", "-1e-9", "-inf"}), "-1,-0.25,-1e-9,-inf\n");
}

TEST(Table, KeepsATextFromAFileOnItsLine) {
  Table table({{"name"}});
  table.add({"a\nb: schedulable\t\033[2J\u202e"});
  EXPECT_EQ(table.render({}), "name\na\\u000ab: schedulable\\u0009\\u001b[2J\\u202e\n");
}

/// The two ends of a terminal.
struct Terminal {
  Terminal() : master(::posix_openpt(O_RDWR | O_NOCTTY)) {
    ::grantpt(master);
    ::unlockpt(master);
    slave = ::open(::ptsname(master), O_RDWR | O_NOCTTY);
  }
  ~Terminal() {
    ::close(slave);
    ::close(master);
  }
  int master, slave = -1;
};

TEST(Style, HasNoColoursUnderMpirunWhoseTerminalIsALog) {
  const Terminal terminal;
  if (::isatty(terminal.slave) == 0) GTEST_SKIP() << "no terminal to be had";
  ::setenv("TERM", "xterm", 1);
  EXPECT_TRUE(Style::of(terminal.slave).colour);
  EXPECT_TRUE(Style::of(terminal.slave).unicode);
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"}) {
    ::setenv(name, "0", 1);
    EXPECT_FALSE(host::is_terminal(terminal.slave)) << name;
    EXPECT_FALSE(Style::of(terminal.slave).colour) << name;
    EXPECT_FALSE(Style::of(terminal.slave).unicode) << name;
    ::unsetenv(name);
  }
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
