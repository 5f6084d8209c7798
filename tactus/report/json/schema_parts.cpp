#include "tactus/report/json/schema_parts.hpp"

#include "tactus/model/whole_document.hpp"

namespace tactus::report::schema {
namespace {

void write_about(json::Writer& out, std::string_view about) {
  if (!about.empty()) out.key("description").string(about);
}

Schema typed(std::string_view type, std::string_view about) {
  return [=](json::Writer& out) {
    out.key("type").string(type);
    write_about(out, about);
  };
}

void write_keys(json::Writer& out, const std::vector<Key>& keys, bool or_null = false) {
  out.key("type");
  if (or_null) {
    out.begin_array().string("object").string("null").end_array();
  } else {
    out.string("object");
  }
  out.key("properties").begin_object();
  for (const Key& key : keys) {
    out.key(key.name).begin_object();
    key.schema(out);
    out.end_object();
  }
  out.end_object();
  out.key("required").begin_array();
  for (const Key& key : keys) {
    if (key.required) out.string(key.name);
  }
  out.end_array();
  out.key("additionalProperties").boolean(false);
}

}  // namespace

Schema text(std::string_view about) { return typed("string", about); }
Schema flag(std::string_view about) { return typed("boolean", about); }
Schema signed_number(std::string_view about) { return typed("number", about); }

Schema integer(std::string_view about) {
  return [=](json::Writer& out) {
    out.key("type").string("integer").key("minimum").integer(0);
    write_about(out, about);
  };
}

Schema number(std::string_view about) {
  return [=](json::Writer& out) {
    out.key("type").string("number").key("minimum").integer(0);
    write_about(out, about);
  };
}

Schema word(std::string_view about, std::vector<std::string_view> words) {
  return [about, words = std::move(words)](json::Writer& out) {
    out.key("enum").begin_array();
    for (const std::string_view one : words) out.string(one);
    out.end_array();
    write_about(out, about);
  };
}

Schema any_of_types(std::string_view about, std::vector<std::string_view> types) {
  return [about, types = std::move(types)](json::Writer& out) {
    out.key("type").begin_array();
    for (const std::string_view one : types) out.string(one);
    out.end_array();
    write_about(out, about);
  };
}

Schema list(std::string_view about, Schema items) {
  return [about, items = std::move(items)](json::Writer& out) {
    out.key("type").string("array");
    write_about(out, about);
    out.key("items").begin_object();
    items(out);
    out.end_object();
  };
}

Schema object(std::string_view about, std::vector<Key> keys) {
  return [about, keys = std::move(keys)](json::Writer& out) {
    write_about(out, about);
    write_keys(out, keys);
  };
}

Schema object_or_null(std::string_view about, std::vector<Key> keys) {
  return [about, keys = std::move(keys)](json::Writer& out) {
    write_about(out, about);
    write_keys(out, keys, true);
  };
}

Schema by_name(std::string_view about, Schema values) {
  return [about, values = std::move(values)](json::Writer& out) {
    out.key("type").string("object");
    write_about(out, about);
    out.key("additionalProperties").begin_object();
    values(out);
    out.end_object();
  };
}

std::string document(std::string_view title, std::vector<Key> keys) {
  return schema_with(title, [&](json::Writer& out) { write_keys(out, keys); });
}

}  // namespace tactus::report::schema
