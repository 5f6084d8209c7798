#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tactus/reserve/analysis.hpp"
#include "tests/methods/gcaps/boost/naive_equations.hpp"

/// The controller once more, from the text of its theory alone, on the naive equations: nothing is
/// kept but the list and when who left, and speed is of no interest.
namespace tactus::reserve::slow {

using gcaps::boost::naive::Ns;

struct Bound {
  Ns R = 0;
  std::vector<Ns> F;

  friend bool operator==(const Bound&, const Bound&) = default;
};
using Bounds = std::map<std::string, Bound>;

struct Entry {
  Task task;
  std::vector<int> tr;
  std::optional<Ns> left;  ///< t_x, of a phantom
  Bounds most;             ///< M, of a phantom
};

/// Names never come again.
class Controller {
 public:
  Controller(System platform, Rules rules) : platform_(std::move(platform)), rules_(rules) {}

  struct Answer {
    bool admitted = false;
    std::optional<Ns> again;
  };
  Answer ask(Ns now, const Task& task);
  void gone(const std::string& name, Ns now);
  void idle();
  void pass(Ns now);

  const std::vector<Entry>& entries() const { return list_; }
  const Bounds& in_force() const { return in_force_; }
  /// Of a phantom.
  std::optional<Ns> until(const Entry& phantom) const;

 private:
  using List = std::vector<Entry>;
  std::optional<Bounds> prove(const List& list) const;
  std::optional<std::pair<List, Bounds>> place(const List& list, const Task& task) const;
  static List without(const List& list, const std::vector<std::string>& names);
  std::vector<std::string> gone_by(Ns time) const;
  std::optional<Ns> over(const Entry& phantom) const;

  System platform_;
  Rules rules_;
  List list_;
  Bounds in_force_;
};

}  // namespace tactus::reserve::slow
