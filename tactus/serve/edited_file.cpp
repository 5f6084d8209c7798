#include "tactus/serve/edited_file.hpp"

#include <fmt/core.h>

#include <cstdint>
#include <filesystem>

#include "tactus/base/file.hpp"

namespace tactus::serve {

std::string revision_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return fmt::format("{:016x}-{}", hash, text.size());
}

EditedFile::EditedFile(std::string path)
    : path_(std::move(path)), name_(std::filesystem::path(path_).filename().string()) {}

Result<EditedFile::Contents> EditedFile::read() const {
  auto text = read_text_file(path_);
  if (!text) return text.error();
  std::string revision = revision_of(*text);
  return Contents{std::move(*text), std::move(revision)};
}

EditedFile::Outcome EditedFile::save(std::string_view text, std::string_view revision) {
  const std::lock_guard guard(saving_);
  if (!exists()) {
    return {Saved::kFailed, "tactus serve was started without a file: there is none to save to"};
  }
  const auto now = read();
  if (!now) return {Saved::kFailed, now.error().message};
  if (now->revision != revision) {
    return {Saved::kChangedMeanwhile, fmt::format("{} has changed since it was read", name_),
            now->revision};
  }
  if (auto failed = write_text_file(path_, text)) return {Saved::kFailed, failed->message};
  return {Saved::kYes, {}, revision_of(text)};
}

}  // namespace tactus::serve
