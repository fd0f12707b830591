// 128-bit integers, which GCC and Clang have and ISO C++ doesn't name.
#pragma once

namespace mmapscope {

__extension__ using Uint128 = unsigned __int128;
__extension__ using Int128 = __int128;

}  // namespace mmapscope
