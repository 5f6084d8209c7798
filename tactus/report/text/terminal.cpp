#include "tactus/report/text/terminal.hpp"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <utf8proc.h>

#include <algorithm>

#include "tactus/host/terminal.hpp"

namespace tactus::report {
namespace {

/// Nobody can read a table on less; a narrower terminal folds these lines itself.
constexpr int kNarrowest = 30;

std::string_view sequence_of(Ink ink) {
  switch (ink) {
    case Ink::kPlain:
      break;
    case Ink::kBold:
      return host::kBold;
    case Ink::kDim:
      return host::kDim;
    case Ink::kRed:
      return host::kRed;
    case Ink::kGreen:
      return host::kGreen;
    case Ink::kYellow:
      return host::kYellow;
  }
  return host::kPlain;
}

}  // namespace

Style Style::of(int file_descriptor) {
  Style style;
  style.colour = host::has_colours(file_descriptor);
  if (!host::is_terminal(file_descriptor)) return style;
  style.unicode = !host::is_dumb();
  winsize size{};
  if (ioctl(file_descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    style.width = style.fold = std::max<int>(kNarrowest, size.ws_col);
  }
  return style;
}

std::string inked(std::string_view text, Ink ink, const Style& style) {
  if (!style.colour || ink == Ink::kPlain) return std::string(text);
  return fmt::format("{}{}{}", sequence_of(ink), text, host::kPlain);
}

int display_width(std::string_view text) {
  int width = 0;
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  auto left = static_cast<utf8proc_ssize_t>(text.size());
  while (left > 0) {
    if (*bytes >= ' ' && *bytes <= '~') {  // nearly all of what is printed
      ++width;
      ++bytes;
      --left;
      continue;
    }
    utf8proc_int32_t code_point = 0;
    const utf8proc_ssize_t used = utf8proc_iterate(bytes, left, &code_point);
    if (used <= 0) break;  // not UTF-8; the reader does not let that in
    width += utf8proc_charwidth(code_point);
    bytes += used;
    left -= used;
  }
  return width;
}

}  // namespace tactus::report
