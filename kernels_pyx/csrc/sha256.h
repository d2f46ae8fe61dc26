/* SHA-256 (FIPS 180-4) whose state between blocks can be kept: a download that goes on after a kill goes on hashing. */
#ifndef OUZEL_SHA256_H
#define OUZEL_SHA256_H

#include <stddef.h>
#include <stdint.h>

void sha256_start(uint32_t state[8]);
/* Take in `blocks` blocks of 64 bytes; plain: without the processor's own instructions for it. */
void sha256_blocks(uint32_t state[8], const uint8_t *data, size_t blocks, int plain);

#endif
