#include "tactus/report/html/html.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "tactus/report/charts/chart_axes.hpp"

namespace tactus::report {
namespace {

constexpr std::string_view kHostile =
    "<script>alert(\"it's & me\")</script>\x1b[31m\x01</td><!-- ]]> &lt; \xff";

/// What a parser of HTML sees: every element closed in order, every attribute between double
/// quotes, no character that may not be there, and the text. Small, and independent of the writer.
struct Parsed {
  std::string text;
  std::vector<std::string> elements;  ///< every one that was opened
  std::string problem;
};

Parsed parsed(std::string_view html) {
  Parsed seen;
  std::vector<std::string> open;
  const auto fail = [&](const std::string& what) {
    if (seen.problem.empty()) seen.problem = what;
  };
  std::size_t i = 0;
  while (i < html.size()) {
    const char c = html[i];
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') fail("a control character");
    if (c == '&') {
      const std::size_t end = html.find(';', i);
      const std::string name(html.substr(i, end - i + 1));
      const std::pair<const char*, char> known[] = {
          {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''}};
      bool found = false;
      for (const auto& [reference, means] : known) {
        if (name != reference) continue;
        seen.text += means;
        found = true;
      }
      if (!found) fail("an unknown reference " + name);
      i = end == std::string_view::npos ? html.size() : end + 1;
    } else if (c == '<') {
      const std::size_t end = html.find('>', i);
      if (end == std::string_view::npos) {
        fail("a tag without end");
        break;
      }
      const std::string_view tag = html.substr(i + 1, end - i - 1);
      if (tag.find('<') != std::string_view::npos) fail("a tag inside a tag");
      if (std::count(tag.begin(), tag.end(), '"') % 2 != 0) fail("an open attribute");
      const std::string name(tag.substr(0, tag.find_first_of(" /", 1)));
      if (tag.starts_with('/')) {
        if (open.empty() || "/" + open.back() != tag) fail("a wrong end " + std::string(tag));
        if (!open.empty()) open.pop_back();
      } else {
        seen.elements.push_back(name);
        if (!tag.ends_with('/')) open.push_back(name);
      }
      i = end + 1;
    } else {
      if (c == '>' || c == '"' || c == '\'') fail("a character that should be a reference");
      seen.text += c;
      ++i;
    }
  }
  if (!open.empty()) fail(open.back() + " is never closed");
  return seen;
}

std::size_t count_of(const std::vector<std::string>& elements, std::string_view name) {
  return static_cast<std::size_t>(std::count(elements.begin(), elements.end(), name));
}

TEST(HtmlText, IsNeverMarkup) {
  EXPECT_EQ(html_escaped("a < b && c > \"d\" 'e'"),
            "a &lt; b &amp;&amp; c &gt; &quot;d&quot; &#39;e&#39;");
  EXPECT_EQ(html_escaped("Kamera ä 摄像头"), "Kamera ä 摄像头");
  EXPECT_EQ(html_escaped("one\ntwo\tthree"), "one\ntwo\tthree");
}

TEST(HtmlText, ReplacesWhatNoParserMaySee) {
  using namespace std::string_view_literals;
  EXPECT_EQ(html_escaped("a\x1b[31mb\0c\x7f"sv), "a\uFFFD[31mb\uFFFDc\uFFFD");
  EXPECT_EQ(html_escaped("\xff\xc3"), "\uFFFD\uFFFD");
  EXPECT_EQ(html_escaped("\xc3\xa4\xc3(\xf0\x9f"), "ä\uFFFD(\uFFFD\uFFFD");
}

TEST(HtmlText, ComesBackAsItWas) {
  std::mt19937 random(1);
  constexpr std::string_view kPieces[] = {"<",   ">", "&", "\"", "'",  "&amp;", "</td>",
                                          "-->", "ä", "x", " ",  "\n", "&#39;", "]]>"};
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (std::size_t k = random() % 12; k > 0; --k) text += kPieces[random() % std::size(kPieces)];
    const Parsed seen = parsed(html_escaped(text));
    EXPECT_EQ(seen.problem, "") << text;
    EXPECT_EQ(seen.text, text);
    EXPECT_TRUE(seen.elements.empty()) << text;
  }
}

TEST(HtmlTable, HasTheSameCellsAsTheText) {
  Table table({{"task"}, {"bound", Align::kRight}});
  table.add({{"camera", Ink::kBold}, {"16", Ink::kRed}});
  table.add({"lidar", "7"});
  EXPECT_EQ(html_table(table, "Bounds"),
            "<table class=\"tactus-table\">\n"
            "<caption>Bounds</caption>\n"
            "<thead><tr><th scope=\"col\">task</th>"
            "<th scope=\"col\" class=\"tactus-right\">bound</th></tr></thead>\n"
            "<tbody>\n"
            "<tr><td><span class=\"tactus-bold\">camera</span></td>"
            "<td class=\"tactus-right\"><span class=\"tactus-red\">16</span></td></tr>\n"
            "<tr><td>lidar</td><td class=\"tactus-right\">7</td></tr>\n"
            "</tbody>\n"
            "</table>\n");
}

TEST(HtmlTable, StaysATableWhateverTheNamesAre) {
  const std::string hostile(kHostile);
  Table table({{hostile}, {"b", Align::kRight}});
  table.add({{hostile, Ink::kGreen}, hostile});
  const Parsed seen = parsed(html_table(table, hostile));
  EXPECT_EQ(seen.problem, "");
  EXPECT_EQ(count_of(seen.elements, "script"), 0u);
  EXPECT_EQ(count_of(seen.elements, "td"), 2u);
  EXPECT_NE(seen.text.find("<script>alert(\"it's & me\")</script>"), std::string::npos)
      << "it is shown, as text";
}

Chart sample() {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  Chart chart;
  chart.x_label = "SMs";
  chart.y_label = "Schedulable sets (%)";
  chart.x_most = 4;
  chart.y_most = 100;
  chart.x_ticks = {{1, "1"}, {4, "4"}};
  ChartCurve whole{"whole", {"#0072B2", 7, 1}, {{1, 100, 90, 100}, {2, 60, 50, 70}, {4, 0, 0, 9}}};
  ChartCurve gap{
      "gap", {"#D55E00", 8, 2}, {{1, 80, 70, 90}, {2, kNone, kNone, kNone}, {4, 5, 0, 9}}};
  chart.panels = {{"left", {whole, gap}}, {"right", {whole}}};
  chart.columns = 2;
  return chart;
}

TEST(HtmlChart, DrawsAPanelEachAndOneLegend) {
  const Parsed seen = parsed(html_chart(sample()));
  EXPECT_EQ(seen.problem, "");
  EXPECT_EQ(count_of(seen.elements, "figure"), 1u);
  EXPECT_EQ(count_of(seen.elements, "svg"), 4u) << "two panels, two samples of the legend";
  EXPECT_EQ(count_of(seen.elements, "li"), 2u) << "a label is listed once";
}

TEST(HtmlChart, LeavesAGapWhereThereIsNoValue) {
  Chart chart = sample();
  chart.panels.resize(1);
  chart.panels[0].curves.erase(chart.panels[0].curves.begin());
  const std::string html = html_chart(chart);
  EXPECT_NE(html.find("<path d=\"M140.5,66.0M388.0,216.0\""), std::string::npos) << html;
  EXPECT_EQ(html.find("nan"), std::string::npos);
}

TEST(HtmlChart, JoinsNothingWhereThePointsAreNames) {
  Chart chart = sample();
  chart.categories = true;
  const std::string html = html_chart(chart);
  EXPECT_EQ(html.find("<path"), std::string::npos);
  EXPECT_EQ(parsed(html).problem, "");
}

TEST(HtmlChart, KeepsWhatIsOutsideAtTheEdge) {
  Chart chart = sample();
  chart.log_y = true;
  chart.y_least = 1;
  const std::string html = html_chart(chart);
  EXPECT_EQ(html.find("inf"), std::string::npos);
  EXPECT_EQ(html.find("nan"), std::string::npos);
  EXPECT_EQ(parsed(html).problem, "");
}

TEST(HtmlChart, StaysADrawingWhateverTheLabelsAre) {
  Chart chart = sample();
  chart.x_label = chart.y_label = chart.panels[0].title = kHostile;
  chart.x_ticks[0].label = chart.panels[0].curves[0].label = kHostile;
  const Parsed seen = parsed(html_chart(chart));
  EXPECT_EQ(seen.problem, "");
  EXPECT_EQ(count_of(seen.elements, "script"), 0u);
}

TEST(HtmlPage, IsWholeAndLoadsNothing) {
  const std::string page = html_page(kHostile, html_chart(sample()));
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>\n"));
  EXPECT_EQ(page.find("<script"), std::string::npos);
  for (const char* loading : {"http://", "https://", "src=", "@import", "url("}) {
    EXPECT_EQ(page.find(loading), std::string::npos) << loading;
  }
}

TEST(YTicks, AreRoundNumbersInsideTheRange) {
  Chart chart;
  chart.y_most = 100;
  std::string labels;
  for (const Tick& tick : y_ticks(chart)) labels += tick.label + ' ';
  EXPECT_EQ(labels, "0 20 40 60 80 100 ");
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> exponent(-6, 9), part(0, 1);
  for (int round = 0; round < 2000; ++round) {
    chart.y_least = (part(random) - 0.5) * std::pow(10, exponent(random));
    chart.y_most = chart.y_least + std::pow(10, exponent(random));
    const auto ticks = y_ticks(chart);
    EXPECT_GE(ticks.size(), 3u) << chart.y_least << " to " << chart.y_most;
    EXPECT_LE(ticks.size(), 10u) << chart.y_least << " to " << chart.y_most;
    const double slack = 1e-6 * (chart.y_most - chart.y_least);
    for (const Tick& tick : ticks) {
      EXPECT_GE(tick.at, chart.y_least - slack);
      EXPECT_LE(tick.at, chart.y_most + slack);
    }
  }
}

}  // namespace
}  // namespace tactus::report
