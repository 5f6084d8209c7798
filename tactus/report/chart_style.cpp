#include "tactus/report/chart_style.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

namespace tactus::report {
namespace {

constexpr std::string_view kBlue = "#0072B2", kSky = "#56B4E9", kVermilion = "#D55E00",
                           kGreen = "#009E73", kPurple = "#CC79A7", kOrange = "#E69F00",
                           kBlack = "#000000";
constexpr int kCircle = 7, kSquare = 5, kTriangle = 9, kDiamond = 13, kDownward = 11;
constexpr int kSolid = 1, kDashed = 2;

struct Entry {
  std::string_view method;
  CurveStyle style;
};

constexpr Entry kTable[] = {
    {"gcaps.suspend.prio", {kBlue, kCircle, kSolid}},
    {"gcaps.busy.prio", {kBlue, kCircle - 1, kDashed}},
    {"gcaps.suspend", {kSky, kDownward, kSolid}},
    {"gcaps.busy", {kSky, kDownward - 1, kDashed}},
    {"tsg-rr.suspend", {kVermilion, kTriangle, kSolid}},
    {"tsg-rr.busy", {kVermilion, kTriangle - 1, kDashed}},
    {"mpcp.suspend", {kGreen, kSquare, kSolid}},
    {"mpcp.busy", {kGreen, kSquare - 1, kDashed}},
    {"fmlp.suspend", {kPurple, kDiamond, kSolid}},
    {"fmlp.busy", {kPurple, kDiamond - 1, kDashed}},
    {"gang.swc", {kBlue, kCircle, kSolid}},
    {"gang.wc", {kSky, kDownward, kSolid}},
    {"gang.rm-he", {kVermilion, kTriangle, kSolid}},
    {"gang.wc-he", {kGreen, kSquare - 1, kDashed}},  // nearly covers gang.rm-he
    {"pbs.graph", {kBlue, kCircle, kSolid}},
    {"pbs.edf-serial", {kVermilion, kTriangle, kSolid}},
    {"pbs.edf-parallel", {kGreen, kSquare, kSolid}},
    {"rtgpu", {kBlue, kCircle, kSolid}},
    {"rtgpu.greedy", {kSky, kDownward, kSolid}},
    {"self-suspension", {kGreen, kSquare, kSolid}},
    {"stgm", {kVermilion, kTriangle, kSolid}},
    {"dag.balanced", {kBlue, kCircle, kSolid}},
    {"dag.greedy", {kVermilion, kTriangle, kSolid}},
    {"dag.greedy-unaware", {kPurple, kDiamond, kSolid}},
    {"dag.graham", {kGreen, kSquare, kSolid}},
};

constexpr CurveStyle kOthers[] = {
    {kOrange, kSquare, kSolid}, {kBlack, kDiamond, kSolid},     {kPurple, kDownward, kDashed},
    {kSky, kTriangle, kDashed}, {kVermilion, kCircle, kDashed},
};

constexpr CurveStyle kCases[] = {
    {kBlue, kCircle, kSolid}, {kOrange, kSquare, kDashed}, {kVermilion, kTriangle, 4},
    {kGreen, kDiamond, 5},    {kPurple, kDownward, 3},
};

}  // namespace

CurveStyle style_of_method(std::string_view method, std::size_t place) {
  const auto found = std::find_if(std::begin(kTable), std::end(kTable),
                                  [&](const Entry& entry) { return entry.method == method; });
  return found != std::end(kTable) ? found->style : kOthers[place % std::size(kOthers)];
}

CurveStyle style_of_case(std::size_t n) { return kCases[n % std::size(kCases)]; }

CurveStyle nth_like(CurveStyle style, std::size_t n) {
  if (n == 0) return style;
  std::vector<int> dashes = {2, 4, 3, 5};
  std::erase(dashes, style.dash);
  style.dash = dashes[(n - 1) % dashes.size()];
  // Markers come in pairs, the open one first (4 and 5, 6 and 7, ...): open and filled in turn.
  if (n % 2 == 1) style.marker ^= 1;
  return style;
}

}  // namespace tactus::report
