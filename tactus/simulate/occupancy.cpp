#include "tactus/simulate/occupancy.hpp"

namespace tactus::simulate {

Occupancy::Occupancy(const Platform& platform) {
  for (const Element& element : platform.elements) {
    elements_.push_back({element.units, element.lanes});
  }
}

void Occupancy::Part::add_page(std::size_t page) {
  if (page >= pages.size()) pages.resize(page + 1);
  pages[page] = std::make_unique<std::int64_t[]>(kPage);
}

}  // namespace tactus::simulate
