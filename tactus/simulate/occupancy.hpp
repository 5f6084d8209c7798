#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "tactus/model/system.hpp"

namespace tactus::simulate {

/// How much of every element is taken. Works come and go one by one, so that a decision costs only
/// as much as it changes.
class Occupancy {
 public:
  explicit Occupancy(const Platform& platform);

  /// Takes `width` units from `unit` on, or lanes of `unit` where units have several; a width of
  /// zero shares the unit with others. False if they were not free: no unit is taken beyond its
  /// lanes, no element beyond its units, and no two works have a unit in common.
  bool take(ElementIndex element, std::uint32_t unit, std::uint32_t width) {
    Part& part = elements_[element];
    part.in_use += width;
    std::int64_t& here = part.taken(unit);
    if (part.lanes > 1) return (here += width) <= part.lanes;
    return (here += std::min(width, 1U)) <= 1 && part.in_use <= part.units;
  }
  void give(ElementIndex element, std::uint32_t unit, std::uint32_t width) {
    Part& part = elements_[element];
    part.in_use -= width;
    part.taken(unit) -= part.lanes > 1 ? width : std::min(width, 1U);
  }

  /// Units, or lanes, that are taken.
  std::int64_t in_use(ElementIndex element) const { return elements_[element].in_use; }

 private:
  struct Part {
    std::int64_t units, lanes;
    std::int64_t in_use = 0;
    /// By unit: lanes that are taken, or works that begin there. A page is allocated with the first
    /// work on it: files may have millions of units.
    std::vector<std::unique_ptr<std::int64_t[]>> pages = {};

    std::int64_t& taken(std::uint32_t unit) {
      const std::size_t page = unit / kPage;
      if (page >= pages.size() || pages[page] == nullptr) add_page(page);
      return pages[page][unit % kPage];
    }
    void add_page(std::size_t page);
  };
  static constexpr std::uint32_t kPage = 512;

  std::vector<Part> elements_;
};

}  // namespace tactus::simulate
