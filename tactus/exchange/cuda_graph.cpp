#include "tactus/exchange/cuda_graph.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/base/contains.hpp"
#include "tactus/exchange/node_names.hpp"
#include "tactus/exchange/numbers.hpp"

namespace tactus::exchange {
namespace {

/// The parts of a label, which are separated by line breaks (written or escaped), `|`, `{` and `}`.
std::vector<std::string> parts_of(std::string_view label) {
  std::vector<std::string> parts(1);
  for (std::size_t i = 0; i < label.size(); ++i) {
    const char c = label[i];
    const bool escaped = c == '\\' && i + 1 < label.size();
    if (escaped && (label[i + 1] == 'n' || label[i + 1] == 'l' || label[i + 1] == 'r')) {
      parts.emplace_back();
      ++i;
    } else if (escaped) {
      parts.back() += label[++i];  // \< in a record
    } else if (c == '\n' || c == '|' || c == '{' || c == '}') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  for (std::string& part : parts) {
    const std::size_t first = part.find_first_not_of(" \t\r");
    part = first == std::string::npos
               ? ""
               : part.substr(first, part.find_last_not_of(" \t\r") - first + 1);
  }
  std::erase(parts, "");
  return parts;
}

/// "<<<4,128,0>>>", "<<<{1,1,16},{8,8},0>>>" or with "dim3(4,1,1)": blocks, threads and shared memory.
void read_configuration(std::string_view text, Attributes& attributes) {
  const std::size_t start = text.find("<<<");
  const std::size_t end = text.find(">>>", start);
  if (start == std::string_view::npos || end == std::string_view::npos) return;
  std::vector<std::int64_t> products(1, 1);
  std::string digits;
  int depth = 0;
  bool in_word = false, too_large = false;
  const auto multiply = [&] {
    if (digits.empty()) return;
    const std::int64_t number = whole(digits).value_or(0);
    too_large |= __builtin_mul_overflow(products.back(), number, &products.back());
    digits.clear();
  };
  for (const char c : text.substr(start + 3, end - start - 3)) {
    const bool digit = c >= '0' && c <= '9';
    if (digit && !in_word) digits += c;
    if (!digit) multiply();
    in_word = c == 'm' || (in_word && digit);  // the 3 of "dim3(" is no number
    depth += (c == '{' || c == '(') - (c == '}' || c == ')');
    if (c == ',' && depth == 0) products.push_back(1);
  }
  multiply();
  constexpr std::size_t kParts = 3;
  if (too_large || products.size() != kParts) return;
  attributes["blocks"] = std::to_string(products[0]);
  attributes["threads"] = std::to_string(products[1]);
  if (products[2] > 0) attributes["shared_memory"] = std::to_string(products[2]);
}

/// In the short form it is said so; the long one has the two types of memory.
bool stays_on_device(std::string_view label) {
  constexpr std::string_view kType = "DEVICE (";
  const std::size_t first = label.find(kType);
  return contains(label, "DtoD") ||
         (first != std::string_view::npos &&
          label.find(kType, first + kType.size()) != std::string_view::npos);
}

bool is_number_or_handle(std::string_view part) {
  return part.find_first_not_of("0123456789 ():") == std::string_view::npos ||
         part.starts_with("0x");
}

}  // namespace

bool is_cuda_graph(const Drawing& drawing) {
  for (const DrawnGraph& graph : drawing.graphs) {
    for (const DrawnNode& node : graph.nodes) {
      if (node.id.starts_with("graph_") && contains(node.id, "_node_")) return true;
    }
  }
  return false;
}

std::vector<std::string> read_cuda_graph(Drawing& drawing) {
  std::size_t kernels = 0, others = 0;
  for (DrawnGraph& graph : drawing.graphs) {
    for (DrawnNode& node : graph.nodes) {
      const auto label = node.attributes.find("label");
      const std::string text = label == node.attributes.end() ? "" : label->second;
      node.attributes.clear();
      std::string kind, name;
      for (const std::string& part : parts_of(text)) {
        if (contains(part, "<<<")) {
          name = part.substr(0, part.find("<<<"));
          kind = "KERNEL";
          read_configuration(part, node.attributes);
        }
        for (const char* word : {"KERNEL", "MEMCPY", "MEMSET", "HOST", "EMPTY", "EVENT", "GRAPH",
                                 "MEM_ALLOC", "MEM_FREE", "CONDITIONAL"}) {
          if (kind.empty() && part.starts_with(word)) kind = word;
        }
        const bool says_something = !is_number_or_handle(part) && part != "ID" && part != kind;
        if (name.empty() && says_something) name = part;
      }
      if (kind.empty()) kind = "KERNEL";  // the short form has the function only
      const bool kernel = kind == "KERNEL";
      ++(kernel ? kernels : others);
      const bool copies = kind == "MEMCPY" && !stays_on_device(text);
      node.attributes["name"] = kernel && !name.empty() ? short_name(name) : kind;
      node.attributes["on"] = kind == "HOST" ? "cpu" : copies ? "copy" : "gpu";
    }
  }
  return {fmt::format("a CUDA graph of {} kernels and {} other nodes", kernels, others),
          "the file has no times: --times takes them from a CSV of nsys or ncu, `tactus run` and "
          "`measure` find them on a GPU"};
}

}  // namespace tactus::exchange
