// How a claim is computed from curves.
#include <limits>

#include "tactus/experiment/describe/expression.hpp"
#include "tests/fuzz/targets/fuzz.hpp"

using namespace tactus;
using experiment::Source;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Source kSource = [] {
    Source source;
    source.curve = [](const experiment::CurveName& name) -> Source::Points {
      if (name.line == "none") return Error{"there is no such line"};
      if (!name.x.empty()) return std::vector<double>{1.5};
      if (name.variant == "holes")
        return std::vector<double>{1, std::numeric_limits<double>::quiet_NaN(), 3};
      return std::vector<double>{1, 2, 3};
    };
    source.accepted = source.spread = source.weighted = source.sets = source.curve;
    source.lost = [](const experiment::CurveName&, const experiment::CurveName&) -> Source::Points {
      return std::vector<double>{2, 0};
    };
    return source;
  }();
  const std::string text = fuzz::text_of(data, size);
  const auto value = experiment::evaluate(text, kSource);
  if (!value) {
    fuzz::demand_one_line(value.error().message);
    fuzz::demand(value.error().at.column <= text.size() + 1, "a complaint points into the text");
  }
  return 0;
}
