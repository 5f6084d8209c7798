/* The C interface of Tactus (libtactus.so), for programs in any language.
 *
 *     #include <tactus/tactus.h>
 *     printf("Tactus %s\n", tactus_version());
 *
 * So far it only says which library is there; systems, verdicts and plans will follow as JSON
 * documents. Everything else in the library is hidden: programs in C++ link the static libraries
 * (docs/inside/library.md). Programs that only mark GPU segments need <tactus/client.h>.
 */
#ifndef TACTUS_TACTUS_H
#define TACTUS_TACTUS_H

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library that is loaded, for example "0.1.0"; static text. */
__attribute__((visibility("default"))) const char* tactus_version(void);

#ifdef __cplusplus
}
#endif

#endif
