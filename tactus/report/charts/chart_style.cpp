#include "tactus/report/charts/chart_style.hpp"

#include <iterator>
#include <vector>

#include "tactus/methods/method.hpp"

namespace tactus::report {
namespace {

constexpr std::string_view kBlue = "#0072B2", kSky = "#56B4E9", kVermilion = "#D55E00",
                           kGreen = "#009E73", kPurple = "#CC79A7", kOrange = "#E69F00",
                           kBlack = "#000000";
constexpr int kCircle = 7, kSquare = 5, kTriangle = 9, kDiamond = 13, kDownward = 11;
constexpr int kSolid = 1, kDashed = 2;

/// In the order of `Part`, from `kProposed` on.
constexpr CurveStyle kParts[] = {
    {kBlue, kCircle, kSolid},  {kSky, kDownward, kSolid},   {kVermilion, kTriangle, kSolid},
    {kGreen, kSquare, kSolid}, {kPurple, kDiamond, kSolid},
};

CurveStyle style_of(Look look) {
  CurveStyle style = kParts[static_cast<std::size_t>(look.part) - 1];
  if (look.second) {
    style.marker -= 1;  // open
    style.dash = kDashed;
  }
  return style;
}

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
  const Method* found = find_method(method);
  return found != nullptr && found->look.part != Part::kNone ? style_of(found->look)
                                                             : kOthers[place % std::size(kOthers)];
}

std::span<const std::string_view> palette() {
  static constexpr std::string_view kColours[] = {kBlue,   kOrange, kGreen,
                                                  kPurple, kSky,    kVermilion};
  return kColours;
}

CurveStyle style_of_case(std::size_t n) { return kCases[n % std::size(kCases)]; }

CurveStyle style_of_group(std::size_t n, std::size_t k) {
  static constexpr std::string_view kColours[] = {kBlue,  kVermilion, kBlack, kOrange,
                                                  kGreen, kPurple,    kSky};
  static constexpr int kMarkers[] = {kCircle,   kTriangle,   kDiamond,     kSquare,
                                     kDownward, kCircle - 1, kTriangle - 1};
  static constexpr int kDashes[] = {kSolid, kDashed, 4, 3, 5};
  CurveStyle style = {kColours[n % std::size(kColours)], kMarkers[n % std::size(kMarkers)],
                      kDashes[k % std::size(kDashes)]};
  if (k % 2 == 1) style.marker ^= 1;  // open and filled in turn
  return style;
}

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
