// SPDX-License-Identifier: BSD-3-Clause
// Stands in for what coll/slots uses of coll/channel.
#include "coll/channel/call_id.hpp"

namespace bowline::coll {

Error different_calls(int, CallId, CallId) {
  return {ErrorClass::other, "the members' calls differ"};
}

}  // namespace bowline::coll
