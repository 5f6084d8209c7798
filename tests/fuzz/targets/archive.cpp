// Bundles of results (.tar.gz): the input is the file as it is, and once more as what was packed by gzip.
#include <zlib.h>

#include <vector>

#include "tactus/exchange/archive.hpp"
#include "tests/fuzz/targets/file.hpp"
#include "tests/fuzz/targets/fuzz.hpp"

using namespace tactus;

namespace {

void read(const fuzz::InputFile& file) {
  const auto members = exchange::read_tar_gz(file.path());
  if (!members) return fuzz::demand_one_line(members.error().message);
  for (const exchange::ArchiveMember& member : *members) {
    fuzz::demand(!member.name.empty() && member.name.front() != '/', "a name is relative");
    fuzz::demand(("/" + member.name + "/").find("/../") == std::string::npos,
                 "a name stays below the folder");
  }
}

/// As a file of gzip, not compressed: the changes of libFuzzer then reach the archive itself.
std::vector<std::uint8_t> packed(const std::uint8_t* data, std::size_t size) {
  constexpr int kGzip = 15 + 16;
  z_stream stream{};
  if (deflateInit2(&stream, Z_NO_COMPRESSION, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    std::abort();
  std::vector<std::uint8_t> made(deflateBound(&stream, size));
  stream.next_in = const_cast<std::uint8_t*>(data);
  stream.avail_in = static_cast<uInt>(size);
  stream.next_out = made.data();
  stream.avail_out = static_cast<uInt>(made.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) std::abort();
  made.resize(stream.total_out);
  deflateEnd(&stream);
  return made;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::InputFile file("bundle.tar.gz");
  file.write(data, size);
  read(file);
  const std::vector<std::uint8_t> whole = packed(data, size);
  file.write(whole.data(), whole.size());
  read(file);
  return 0;
}
