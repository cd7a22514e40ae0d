// SPDX-License-Identifier: BSD-3-Clause
// Hand-written loops for the operators that op.c measures. They use vectors of the widest kind that the processor has,
// two in each step. On processors other than x86-64, and for operators without an AVX2 instruction, they are plain
// loops.
#ifndef BOWLINE_PERF_OP_LOOPS_H
#define BOWLINE_PERF_OP_LOOPS_H

#include <stddef.h>
#include <stdint.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

// inout[i] = in[i] (op) inout[i]; `bytes` is the size of one array.
typedef void (*Loop)(const void* in, void* inout, size_t bytes);

#define PLUS(a, b) ((a) + (b))
#define TIMES(a, b) ((a) * (b))
#define LARGER(a, b) ((a) > (b) ? (a) : (b))

#define PLAIN_LOOP(name, type, combine)                                                \
  static void name(const void* in, void* inout, size_t bytes) {                        \
    const type* from = in;                                                             \
    type* to = inout;                                                                  \
    for (size_t i = 0; i < bytes / sizeof(type); ++i) to[i] = combine(from[i], to[i]); \
  }

// `vector` is the type of `size` bytes that `load` and `store` move and `operation` combines.
#define VECTOR_LOOP(name, instructions, type, size, load, store, operation, combine)                  \
  __attribute__((target(instructions))) static void name(const void* in, void* inout, size_t bytes) { \
    const type* from = in;                                                                            \
    type* to = inout;                                                                                 \
    const size_t step = (size) / sizeof(type), count = bytes / sizeof(type);                          \
    size_t i = 0;                                                                                     \
    for (; i + 2 * step <= count; i += 2 * step) {                                                    \
      store((void*)(to + i), operation(load((const void*)(from + i)), load((const void*)(to + i))));  \
      store((void*)(to + i + step),                                                                   \
            operation(load((const void*)(from + i + step)), load((const void*)(to + i + step))));     \
    }                                                                                                 \
    for (; i < count; ++i) to[i] = combine(from[i], to[i]);                                           \
  }

PLAIN_LOOP(plain_sum_float, float, PLUS)
PLAIN_LOOP(plain_sum_double, double, PLUS)
PLAIN_LOOP(plain_sum_int32, uint32_t, PLUS)
PLAIN_LOOP(plain_sum_int64, uint64_t, PLUS)
PLAIN_LOOP(plain_max_float, float, LARGER)
PLAIN_LOOP(plain_max_double, double, LARGER)
PLAIN_LOOP(plain_max_int32, int32_t, LARGER)
PLAIN_LOOP(plain_max_int64, int64_t, LARGER)
PLAIN_LOOP(plain_prod_float, float, TIMES)
PLAIN_LOOP(plain_prod_double, double, TIMES)
PLAIN_LOOP(plain_prod_int32, uint32_t, TIMES)
PLAIN_LOOP(plain_prod_int64, uint64_t, TIMES)

static void plain_prod_complex(const void* in, void* inout, size_t bytes) {
  const double* from = in;
  double* to = inout;
  for (size_t i = 0; i < bytes / sizeof(double); i += 2) {
    const double re = from[i] * to[i] - from[i + 1] * to[i + 1];
    to[i + 1] = from[i] * to[i + 1] + from[i + 1] * to[i];
    to[i] = re;
  }
}

#if defined(__x86_64__)

#define AVX512 "avx512f,avx512dq"
#define WIDE_LOOP(name, type, load, store, operation, combine) \
  VECTOR_LOOP(name, AVX512, type, 64, load, store, operation, combine)
#define NARROW_LOOP(name, type, load, store, operation, combine) \
  VECTOR_LOOP(name, "avx2", type, 32, load, store, operation, combine)

WIDE_LOOP(wide_sum_float, float, _mm512_loadu_ps, _mm512_storeu_ps, _mm512_add_ps, PLUS)
WIDE_LOOP(wide_sum_double, double, _mm512_loadu_pd, _mm512_storeu_pd, _mm512_add_pd, PLUS)
WIDE_LOOP(wide_sum_int32, uint32_t, _mm512_loadu_si512, _mm512_storeu_si512, _mm512_add_epi32, PLUS)
WIDE_LOOP(wide_sum_int64, uint64_t, _mm512_loadu_si512, _mm512_storeu_si512, _mm512_add_epi64, PLUS)
WIDE_LOOP(wide_max_float, float, _mm512_loadu_ps, _mm512_storeu_ps, _mm512_max_ps, LARGER)
WIDE_LOOP(wide_max_double, double, _mm512_loadu_pd, _mm512_storeu_pd, _mm512_max_pd, LARGER)
WIDE_LOOP(wide_max_int32, int32_t, _mm512_loadu_si512, _mm512_storeu_si512, _mm512_max_epi32, LARGER)
WIDE_LOOP(wide_max_int64, int64_t, _mm512_loadu_si512, _mm512_storeu_si512, _mm512_max_epi64, LARGER)
WIDE_LOOP(wide_prod_float, float, _mm512_loadu_ps, _mm512_storeu_ps, _mm512_mul_ps, TIMES)
WIDE_LOOP(wide_prod_double, double, _mm512_loadu_pd, _mm512_storeu_pd, _mm512_mul_pd, TIMES)
WIDE_LOOP(wide_prod_int32, uint32_t, _mm512_loadu_si512, _mm512_storeu_si512, _mm512_mullo_epi32, TIMES)
WIDE_LOOP(wide_prod_int64, uint64_t, _mm512_loadu_si512, _mm512_storeu_si512, _mm512_mullo_epi64, TIMES)

NARROW_LOOP(narrow_sum_float, float, _mm256_loadu_ps, _mm256_storeu_ps, _mm256_add_ps, PLUS)
NARROW_LOOP(narrow_sum_double, double, _mm256_loadu_pd, _mm256_storeu_pd, _mm256_add_pd, PLUS)
NARROW_LOOP(narrow_sum_int32, uint32_t, _mm256_loadu_si256, _mm256_storeu_si256, _mm256_add_epi32, PLUS)
NARROW_LOOP(narrow_sum_int64, uint64_t, _mm256_loadu_si256, _mm256_storeu_si256, _mm256_add_epi64, PLUS)
NARROW_LOOP(narrow_max_float, float, _mm256_loadu_ps, _mm256_storeu_ps, _mm256_max_ps, LARGER)
NARROW_LOOP(narrow_max_double, double, _mm256_loadu_pd, _mm256_storeu_pd, _mm256_max_pd, LARGER)
NARROW_LOOP(narrow_max_int32, int32_t, _mm256_loadu_si256, _mm256_storeu_si256, _mm256_max_epi32, LARGER)
NARROW_LOOP(narrow_prod_float, float, _mm256_loadu_ps, _mm256_storeu_ps, _mm256_mul_ps, TIMES)
NARROW_LOOP(narrow_prod_double, double, _mm256_loadu_pd, _mm256_storeu_pd, _mm256_mul_pd, TIMES)
NARROW_LOOP(narrow_prod_int32, uint32_t, _mm256_loadu_si256, _mm256_storeu_si256, _mm256_mullo_epi32, TIMES)

// The real part of the left number goes with both parts of the right one, the imaginary part with both swapped.
__attribute__((target(AVX512))) static void wide_prod_complex(const void* in, void* inout, size_t bytes) {
  const double* from = in;
  double* to = inout;
  size_t i = 0;
  for (; i + 8 <= bytes / sizeof(double); i += 8) {
    const __m512d left = _mm512_loadu_pd(from + i), right = _mm512_loadu_pd(to + i);
    const __m512d crossed = _mm512_mul_pd(_mm512_permute_pd(left, 0xff), _mm512_permute_pd(right, 0x55));
    _mm512_storeu_pd(to + i, _mm512_fmaddsub_pd(_mm512_movedup_pd(left), right, crossed));
  }
  plain_prod_complex(from + i, to + i, bytes - i * sizeof(double));
}

__attribute__((target("avx2"))) static void narrow_prod_complex(const void* in, void* inout, size_t bytes) {
  const double* from = in;
  double* to = inout;
  size_t i = 0;
  for (; i + 4 <= bytes / sizeof(double); i += 4) {
    const __m256d left = _mm256_loadu_pd(from + i), right = _mm256_loadu_pd(to + i);
    const __m256d crossed = _mm256_mul_pd(_mm256_permute_pd(left, 0xf), _mm256_permute_pd(right, 0x5));
    _mm256_storeu_pd(to + i, _mm256_addsub_pd(_mm256_mul_pd(_mm256_movedup_pd(left), right), crossed));
  }
  plain_prod_complex(from + i, to + i, bytes - i * sizeof(double));
}

#define narrow_max_int64 plain_max_int64
#define narrow_prod_int64 plain_prod_int64
#define LOOPS(name) \
  { plain_##name, narrow_##name, wide_##name }

// 0: what every processor has; 1: AVX2; 2: AVX-512.
static inline int widest_loops(void) {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) return 2;
  return __builtin_cpu_supports("avx2") ? 1 : 0;
}

#else

#define LOOPS(name) \
  { plain_##name, plain_##name, plain_##name }

static inline int widest_loops(void) {
  return 0;
}

#endif

#endif
