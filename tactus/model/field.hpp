#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tactus/base/json_writer.hpp"
#include "tactus/model/read_context.hpp"

/// The system file is described once, in tables (format.hpp): an object is a list of fields, and a
/// field knows how to read itself, how to check itself in memory, how to write itself, and how to
/// describe itself in JSON Schema. Reader, checker, writer and schema walk the same tables and so
/// cannot drift apart.
namespace tactus {

template <typename Owner>
struct Field {
  std::string_view key;
  bool required;
  std::string_view doc;
  /// False if the value cannot be used; that has been reported.
  bool (*read)(const json::Value&, std::string_view key, ReadContext&, Owner&);
  /// Writes key and value, or nothing if the value is the default. The system gives the names
  /// behind indices and the unit of times.
  void (*write)(json::Writer&, std::string_view key, const System&, const Owner&);
  /// Writes the members of its JSON Schema.
  void (*describe)(json::Writer&);
  /// Checks the value in memory by the rules of `read` and reports problems; `at` is where the
  /// object came from. Null if nothing can be wrong, or if the object always comes from a file.
  bool (*check)(std::string_view key, ReadContext&, Owner&, Position at) = nullptr;
};

/// The table of an object; specialised in format.cpp for every object of the format.
template <typename Owner>
std::span<const Field<Owner>> fields();

/// What must hold beyond the single fields, and defaults that depend on other fields; specialised
/// in check.cpp where there is something.
template <typename Owner>
void check(const Origin& /*origin*/, ReadContext& /*context*/, Owner& /*owner*/) {}

namespace detail {

template <typename T>
struct Unwrapped {
  using type = T;
};
template <typename T>
struct Unwrapped<std::optional<T>> {
  using type = T;
};
template <typename T>
struct Unwrapped<Rare<T>> {
  using type = T;
};

template <typename Owner, typename M>
Owner owner_of(M Owner::*);
template <typename Owner, typename M>
M member_of(M Owner::*);

/// `Field::check` of a member; an optional one is checked when it is set.
template <auto Member, typename Codec>
constexpr auto check_of() {
  using Owner = decltype(owner_of(Member));
  using Stored = decltype(member_of(Member));
  using Check = bool (*)(std::string_view, ReadContext&, Owner&, Position);
  if constexpr (requires(typename Unwrapped<Stored>::type & value, ReadContext & context) {
                  Codec::check(value, std::string_view(), context, Position());
                }) {
    return Check([](std::string_view key, ReadContext& context, Owner& owner, Position at) {
      Stored& stored = owner.*Member;
      if constexpr (std::is_same_v<Stored, typename Unwrapped<Stored>::type>) {
        return Codec::check(stored, key, context, at);
      } else {
        return !stored || Codec::check(*stored, key, context, at);
      }
    });
  } else {
    return Check(nullptr);
  }
}

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
        if (!Codec::read(value, name, context, plain)) return false;
        owner.*Member = std::move(plain);
        return true;
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
      detail::check_of<Member, Codec>(),
  };
}

/// The keys of an object whose values are wrong by themselves. Nearly always there are none, so
/// nothing is prepared for them: a file may have a million nodes.
class SpoiltKeys {
 public:
  void add(std::string_view key) { keys_.push_back(key); }
  std::span<const std::string_view> keys() const { return keys_; }

 private:
  std::vector<std::string_view> keys_;
};

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
  std::size_t after = 0;  // most files give the fields in the order of the table
  for (const json::Member& member : value.members()) {
    std::size_t i = after;
    while (i < table.size() && table[i].key != member.key) ++i;
    if (i == table.size()) {
      i = 0;
      while (i < after && table[i].key != member.key) ++i;
      if (i == after) i = table.size();
    }
    if (i < table.size()) after = i + 1;
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
  SpoiltKeys spoilt;
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (present[i] != nullptr) {
      if (table[i].read(present[i]->value, table[i].key, context, owner)) continue;
      spoilt.add(table[i].key);
    } else if (table[i].required) {
      context.error(value, quote(table[i].key) + " is missing");
    }
  }
  check(Origin(value, spoilt.keys()), context, owner);
  return true;
}

/// The same of an object in memory: each field by itself, then what must hold between them. `at` is
/// where it came from, or the object that it is part of.
template <typename Owner>
void check_object(ReadContext& context, Owner& owner, Position at) {
  if constexpr (requires { owner.at; }) {
    if (owner.at.known()) at = owner.at;
  }
  SpoiltKeys spoilt;
  for (const Field<Owner>& field : fields<Owner>()) {
    if (field.check == nullptr || field.check(field.key, context, owner, at)) continue;
    spoilt.add(field.key);
  }
  check(Origin(at, spoilt.keys()), context, owner);
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
