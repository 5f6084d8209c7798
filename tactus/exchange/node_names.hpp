#pragma once

#include <map>
#include <string>
#include <string_view>

namespace tactus::exchange {

/// A kernel's name as a person would say it: without parameters, template arguments and namespaces.
/// "void at::native::vectorized_add<4, float>(int)" is "vectorized_add". Never empty, always UTF-8
/// without control characters.
std::string short_name(std::string_view name);

/// A name as a system file can have it: UTF-8 without control characters, not empty, not too long.
std::string clean_name(std::string_view name);

/// Makes names unique: "conv", "conv.2", "conv.3".
class UniqueNames {
 public:
  std::string make(const std::string& name);

 private:
  std::map<std::string, std::size_t> used_;
};

}  // namespace tactus::exchange
