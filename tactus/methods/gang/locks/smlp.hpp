#pragma once

#include <vector>

#include "tactus/methods/gang/locks/lock_view.hpp"

/// The SMLP, the lock of the paper's baselines (Section VII-B): a FIFO queue of m requests behind a
/// priority queue, as in the global OMLP. The head of the queue gets units as soon as enough are
/// idle, and of these as many as make it shorter (theory.md).
namespace tactus::gang {

/// How long an access takes on `units` of its element: equal gangs, as many at a time as fit.
Time resized_length(const Element& element, const Access& access, std::int64_t units);

/// The most units times time that an access takes where it is given `fewest` units or more.
Volume largest_area(const Element& element, const Access& access, std::int64_t fewest);

/// The accesses of one such lock.
struct ResizedLock {
  std::int64_t units = 0, fewest = 1, cpus = 0;
  Time longest;               ///< access with the fewest units
  std::vector<Volume> areas;  ///< of all accesses, the largest of each

  /// What a request waits: twice the longest time in the FIFO queue.
  Fraction blocking() const;
  /// The same with m - 1 longest accesses, each as large as it is on the fewest units: what comes
  /// nearest to the ratios that the paper prints. Not safe.
  Fraction published_blocking() const;
};

}  // namespace tactus::gang
