#include "tactus/exchange/sha256.hpp"

#include <cstdint>

#include <sha2.h>
#include <sys/types.h>

namespace tactus::exchange {

std::string sha256(std::string_view bytes) {
  std::string digits(SHA256_DIGEST_STRING_LENGTH, '\0');
  SHA256Data(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), digits.data());
  digits.pop_back();  // the zero of a C text
  return digits;
}

}  // namespace tactus::exchange
