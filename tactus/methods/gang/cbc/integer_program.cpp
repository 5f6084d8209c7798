#include <coin/CbcEventHandler.hpp>
#include <coin/CbcModel.hpp>
#include <coin/CglGomory.hpp>
#include <coin/CglKnapsackCover.hpp>
#include <coin/CglMixedIntegerRounding2.hpp>
#include <coin/CglProbing.hpp>
#include <coin/CoinPackedVector.hpp>
#include <coin/OsiClpSolverInterface.hpp>

#include <algorithm>
#include <cmath>

#include "tactus/methods/gang/limits.hpp"
#include "tactus/methods/gang/shares/cbc_module.hpp"

/// The integer program of Section VI, with the corrections of docs/use/methods/gang.md. A library of
/// its own, loaded when it is asked for (module.hpp).
namespace tactus::gang {
namespace {

/// CBC computes with doubles: a row is met when it is met up to about 1e-7. The deadline rows are
/// therefore loosened by more than that, so that no allocation is lost, and every answer is checked
/// in exact arithmetic; a wrong one is excluded by a cut, and the program is solved again.
constexpr double kLoosening = 1e-5;

/// Ends the search at the next node once the caller asked to stop.
class StopHandler final : public CbcEventHandler {
 public:
  explicit StopHandler(const std::stop_token& token) : stop_token_(token) {}
  CbcAction event(CbcEvent) override {
    return stop_token_.stop_requested() ? CbcEventHandler::stop : noAction;
  }
  CbcEventHandler* clone() const override { return new StopHandler(*this); }

 private:
  std::stop_token stop_token_;
};

/// A node of CBC's tree costs about as much as this many steps of the Pareto search.
constexpr std::size_t kStepsPerNode = 1000;

class Program {
 public:
  Program(const AllocationProblem& problem, std::size_t budget) : problem_(problem) {
    model_.messageHandler()->setLogLevel(0);
    model_.setHintParam(OsiDoReducePrint, true, OsiHintTry);
    nodes_left_ = static_cast<int>(std::clamp<std::size_t>(budget / kStepsPerNode, 1, 1'000'000));
    add_variables();
    add_rows();
  }

  /// First the fewest units, then with that number fixed the units one after the other.
  Solution solve(const std::stop_token& stop) {
    std::vector<double> all(columns(), 0);
    for (const Group& group : groups_) {
      for (std::size_t i = 0; i < group.size; ++i) all[group.first + i] = group.units(i);
    }
    Outcome outcome = minimise(all, stop);
    if (outcome != Outcome::kFound) return {outcome};
    double least = 0;
    for (std::size_t c = 0; c < columns(); ++c) least += all[c] * chosen_[c];
    add_row(all, 0, least + 0.5);
    for (const Group& group : groups_) {
      if (chosen_[group.first] == 0) {
        std::vector<double> own(columns(), 0);
        for (std::size_t i = 0; i < group.size; ++i) own[group.first + i] = group.units(i);
        outcome = minimise(own, stop);
        if (outcome != Outcome::kFound) return {Outcome::kBudget};
      }
      for (std::size_t i = 0; i < group.size; ++i) {
        const auto column = static_cast<int>(group.first + i);
        model_.setColBounds(column, chosen_[group.first + i], chosen_[group.first + i]);
      }
    }
    return {Outcome::kFound, allocation()};
  }

 private:
  /// The binary variables of one DAG on one element, one per choice.
  struct Group {
    std::size_t demand, element, first, size;
    const std::vector<Choice>* choices;
    double units(std::size_t i) const { return static_cast<double>((*choices)[i].units); }
  };

  std::size_t columns() const { return static_cast<std::size_t>(model_.getNumCols()); }

  void add_variables() {
    for (std::size_t k = 0; k < problem_.demands.size(); ++k) {
      for (std::size_t p = 0; p < problem_.units.size(); ++p) {
        const auto& choices = problem_.demands[k].choices[p];
        if (choices.empty()) continue;
        groups_.push_back({k, p, columns(), choices.size(), &choices});
        for (std::size_t i = 0; i < choices.size(); ++i) {
          model_.addCol(CoinPackedVector(), 0, 1, 0);
          model_.setInteger(model_.getNumCols() - 1);
        }
      }
    }
  }

  void add_row(const std::vector<double>& coefficients, double low, double high) {
    CoinPackedVector row;
    for (std::size_t c = 0; c < coefficients.size(); ++c) {
      if (coefficients[c] != 0) row.insert(static_cast<int>(c), coefficients[c]);
    }
    model_.addRow(row, low, high);
  }

  void add_rows() {
    // (1) One choice per DAG and element.
    for (const Group& group : groups_) {
      std::vector<double> row(columns(), 0);
      std::fill_n(row.begin() + static_cast<std::ptrdiff_t>(group.first), group.size, 1.0);
      add_row(row, 1, 1);
    }
    // (2) No more units than there are.
    for (std::size_t p = 0; p < problem_.units.size(); ++p) {
      std::vector<double> row(columns(), 0);
      for (const Group& group : groups_) {
        if (group.element != p) continue;
        for (std::size_t i = 0; i < group.size; ++i) row[group.first + i] = group.units(i);
      }
      add_row(row, 0, static_cast<double>(problem_.units[p]));
    }
    // (3) Deadlines, scaled to 1. Without slack only choices without interference are left.
    for (std::size_t k = 0; k < problem_.demands.size(); ++k) {
      const Fraction& slack = problem_.demands[k].slack;
      if (slack == 0) continue;
      std::vector<double> row(columns(), 0);
      for (const Group& group : groups_) {
        if (group.demand != k) continue;
        for (std::size_t i = 0; i < group.size; ++i) {
          row[group.first + i] = Fraction((*group.choices)[i].term / slack).get_d();
        }
      }
      add_row(row, 0, 1 + kLoosening);
    }
  }

  Outcome minimise(const std::vector<double>& objective, const std::stop_token& stop) {
    for (;;) {
      throw_if_stopped(stop);
      model_.setObjective(objective.data());
      model_.setObjSense(1);
      CbcModel search(model_);
      search.setLogLevel(0);
      search.setMaximumNodes(nodes_left_);
      const StopHandler handler(stop);
      search.passInEventHandler(&handler);
      // Objectives are whole numbers.
      search.setCutoffIncrement(0.999);
      // The deadline rows are knapsacks, and loose ones: without cuts the tree grows for minutes.
      CglProbing probing;
      CglGomory gomory;
      CglKnapsackCover covers;
      CglMixedIntegerRounding2 rounding;
      search.addCutGenerator(&probing, -1, "probing");
      search.addCutGenerator(&gomory, -1, "gomory");
      search.addCutGenerator(&covers, -1, "covers");
      search.addCutGenerator(&rounding, -1, "rounding");
      search.initialSolve();
      search.branchAndBound();
      throw_if_stopped(stop);
      nodes_left_ = std::max(1, nodes_left_ - search.getNodeCount());
      if (search.isProvenInfeasible()) return Outcome::kInfeasible;
      if (!search.isProvenOptimal() || search.bestSolution() == nullptr) return Outcome::kBudget;
      chosen_.resize(columns());
      for (std::size_t c = 0; c < columns(); ++c) {
        chosen_[c] = std::round(search.bestSolution()[c]);
      }
      if (!cut_off_missed_deadlines()) return Outcome::kFound;
    }
  }

  /// Forbids, for every DAG whose choices miss its deadline in exact arithmetic, these choices and
  /// all with fewer units. False when there is none.
  bool cut_off_missed_deadlines() {
    bool cut = false;
    for (std::size_t k = 0; k < problem_.demands.size(); ++k) {
      Fraction sum;
      std::vector<double> row(columns(), 0);
      double used = 0;
      for (const Group& group : groups_) {
        if (group.demand != k) continue;
        ++used;
        for (std::size_t i = 0; i < group.size; ++i) {
          row[group.first + i] = 1;
          if (chosen_[group.first + i] == 0) continue;
          sum += (*group.choices)[i].term;
          break;
        }
      }
      if (sum <= problem_.demands[k].slack) continue;
      add_row(row, 0, used - 1);
      cut = true;
    }
    return cut;
  }

  Allocation allocation() const {
    Allocation result(problem_.demands.size(), std::vector<std::int64_t>(problem_.units.size()));
    for (const Group& group : groups_) {
      for (std::size_t i = 0; i < group.size; ++i) {
        if (chosen_[group.first + i] != 0) {
          result[group.demand][group.element] = (*group.choices)[i].units;
        }
      }
    }
    return result;
  }

  const AllocationProblem& problem_;
  OsiClpSolverInterface model_;
  int nodes_left_ = 0;
  std::vector<Group> groups_;
  std::vector<double> chosen_;  ///< 0 or 1 per variable
};

class IntegerProgramSolver final : public AllocationSolver {
 public:
  Solution solve(const AllocationProblem& problem, std::size_t budget,
                 const std::stop_token& stop) const override {
    return Program(problem, budget).solve(stop);
  }
};

}  // namespace
}  // namespace tactus::gang

extern "C" __attribute__((visibility("default"))) const tactus::gang::AllocationSolver*
tactus_cbc_solver() {
  static const tactus::gang::IntegerProgramSolver solver;
  return &solver;
}
