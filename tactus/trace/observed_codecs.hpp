#pragma once

#include <fmt/format.h>

#include "tactus/model/codec.hpp"
#include "tactus/trace/statistics.hpp"

/// The kinds of values that a record of a run has. They are written and described, but not read
/// back yet.
namespace tactus::trace {

using TimeSeen = codec::UpperTime;

template <typename Codec>
struct OrNull {
  template <typename T>
  static void write(json::Writer& out, const System& system, const std::optional<T>& value) {
    if (value) {
      Codec::write(out, system, *value);
    } else {
      out.null();
    }
  }
  static void describe(json::Writer& out) {
    out.key("type").begin_array().string("number").string("null").end_array();
  }
};

/// How often something happened, or how many there are.
struct Number {
  template <typename T>
  static void write(json::Writer& out, const System&, const T& value) {
    if constexpr (requires { value.size(); }) {
      out.number(fmt::to_string(value.size()));
    } else {
      out.number(fmt::to_string(value));
    }
  }
  static void describe(json::Writer& out) {
    out.key("type").string("integer");
    out.key("minimum").integer(0);
  }
};

/// Many times, as a summary.
struct Spread {
  static void write(json::Writer& out, const System& system, const std::vector<Time>& times) {
    write_object(out, system, statistics_of(times));
  }
  static void describe(json::Writer& out) { describe_object<Statistics>(out); }
};

struct TaskName {
  static void write(json::Writer& out, const System& system, TaskIndex task) {
    out.string(system.tasks[task].name);
  }
  static void describe(json::Writer& out) { out.key("type").string("string"); }
};

struct ElementName {
  static void write(json::Writer& out, const System& system, ElementIndex element) {
    out.string(system.platform.elements[element].name);
  }
  static void describe(json::Writer& out) { out.key("type").string("string"); }
};

struct Lines {
  static void write(json::Writer& out, const System&, const std::vector<std::string>& lines) {
    out.begin_array();
    for (const std::string& line : lines) out.string(line);
    out.end_array();
  }
  static void describe(json::Writer& out) {
    out.key("type").string("array");
    out.key("items").begin_object().key("type").string("string").end_object();
  }
};

/// One that is always there.
template <auto Member, typename Codec>
constexpr auto always(std::string_view key, std::string_view doc) {
  using Owner = decltype(detail::owner_of(Member));
  return Field<Owner>{
      key,
      true,
      doc,
      nullptr,
      [](json::Writer& out, std::string_view name, const System& system, const Owner& owner) {
        Codec::write(out.key(name), system, owner.*Member);
      },
      [](json::Writer& out) { Codec::describe(out); }};
}

/// A field that is written if the producer knows it: an optional that is set, a list or text that
/// is not empty, a number above 0.
template <auto Member, typename Codec>
constexpr auto where_known(std::string_view key, std::string_view doc) {
  using Owner = decltype(detail::owner_of(Member));
  return Field<Owner>{
      key,
      false,
      doc,
      nullptr,
      [](json::Writer& out, std::string_view name, const System& system, const Owner& owner) {
        const auto& value = owner.*Member;
        if constexpr (requires { value.has_value(); }) {
          if (value) Codec::write(out.key(name), system, *value);
        } else if constexpr (requires { value.empty(); }) {
          if (!value.empty()) Codec::write(out.key(name), system, value);
        } else {
          if (value > std::remove_cvref_t<decltype(value)>()) {
            Codec::write(out.key(name), system, value);
          }
        }
      },
      [](json::Writer& out) { Codec::describe(out); }};
}

/// One that is computed from the others. `Value` has `write(out, system, owner)`.
template <typename Owner, typename Value>
constexpr auto computed(std::string_view key, std::string_view doc, bool required = true) {
  return Field<Owner>{
      key,
      required,
      doc,
      nullptr,
      [](json::Writer& out, std::string_view name, const System& system, const Owner& owner) {
        if (Value::known(owner)) Value::write(out.key(name), system, owner);
      },
      [](json::Writer& out) { Value::describe(out); }};
}

}  // namespace tactus::trace
