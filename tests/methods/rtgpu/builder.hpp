#pragma once

#include <string>
#include <vector>

#include "tactus/base/random.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/model/system.hpp"
#include "tests/support/scaled.hpp"

/// Small systems for the tests of the rtgpu family, written down in a line each.
namespace tactus::rtgpu::testing {

/// How many random systems a property is tried on; TACTUS_FULL=1 asks for more.
inline int sets(int usual) { return support::scaled(usual, 20); }

/// The options of a run: variant, and an allocation where one is given.
Options with(std::string_view variant, std::string allocation = {});

Time ms(double value);  ///< exact to the nanosecond

/// A platform of cpu, copy elements "copy", "copy2", ... and a gpu; tasks are added afterwards.
class Builder {
 public:
  explicit Builder(std::int64_t sms, std::int64_t cores = 1, int buses = 1);

  /// Times in the unit of `tick` (1 ms unless told).
  Builder& tick(Time length);
  Builder& task(std::string name, double period, double deadline = 0);  ///< 0: the period
  Builder& best_effort(std::string name);
  Builder& core(std::int64_t core);
  Builder& priority(std::int64_t priority);
  Builder& cpu(double wcet, double bcet);
  Builder& cpu(double both) { return cpu(both, both); }
  Builder& copy(double wcet, double bcet, int bus = 0);
  Builder& copy(double both) { return copy(both, both); }
  Builder& kernel(double load, double load_min, double overhead = 0, double alpha = 1);
  Builder& rigid(double wcet, double bcet, std::int64_t parallelism = 1);
  /// A measured curve, entry by entry.
  struct Measured {
    std::int64_t units;
    double wcet, bcet;
  };
  Builder& times(const std::vector<Measured>& entries);
  Builder& launch(double length);  ///< of the last node

  System build() const;

 private:
  Node& node(ElementIndex on);
  Time ticks(double value) const;

  System system_;
  Time tick_ = Time::from_ms(1);
  ElementIndex gpu_;
};

/// Two tasks that are fine with one SM each, and not when the more urgent one has seven: spare SMs
/// are not free (docs/use/methods/rtgpu.md).
System spare_sms_hurt();

/// What a random system may hold.
struct Shape {
  int tasks_most = 4;
  std::int64_t sms_most = 8;
  std::int64_t cores_most = 1;
  int buses_most = 1;
  bool odd = false;      ///< rigid kernels, launches, zero lengths, best effort, any chain
  bool lowers = true;    ///< lower bounds below the upper ones
  int utilization = 80;  ///< of one core and bus, in percent, about
  /// How often a kernel is a measured curve, and whether its lower bounds may rise with its SMs.
  double measured = 0;
  bool lowers_rise = true;
};

/// A system with times of a few nanoseconds, so that plain iteration ends.
System random_system(Random& random, const Shape& shape);

}  // namespace tactus::rtgpu::testing
