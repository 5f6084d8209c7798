#include "tactus/base/json_copy.hpp"

namespace tactus::json {

void copy(Writer& out, const Value& value) {
  switch (value.kind()) {
    case Kind::kNull:
      out.null();
      return;
    case Kind::kBool:
      out.boolean(value.boolean());
      return;
    case Kind::kNumber:
      out.number(value.text());
      return;
    case Kind::kString:
      out.string(value.text());
      return;
    case Kind::kArray:
      out.begin_array();
      for (const Value& item : value.items()) copy(out, item);
      out.end_array();
      return;
    case Kind::kObject:
      out.begin_object();
      for (const Member& member : value.members()) copy(out.key(member.key), member.value);
      out.end_object();
      return;
  }
}

}  // namespace tactus::json
