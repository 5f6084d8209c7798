#include "tactus/report/charts/compact_svg.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/support/text.hpp"

namespace tactus::report {
namespace {

using support::contains;

std::string picture(const std::string& inside) {
  return "<?xml version=\"1.0\"?>\n<svg width=\"9\">\n<title>T</title>\n<desc>D</desc>\n" + inside +
         "\n</svg>\n";
}

TEST(CompactSvg, KeepsSymbolsThatAreUsedAsTheyAre) {
  const std::string svg = compact_svg(
      picture("<defs>\n\t<path id='gpPt7' stroke-width='0.222' d='M0,-1.33 L1.33,0.67 z'/>\n"
              "\t<use xlink:href='#gpPt7' id='gpPt8' fill='currentColor'/>\n"
              "\t<circle id='gpPt5' r='1'/>\n\t<use xlink:href='#gpPt5' id='gpPt6'/>\n"
              "\t<filter id='box'><feFlood/></filter>\n</defs>\n"
              "<use xlink:href='#gpPt8' transform='translate(1.26,2.00) scale(2.48)'/>"));
  EXPECT_TRUE(contains(svg, "id=\"gpPt7\" stroke-width=\"0.222\" d=\"M0,-1.33 L1.33,0.67 z\""))
      << svg;
  EXPECT_TRUE(contains(svg, "id=\"gpPt8\"")) << svg;
  EXPECT_FALSE(contains(svg, "gpPt5")) << svg;
  EXPECT_FALSE(contains(svg, "gpPt6")) << svg;
  EXPECT_FALSE(contains(svg, "feFlood")) << svg;
  EXPECT_TRUE(contains(svg, "translate(1.3,2) scale(2.48)")) << svg;
}

TEST(CompactSvg, ShortensCoordinatesAndColours) {
  const std::string svg =
      compact_svg(picture("<path stroke='rgb( 64,  0, 228)'  d='M75.99,195.00 L-0.04,7.25  '/>"));
  EXPECT_TRUE(contains(svg, "<path stroke=\"#4000e4\" d=\"M76,195 L-0,7.2\"/>")) << svg;
}

TEST(CompactSvg, JoinsGroupsThatAreAlikeAndDropsEmptyOnes) {
  const std::string svg = compact_svg(
      picture("<g fill=\"none\">\n<rect/>\n</g>\n<g stroke=\"red\">\n</g>\n<g fill=\"none\">\n"
              "<line/></g>\n<g fill=\"red\"><line/></g>"));
  EXPECT_TRUE(contains(svg, "<g fill=\"none\"><rect/><line/></g><g fill=\"red\"><line/></g>"))
      << svg;
}

TEST(CompactSvg, KeepsWhatOverlappingTransparentGroupsLookLike) {
  const std::string svg =
      compact_svg(picture("<g opacity=\"0.5\"><rect/></g><g opacity=\"0.5\"><rect/></g>"));
  EXPECT_TRUE(contains(svg, "<rect/></g><g opacity=\"0.5\"><rect/>")) << svg;
}

TEST(CompactSvg, KeepsTextAsItIs) {
  const std::string svg = compact_svg(
      picture("<g>\n\t<text> 20 &lt; 1.500 <tspan>x</tspan> <tspan>y</tspan></text>\n</g>"));
  EXPECT_TRUE(contains(svg, "<text> 20 &lt; 1.500 <tspan>x</tspan> <tspan>y</tspan></text>"))
      << svg;
  EXPECT_TRUE(contains(svg, "<title>T</title><desc>D</desc>")) << svg;
}

TEST(CompactSvg, ASecondTimeChangesNothing) {
  std::string many;
  for (int i = 0; i < 200; ++i) {
    many += "<path stroke='rgb(1, 2, 3)' d='M" + std::to_string(i) + ".25,7.00 L9.99,8'/>\n";
  }
  const std::string once = compact_svg(picture(many));
  EXPECT_EQ(compact_svg(once), once);
  EXPECT_LT(once.size(), many.size());
  EXPECT_LT(std::count(once.begin(), once.end(), '\n'), 40);
}

TEST(CompactSvg, WhatIsCutOffStaysReadable) {
  for (const char* const text :
       {"", "<", "<g", "<g a", "<g a=", "<g a='", "</", "text", "<g/", "<!"}) {
    const std::string svg = compact_svg(text);
    EXPECT_TRUE(svg.ends_with('\n')) << text;
  }
}

}  // namespace
}  // namespace tactus::report
