#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tactus/model/json_writer.hpp"
#include "tactus/model/read_context.hpp"

/// The system file is described once, in tables (format.hpp): an object is a list of fields, and a
/// field knows how to read itself, how to write itself, and how to describe itself in JSON Schema.
/// Reader, writer and schema walk the same tables and so cannot drift apart.
namespace tactus {

template <typename Owner>
struct Field {
  std::string_view key;
  bool required;
  std::string_view doc;
  void (*read)(const json::Value&, std::string_view key, ReadContext&, Owner&);
  /// Writes key and value, or nothing where the value is the default. The system gives the names
  /// behind indices and the unit of times.
  void (*write)(json::Writer&, std::string_view key, const System&, const Owner&);
  /// Writes the members of its JSON Schema.
  void (*describe)(json::Writer&);
};

/// The table of an object; specialised in format.cpp for every object of the format.
template <typename Owner>
std::span<const Field<Owner>> fields();

/// What must hold beyond the single fields, and defaults that depend on other fields; specialised
/// in check.cpp where there is something. `source` is the object as it was written.
template <typename Owner>
void check(const json::Value& /*source*/, ReadContext& /*context*/, Owner& /*owner*/) {}

namespace detail {

template <typename T>
struct Unwrapped {
  using type = T;
};
template <typename T>
struct Unwrapped<std::optional<T>> {
  using type = T;
};

template <typename Owner, typename M>
Owner owner_of(M Owner::*);
template <typename Owner, typename M>
M member_of(M Owner::*);

}  // namespace detail

/// Binds a member to a codec (codec.hpp). An optional member is written when set; a plain member
/// when it differs from its default.
template <auto Member, typename Codec>
constexpr auto field(std::string_view key, std::string_view doc, bool required = false) {
  using Owner = decltype(detail::owner_of(Member));
  using Stored = decltype(detail::member_of(Member));
  using Plain = typename detail::Unwrapped<Stored>::type;
  return Field<Owner>{
      key,
      required,
      doc,
      [](const json::Value& value, std::string_view name, ReadContext& context, Owner& owner) {
        Plain plain{};
        if (Codec::read(value, name, context, plain)) owner.*Member = std::move(plain);
      },
      [](json::Writer& out, std::string_view name, const System& system, const Owner& owner) {
        const Stored& stored = owner.*Member;
        if constexpr (std::is_same_v<Stored, Plain>) {
          static const Stored kDefault = Owner{}.*Member;
          // Names, kinds and references have no default worth omitting.
          if (!Codec::kAlwaysWritten && stored == kDefault) return;
          Codec::write(out.key(name), system, stored);
        } else if (stored) {
          Codec::write(out.key(name), system, *stored);
        }
      },
      [](json::Writer& out) { Codec::describe(out); },
  };
}

/// Reads an object by its table: unknown and repeated keys, missing fields, then each field in the
/// order of the table (so that a field may rely on those above it).
template <typename Owner>
bool read_object(const json::Value& value, ReadContext& context, Owner& owner) {
  if (!value.is(json::Kind::kObject)) {
    context.error(value, "expected an object");
    return false;
  }
  // Before the parts, so that positions are asked in the order of the file.
  if constexpr (requires { owner.at; }) owner.at = context.position(value);
  constexpr std::size_t kMostFields = 32;
  const std::span<const Field<Owner>> table = fields<Owner>();
  const json::Member* present[kMostFields] = {};
  for (const json::Member& member : value.members()) {
    std::size_t i = 0;
    while (i < table.size() && table[i].key != member.key) ++i;
    if (i == table.size()) {
      std::vector<std::string_view> known;
      if (context.tells_errors()) {
        for (const Field<Owner>& field : table) known.push_back(field.key);
      }
      context.error(member, "unknown key " + quote(member.key) + suggestion(member.key, known));
    } else if (present[i] != nullptr) {
      context.error(member, "key " + quote(member.key) + " is given twice");
    } else {
      present[i] = &member;
    }
  }
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (present[i] != nullptr) {
      table[i].read(present[i]->value, table[i].key, context, owner);
    } else if (table[i].required) {
      context.error(value, quote(table[i].key) + " is missing");
    }
  }
  check(value, context, owner);
  return true;
}

template <typename Owner>
void write_object(json::Writer& out, const System& system, const Owner& owner) {
  out.begin_object();
  for (const Field<Owner>& field : fields<Owner>()) field.write(out, field.key, system, owner);
  out.end_object();
}

/// The JSON Schema of an object, from its table.
template <typename Owner>
void describe_object(json::Writer& out) {
  out.key("type").string("object");
  out.key("additionalProperties").boolean(false);
  out.key("required").begin_array();
  for (const Field<Owner>& field : fields<Owner>()) {
    if (field.required) out.string(field.key);
  }
  out.end_array().key("properties").begin_object();
  for (const Field<Owner>& field : fields<Owner>()) {
    out.key(field.key).begin_object();
    out.key("description").string(field.doc);
    field.describe(out);
    out.end_object();
  }
  out.end_object();
}

}  // namespace tactus
