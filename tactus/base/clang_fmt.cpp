/// Only for builds with clang: Debian's libfmt is built by g++, which mangles the parameter of this
/// one template in another way, so that clang's calls of it find no definition in the library.
#ifdef __clang__
#include <fmt/format.h>

template void fmt::detail::vformat_to<char>(fmt::detail::buffer<char>&, fmt::string_view,
                                            fmt::basic_format_args<fmt::buffer_context<char>>,
                                            fmt::detail::locale_ref);
#endif
