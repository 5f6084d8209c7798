#include "tactus/report/text/table_parts.hpp"

namespace tactus::report {
namespace {

/// The columns before `kept`, and those from `first` to `last`.
Table part_of(const Table& table, std::size_t kept, std::size_t first, std::size_t last) {
  const auto chosen = [&](const auto& all) {
    std::vector<std::decay_t<decltype(all.front())>> some;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i < kept || (i >= first && i < last)) some.push_back(all[i]);
    }
    return some;
  };
  Table part(chosen(table.columns()));
  for (const auto& row : table.rows()) part.add(chosen(row));
  return part;
}

}  // namespace

std::string in_parts(const Table& table, std::size_t kept, const Style& style,
                     std::string_view indent) {
  const int most = style.fold - static_cast<int>(indent.size());
  const std::size_t columns = table.columns().size();
  std::string out;
  for (std::size_t first = kept; first < columns;) {
    std::size_t last = first + 1;  // one column at least, however wide it is
    while (last < columns && part_of(table, kept, first, last + 1).width() <= most) ++last;
    if (!out.empty()) out += '\n';
    out += part_of(table, kept, first, last).render(style, indent);
    first = last;
  }
  return out;
}

}  // namespace tactus::report
