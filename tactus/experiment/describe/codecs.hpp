#pragma once

#include "tactus/experiment/describe/experiment.hpp"
#include "tactus/model/codec.hpp"

/// The kinds of values that an experiment file has beyond those of a system file.
namespace tactus::experiment {

/// Settings: an object whose values are numbers, words, or true and false for "on" and "off".
struct WordsValue {
  static constexpr bool kAlwaysWritten = false;
  static bool read(const json::Value& value, std::string_view key, ReadContext& context,
                   Words& out);
  static void write(json::Writer& out, const System&, const Words& words);
  static void describe(json::Writer& out);
};

/// Numbers or words, at least one, none twice; kept as they were written.
struct WordList {
  static constexpr bool kAlwaysWritten = false;
  static bool read(const json::Value& value, std::string_view key, ReadContext& context,
                   std::vector<std::string>& out);
  static void write(json::Writer& out, const System&, const std::vector<std::string>& words);
  static void describe(json::Writer& out);
};

/// One pattern of file names, or several.
struct PatternList {
  static constexpr bool kAlwaysWritten = false;
  static bool read(const json::Value& value, std::string_view key, ReadContext& context,
                   std::vector<std::string>& out);
  static void write(json::Writer& out, const System&, const std::vector<std::string>& patterns);
  static void describe(json::Writer& out);
};

/// A number that decides no verdict.
struct Real {
  static constexpr bool kAlwaysWritten = false;
  static bool read(const json::Value& value, std::string_view key, ReadContext& context,
                   double& out);
  static void write(json::Writer& out, const System&, double value);
  static void describe(json::Writer& out) { out.key("type").string("number"); }
};

/// A number, an inequality such as "> 0", or null for "no bound".
struct ExpectedValue {
  static constexpr bool kAlwaysWritten = true;
  static bool read(const json::Value& value, std::string_view key, ReadContext& context,
                   Expected& out);
  static void write(json::Writer& out, const System&, const Expected& expected);
  static void describe(json::Writer& out);
};

/// A whole system, as in a file of its own.
struct InlineSystem {
  static constexpr bool kAlwaysWritten = true;
  static bool read(const json::Value& value, std::string_view key, ReadContext& context,
                   System& out);
  static void write(json::Writer& out, const System&, const System& system);
  static void describe(json::Writer& out);
};

}  // namespace tactus::experiment
