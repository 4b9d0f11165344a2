/* SHA-256 (FIPS 180-4): names scenes and protects checkpoints. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_SIZE = 32, SHA256_TEXT_SIZE = 65 };

typedef struct sha256 {
    uint32_t state[8];
    uint64_t length; /* bytes so far */
    unsigned char block[64];
} sha256;

void sha256_start(sha256 *hash);
void sha256_add(sha256 *hash, const void *data, size_t size);
/* 64 lower-case hexadecimal digits and a 0 byte. */
void sha256_text(sha256 *hash, char text[SHA256_TEXT_SIZE]);

/* All at once. */
void sha256_of(const void *data, size_t size, char text[SHA256_TEXT_SIZE]);

#endif
