#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tactus/base/time.hpp"

/// Slack as a part of the deadline, exactly.
namespace tactus::report {

/// A part of a whole in millionths, and how it was written ("20%").
struct Percent {
  std::int64_t millionths = 0;
  std::string text;
};

/// "20%", "12.5%": from 0% to 100%, at most four digits behind the point. Nothing if it is not.
std::optional<Percent> parse_percent(std::string_view text);

/// Is at least this part of the deadline left? @pre deadline > 0
bool has_slack(Time bound, Time deadline, const Percent& least);

/// -1, 0 or 1 as the first slack is smaller than, equal to or larger than the second, as parts of
/// their deadlines.
int compare_slack(Time bound_a, Time deadline_a, Time bound_b, Time deadline_b);

/// "8.05", rounded down to hundredths of a percent; negative where the bound exceeds the deadline.
std::string slack_percent(Time bound, Time deadline);

}  // namespace tactus::report
