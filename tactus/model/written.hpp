#pragma once

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "tactus/model/codec.hpp"
#include "tactus/model/format.hpp"
#include "tactus/model/whole_document.hpp"

/// Documents that are written and described, and not read back: the same tables as for the system
/// file (field.hpp), in which values may also be computed.
///
///     always<&Observed::end, TimeSeen>("end", "How long it ran"),
///     always<Flag>("good", "No deadline missed", [](const Observed& o) { return o.good(); }),
///
/// `where_known` leaves out what its producer does not know: null, empty, or 0.
namespace tactus {

/// Into an object that is open.
template <typename Owner>
void write_members(json::Writer& out, const System& system, const Owner& owner) {
  for (const Field<Owner>& field : fields<Owner>()) field.write(out, field.key, system, owner);
}

/// What a schema says of a field, whoever has it. Without a key it stands for members under names
/// that their owner has chosen.
struct Described {
  std::string_view key;
  bool required;
  std::string_view doc;
  void (*describe)(json::Writer&);
};

template <typename Owner>
std::vector<Described> described() {
  std::vector<Described> all;
  for (const Field<Owner>& field : fields<Owner>()) {
    all.push_back({field.key, field.required, field.doc, field.describe});
  }
  return all;
}

/// The JSON Schema of an object that has these members.
void describe_object(json::Writer& out, std::span<const Described> members);

namespace codec {

using TimeSeen = UpperTime;

/// Text that need not be a member.
struct Line : Text {
  static void write(json::Writer& out, const System&, std::string_view text) { out.string(text); }
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

/// A number of any sign, ready as text: a share, a factor, a value of some knob.
struct Decimal {
  static void write(json::Writer& out, const System&, std::string_view text) { out.number(text); }
  static void describe(json::Writer& out) { out.key("type").string("number"); }
};

/// An instant that may be before the one it is counted from.
struct SignedTime : TimeSeen {
  static void describe(json::Writer& out) { out.key("type").string("number"); }
};

/// Any value, as JSON text; null where that is empty.
struct AnyValue {
  static void write(json::Writer& out, const System&, std::string_view text) {
    out.number(text.empty() ? "null" : text);
  }
  static void describe(json::Writer&) {}
};

template <typename Codec>
struct OrNull {
  template <typename T>
  static void write(json::Writer& out, const System& system, const T& value) {
    if (value) {
      Codec::write(out, system, *value);
    } else {
      out.null();
    }
  }
  static void describe(json::Writer& out) {
    out.key("anyOf").begin_array().begin_object();
    Codec::describe(out);
    out.end_object().begin_object().key("type").string("null").end_object().end_array();
  }
};
template <>
inline void OrNull<TimeSeen>::describe(json::Writer& out) {
  out.key("type").begin_array().string("number").string("null").end_array();
}

/// One of these words.
template <Noun... kWords>
struct OneOf {
  static void write(json::Writer& out, const System&, std::string_view word) { out.string(word); }
  static void describe(json::Writer& out) {
    out.key("enum").begin_array();
    (out.string(kWords.value), ...);
    out.end_array();
  }
};

/// A value of an enumeration that names them itself, up to its last.
template <typename E, E kLast>
struct Named {
  static void write(json::Writer& out, const System&, E value) { out.string(to_string(value)); }
  static void describe(json::Writer& out) {
    out.key("enum").begin_array();
    for (int i = 0; i <= static_cast<int>(kLast); ++i) out.string(to_string(static_cast<E>(i)));
    out.end_array();
  }
};

struct TaskName {
  static void write(json::Writer& out, const System& system, TaskIndex task) {
    out.string(system.tasks[task].name);
  }
  static void describe(json::Writer& out) { Text::describe(out); }
};

struct ElementName {
  static void write(json::Writer& out, const System& system, ElementIndex element) {
    out.string(system.platform.elements[element].name);
  }
  static void describe(json::Writer& out) { Text::describe(out); }
};

/// An array.
template <typename Codec>
struct List {
  template <typename Range>
  static void write(json::Writer& out, const System& system, const Range& items) {
    out.begin_array();
    for (const auto& item : items) Codec::write(out, system, item);
    out.end_array();
  }
  static void describe(json::Writer& out) {
    out.key("type").string("array").key("items").begin_object();
    Codec::describe(out);
    out.end_object();
  }
};
using Lines = List<Line>;

/// An object that has members of any name besides those of its table.
template <typename T>
struct OpenObject : Object<T> {
  static void describe(json::Writer& out) { describe_object(out, described<T>()); }
};

/// An object of values of one kind by name: pairs of both.
template <typename Codec>
struct ByName {
  template <typename Range>
  static void write(json::Writer& out, const System& system, const Range& entries) {
    out.begin_object();
    for (const auto& [name, value] : entries) Codec::write(out.key(name), system, value);
    out.end_object();
  }
  static void describe(json::Writer& out) {
    out.key("type").string("object").key("additionalProperties").begin_object();
    Codec::describe(out);
    out.end_object();
  }
};

/// The same by the names of tasks: pairs of a task's index and a value.
template <typename Codec>
struct ByTask : ByName<Codec> {
  template <typename Range>
  static void write(json::Writer& out, const System& system, const Range& entries) {
    out.begin_object();
    for (const auto& [task, value] : entries) {
      Codec::write(out.key(system.tasks[task].name), system, value);
    }
    out.end_object();
  }
};

namespace written {

template <typename Get, typename Call = decltype(&Get::operator())>
struct Computed;
template <typename Get, typename Value, typename O>
struct Computed<Get, Value (Get::*)(const O&) const> {
  using Owner = O;
  static Value get(const System&, const Owner& owner) { return Get()(owner); }
};
template <typename Get, typename Value, typename O>
struct Computed<Get, Value (Get::*)(const System&, const O&) const> {
  using Owner = O;
  static Value get(const System& system, const Owner& owner) { return Get()(system, owner); }
};
template <auto Member>
struct Stored {
  using Owner = decltype(detail::owner_of(Member));
  static const auto& get(const System&, const Owner& owner) { return owner.*Member; }
};

template <typename Value, typename O, Value (*kFunction)(const O&)>
struct Stored<kFunction> {
  using Owner = O;
  static Value get(const System&, const Owner& owner) { return kFunction(owner); }
};
template <typename Value, typename O, Value (*kFunction)(const System&, const O&)>
struct Stored<kFunction> {
  using Owner = O;
  static Value get(const System& system, const Owner& owner) { return kFunction(system, owner); }
};

template <typename Get, typename Codec, bool kAlways>
struct Written {
  using Owner = typename Get::Owner;
  static void write(json::Writer& out, std::string_view key, const System& system,
                    const Owner& owner) {
    decltype(auto) value = Get::get(system, owner);
    if constexpr (kAlways) {
      Codec::write(out.key(key), system, value);
    } else if constexpr (requires { *value; }) {
      if (value) Codec::write(out.key(key), system, *value);
    } else if constexpr (requires { value.empty(); }) {
      if (!value.empty()) Codec::write(out.key(key), system, value);
    } else {
      if (value > std::remove_cvref_t<decltype(value)>()) {
        Codec::write(out.key(key), system, value);
      }
    }
  }
  static constexpr Field<Owner> field(std::string_view key, std::string_view doc) {
    return {key, kAlways, doc, nullptr, write, Codec::describe};
  }
};

}  // namespace written

/// One that is always there: a member, or what a function of its owner, or of the system and its
/// owner, gives.
template <auto Member, typename Codec>
constexpr auto always(std::string_view key, std::string_view doc) {
  return written::Written<written::Stored<Member>, Codec, true>::field(key, doc);
}
template <typename Codec, typename Get>
constexpr auto always(std::string_view key, std::string_view doc, Get) {
  return written::Written<written::Computed<Get>, Codec, true>::field(key, doc);
}

/// One that is left out where there is nothing to say.
template <auto Member, typename Codec>
constexpr auto where_known(std::string_view key, std::string_view doc) {
  return written::Written<written::Stored<Member>, Codec, false>::field(key, doc);
}
template <typename Codec, typename Get>
constexpr auto where_known(std::string_view key, std::string_view doc, Get) {
  return written::Written<written::Computed<Get>, Codec, false>::field(key, doc);
}

/// What every document of ours begins with: the version of the format, and what it is.
template <typename Document>
constexpr Field<Document> version() {
  return version_field<Document, kFormatVersion>("tactus");
}
template <typename Document, Noun kKind>
constexpr Field<Document> kind() {
  return {"kind",
          true,
          "What this document is",
          nullptr,
          [](json::Writer& out, std::string_view key, const System&, const Document&) {
            out.key(key).string(kKind.value);
          },
          [](json::Writer& out) { out.key("const").string(kKind.value); }};
}
template <typename Document>
constexpr Field<Document> system_name() {
  return {"system",
          true,
          "The name of the system",
          nullptr,
          [](json::Writer& out, std::string_view key, const System& system, const Document&) {
            out.key(key).string(system.name);
          },
          Text::describe};
}

/// The same where there is no table. The object stays open.
inline void begin_document(json::Writer& out, std::string_view kind) {
  out.begin_object().key("tactus").integer(kFormatVersion).key("kind").string(kind);
}

/// A whole document, by its table.
template <typename Document>
std::string document_of(const System& system, const Document& document) {
  json::Writer out;
  write_object(out, system, document);
  return out.take();
}

}  // namespace codec
}  // namespace tactus
