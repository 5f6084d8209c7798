#pragma once

#include <vector>

namespace tactus::experiment {

struct Interval {
  double low = 0, high = 0;
};

/// Wilson's 95 % interval of a ratio of `hits` in `count`, as fractions; [0, 1] when count is 0.
/// Unlike the normal one it stays inside [0, 1] and has a width at 0 and 1.
Interval wilson(double hits, double count);

/// Mean, its 95 % interval (Student's; of a single value no more than that), and the quartiles
/// (interpolated) of some values; all NaN when there are none. Sorts them.
struct Summary {
  double mean, low, high;
  double least, quartile1, median, quartile3, most;
};
Summary summarise(std::vector<double>& values);

}  // namespace tactus::experiment
