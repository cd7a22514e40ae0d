// SPDX-License-Identifier: BSD-3-Clause
// See lines.hpp.
#include "launcher/lines.hpp"

#include <ctime>

namespace bowline::launcher {

void LineCutter::emit(std::string_view piece, std::string& out) {
  if (!in_line_) out += timed_ ? expand_time(tag_, std::time(nullptr)) : tag_;
  out += piece;
  in_line_ = piece.back() != '\n';
}

void LineCutter::add(std::string_view bytes, std::string& out) {
  if (tag_.empty()) {
    const size_t last = bytes.rfind('\n');
    if (last != std::string_view::npos) {
      out += partial_;
      out += bytes.substr(0, last + 1);
      partial_.clear();
      bytes.remove_prefix(last + 1);
    }
    partial_ += bytes;
  } else {
    partial_ += bytes;
    size_t begin = 0;
    for (size_t end; (end = partial_.find('\n', begin)) != std::string::npos; begin = end + 1) {
      emit(std::string_view(partial_).substr(begin, end + 1 - begin), out);
    }
    partial_.erase(0, begin);
  }
  if (partial_.size() > longest_line) show_partial(out);
}

void LineCutter::show_partial(std::string& out) {
  if (partial_.empty()) return;
  emit(partial_, out);
  partial_.clear();
}

void LineCutter::finish(std::string& out) {
  show_partial(out);
  if (in_line_ && !tag_.empty()) out += '\n';
  in_line_ = false;
}

}  // namespace bowline::launcher
