#pragma once

#include <cstddef>
#include <vector>

namespace tactus::pbs {

/// max g*y subject to 0 <= y_i <= u_i and cuts a*y <= b that are added as they are found violated.
///
/// A dense dictionary and the dual simplex only: at the start every y_i stands at its upper bound,
/// which is optimal for g >= 0, and each new cut is repaired from there. In floating point; the
/// caller checks the result in integers.
///
///     LinearProgram lp(g, upper);
///     while (std::optional<Cut> cut = violated(lp.solution())) lp.add_cut(cut->a, cut->b);
class LinearProgram {
 public:
  LinearProgram(const std::vector<double>& objective, const std::vector<double>& upper);

  /// Adds `coefficients * y <= bound` and solves again; false when the pivots run out.
  bool add_cut(const std::vector<double>& coefficients, double bound);

  const std::vector<double>& solution() const { return solution_; }

 private:
  /// basic = constant + sum over non-basic j of coefficient[j] * x_j.
  struct BasicRow {
    std::size_t variable;
    double constant;
    std::vector<double> coefficient;
  };
  bool solve();
  void pivot(std::size_t row, std::size_t column);
  void read_solution();

  std::size_t count_;  ///< of y; variable i is y_i, i + count_ its distance to u_i, then cut slacks
  std::vector<double> upper_;
  std::vector<std::size_t> nonbasic_;
  std::vector<double> reduced_;  ///< of the objective, <= 0
  std::vector<BasicRow> rows_;
  std::vector<double> solution_;
  std::size_t next_variable_;
};

}  // namespace tactus::pbs
