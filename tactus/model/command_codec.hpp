#pragma once

#include <string>
#include <vector>

#include "tactus/model/codec.hpp"

/// The values of a `command` that nothing else in the system file has.
namespace tactus::codec {

/// The program and its arguments: at least the program, and none with a NUL, which ends an
/// argument.
struct Arguments {
  static constexpr bool kAlwaysWritten = true;
  static bool read(const json::Value& value, std::string_view key, ReadContext& context,
                   std::vector<std::string>& out);
  static bool check(const std::vector<std::string>& arguments, std::string_view key,
                    ReadContext& context, Position at);
  static void write(json::Writer& out, const System&, const std::vector<std::string>& arguments);
  static void describe(json::Writer& out);
};

/// Environment variables, in the order of the file.
struct Variables {
  static constexpr bool kAlwaysWritten = false;
  static bool read(const json::Value& value, std::string_view key, ReadContext& context,
                   std::vector<Variable>& out);
  static bool check(const std::vector<Variable>& variables, std::string_view key,
                    ReadContext& context, Position at);
  static void write(json::Writer& out, const System&, const std::vector<Variable>& variables);
  static void describe(json::Writer& out);
};

}  // namespace tactus::codec
