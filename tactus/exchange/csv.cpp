#include "tactus/exchange/csv.hpp"

#include <algorithm>

namespace tactus::exchange {
namespace {

class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : text_(text) {}

  Csv read() {
    while (place_ < text_.size() && !csv_.problem) row();
    return std::move(csv_);
  }

 private:
  bool at_end_of_line() const { return place_ >= text_.size() || text_[place_] == '\n'; }
  void advance() {
    if (text_[place_] == '\n') {
      ++at_.line;
      at_.column = 1;
    } else if ((text_[place_] & 0xC0) != 0x80) {
      ++at_.column;
    }
    ++place_;
  }
  void skip_blanks() {
    while (!at_end_of_line() && (text_[place_] == ' ' || text_[place_] == '\t')) advance();
  }

  void row() {
    CsvRow row;
    for (;;) {
      row.push_back(field());
      if (csv_.problem || at_end_of_line()) break;
      advance();  // the comma
    }
    if (place_ < text_.size()) advance();
    const bool empty = row.size() == 1 && row.front().text.empty();
    if (!empty) csv_.rows.push_back(std::move(row));
  }

  CsvField field() {
    skip_blanks();
    CsvField field{{}, at_};
    if (!at_end_of_line() && text_[place_] == '"') {
      quoted(field);
      while (!at_end_of_line() && text_[place_] != ',') advance();
      return field;
    }
    while (!at_end_of_line() && text_[place_] != ',') {
      field.text += text_[place_];
      advance();
    }
    const std::size_t end = field.text.find_last_not_of(" \t\r");
    field.text.erase(end == std::string::npos ? 0 : end + 1);
    return field;
  }

  void quoted(CsvField& field) {
    advance();
    for (;;) {
      if (place_ >= text_.size()) {
        csv_.problem = {"a text in quotes does not end", {}, field.at};
        return;
      }
      if (text_[place_] == '"') {
        advance();
        if (place_ >= text_.size() || text_[place_] != '"') return;
      }
      field.text += text_[place_];
      advance();
    }
  }

  std::string_view text_;
  std::size_t place_ = 0;
  Position at_{1, 1};
  Csv csv_;
};

}  // namespace

Csv read_csv(std::string_view text) { return CsvReader(text).read(); }

std::string plain_title(std::string_view title) {
  std::string plain;
  for (char c : title) {
    const bool blank = c == ' ' || c == '\t' || c == '_';
    if (blank && (plain.empty() || plain.back() == ' ')) continue;
    plain += blank ? ' ' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return plain;
}

std::optional<std::size_t> column_of(const CsvRow& titles,
                                     std::initializer_list<const char*> names) {
  for (std::size_t i = 0; i < titles.size(); ++i) {
    const std::string title = plain_title(titles[i].text);
    if (std::find(names.begin(), names.end(), title) != names.end()) return i;
  }
  return std::nullopt;
}

}  // namespace tactus::exchange
