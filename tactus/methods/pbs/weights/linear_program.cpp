#include "tactus/methods/pbs/weights/linear_program.hpp"

#include <cmath>

namespace tactus::pbs {
namespace {

constexpr double kTolerance = 1e-9;
constexpr int kMostPivots = 2000;

}  // namespace

LinearProgram::LinearProgram(const std::vector<double>& objective, const std::vector<double>& upper)
    : count_(upper.size()), upper_(upper), next_variable_(2 * upper.size()) {
  // y_i = u_i - z_i with z_i >= 0 non-basic: the objective falls with every z_i.
  for (std::size_t i = 0; i < count_; ++i) {
    nonbasic_.push_back(i + count_);
    reduced_.push_back(-objective[i]);
    BasicRow row{i, upper[i], std::vector<double>(count_, 0.0)};
    row.coefficient[i] = -1.0;
    rows_.push_back(std::move(row));
  }
  read_solution();
}

bool LinearProgram::add_cut(const std::vector<double>& coefficients, double bound) {
  BasicRow cut{next_variable_++, bound, std::vector<double>(count_, 0.0)};
  for (std::size_t j = 0; j < count_; ++j) {
    if (nonbasic_[j] < count_) cut.coefficient[j] -= coefficients[nonbasic_[j]];
  }
  for (const BasicRow& row : rows_) {
    if (row.variable >= count_ || coefficients[row.variable] == 0.0) continue;
    const double a = coefficients[row.variable];
    cut.constant -= a * row.constant;
    for (std::size_t j = 0; j < count_; ++j) cut.coefficient[j] -= a * row.coefficient[j];
  }
  // A distance to the upper bound that is basic is fine: only y enters a cut.
  rows_.push_back(std::move(cut));
  return solve();
}

bool LinearProgram::solve() {
  for (int step = 0; step < kMostPivots; ++step) {
    std::size_t leaving = rows_.size();
    double worst = -kTolerance;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      if (rows_[r].constant >= worst) continue;
      worst = rows_[r].constant;
      leaving = r;
    }
    if (leaving == rows_.size()) {
      read_solution();
      return true;
    }
    // The dual ratio test keeps every reduced cost <= 0.
    std::size_t entering = count_;
    double best = INFINITY;
    for (std::size_t j = 0; j < count_; ++j) {
      const double a = rows_[leaving].coefficient[j];
      if (a <= kTolerance) continue;
      const double ratio = -reduced_[j] / a;
      if (ratio < best) {
        best = ratio;
        entering = j;
      }
    }
    if (entering == count_) return false;
    pivot(leaving, entering);
  }
  return false;
}

void LinearProgram::pivot(std::size_t leaving, std::size_t entering) {
  BasicRow& row = rows_[leaving];
  // Solve the row for the entering variable.
  const double a = row.coefficient[entering];
  row.constant = -row.constant / a;
  for (std::size_t j = 0; j < count_; ++j) row.coefficient[j] = -row.coefficient[j] / a;
  row.coefficient[entering] = 1.0 / a;
  std::swap(row.variable, nonbasic_[entering]);
  const auto substitute = [&](double& constant, std::vector<double>& coefficient) {
    const double factor = coefficient[entering];
    if (factor == 0.0) return;
    coefficient[entering] = 0.0;
    constant += factor * row.constant;
    for (std::size_t j = 0; j < count_; ++j) coefficient[j] += factor * row.coefficient[j];
  };
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    if (r != leaving) substitute(rows_[r].constant, rows_[r].coefficient);
  }
  double value = 0;
  substitute(value, reduced_);
}

void LinearProgram::read_solution() {
  solution_.assign(count_, 0.0);
  for (const BasicRow& row : rows_) {
    if (row.variable < count_) solution_[row.variable] = row.constant;
  }
}

}  // namespace tactus::pbs
