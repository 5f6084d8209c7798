#include "tactus/base/time.hpp"

namespace tactus::checked {

void throw_overflow() { throw OverflowError(); }

}  // namespace tactus::checked
