#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): a library's
class Validator;
}

/// What the value of an option must be.
namespace tactus::cli {

class Check {
 public:
  explicit Check(const CLI::Validator& validator);
  const CLI::Validator& validator() const { return *validator_; }

 private:
  std::shared_ptr<const CLI::Validator> validator_;
};

/// Accepts digits only, at least `least` and below 10^9; CLI11 by itself wraps and saturates.
Check whole_number(long least);

/// Accepts a number from `least` to `most`.
Check between(int least, int most);

/// Accepts a plain decimal such as 12.5, which is then read exactly.
Check decimal_number();

/// Accepts one of a list of words.
Check one_of(std::span<const std::string_view> words);
Check one_of(std::vector<std::string> words);
Check one_of(std::initializer_list<std::string_view> words);

/// What synthetic work on a GPU can be.
Check kernel_kind();

}  // namespace tactus::cli
