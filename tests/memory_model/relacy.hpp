// SPDX-License-Identifier: BSD-3-Clause
// Relacy without its macros, which replace words of the language and of the standard library in all code behind it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <vector>

// Relacy's headers end with these macros.
#pragma push_macro("errno")
#include <relacy/relacy.hpp>
#undef new
#undef delete
#undef malloc
#undef calloc
#undef realloc
#undef free
#undef assert
#undef memory_order_relaxed
#undef memory_order_consume
#undef memory_order_acquire
#undef memory_order_release
#undef memory_order_acq_rel
#undef memory_order_seq_cst
#pragma pop_macro("errno")

// Relacy's operators are inline. Their addresses make the compiler export them, so that libstdc++ uses them, too:
// strings that it allocates are freed here.
[[gnu::used]] inline void* (*const operator_new_of_all)(std::size_t) = &::operator new;
[[gnu::used]] inline void (*const operator_delete_of_all)(void*) = &::operator delete;
