#include "tactus/model/written.hpp"

namespace tactus {

void describe_object(json::Writer& out, std::span<const Described> members) {
  out.key("type").string("object");
  out.key("additionalProperties");
  const Described* others = nullptr;
  for (const Described& member : members) {
    if (member.key.empty()) others = &member;
  }
  if (others != nullptr) {
    out.begin_object().key("description").string(others->doc);
    others->describe(out);
    out.end_object();
  } else {
    out.boolean(false);
  }
  out.key("required").begin_array();
  for (const Described& member : members) {
    if (member.required) out.string(member.key);
  }
  out.end_array().key("properties").begin_object();
  for (const Described& member : members) {
    if (member.key.empty()) continue;
    out.key(member.key).begin_object();
    out.key("description").string(member.doc);
    member.describe(out);
    out.end_object();
  }
  out.end_object();
}

}  // namespace tactus
