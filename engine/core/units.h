// Strong types for amounts of data. Durations are std::chrono::nanoseconds.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

namespace mmapscope {

/// A count or offset of bytes; never negative.
class Bytes {
  public:
    constexpr Bytes() = default;
    constexpr explicit Bytes(std::uint64_t count) : count_(count) {}

    [[nodiscard]] constexpr std::uint64_t count() const { return count_; }
    /// For sizes that index memory of this process.
    [[nodiscard]] constexpr std::size_t size() const { return static_cast<std::size_t>(count_); }
    [[nodiscard]] constexpr bool isZero() const { return count_ == 0; }

    friend constexpr auto operator<=>(Bytes, Bytes) = default;
    friend constexpr Bytes operator+(Bytes a, Bytes b) { return Bytes(a.count_ + b.count_); }
    /// Precondition: b <= a.
    friend constexpr Bytes operator-(Bytes a, Bytes b) { return Bytes(a.count_ - b.count_); }
    friend constexpr Bytes operator*(Bytes a, std::uint64_t n) { return Bytes(a.count_ * n); }
    friend constexpr std::uint64_t operator/(Bytes a, Bytes b) { return a.count_ / b.count_; }
    friend constexpr Bytes operator/(Bytes a, std::uint64_t n) { return Bytes(a.count_ / n); }
    friend constexpr Bytes operator%(Bytes a, Bytes b) { return Bytes(a.count_ % b.count_); }
    constexpr Bytes& operator+=(Bytes b) {
        count_ += b.count_;
        return *this;
    }
    constexpr Bytes& operator-=(Bytes b) {
        count_ -= b.count_;
        return *this;
    }

  private:
    std::uint64_t count_ = 0;
};

[[nodiscard]] constexpr Bytes kib(std::uint64_t n) {
    return Bytes(n << 10U);
}
[[nodiscard]] constexpr Bytes mib(std::uint64_t n) {
    return Bytes(n << 20U);
}
[[nodiscard]] constexpr Bytes gib(std::uint64_t n) {
    return Bytes(n << 30U);
}

[[nodiscard]] constexpr Bytes roundDown(Bytes n, Bytes unit) {
    return n - n % unit;
}
[[nodiscard]] constexpr Bytes roundUp(Bytes n, Bytes unit) {
    return roundDown(n + unit - Bytes(1), unit);
}

/// The base page size of this system (sysconf(3) _SC_PAGESIZE): 4 KiB on x86-64, up to 64 KiB elsewhere.
[[nodiscard]] Bytes pageSize() noexcept;

/// The huge page size the MAP_HUGE_2MB sources use.
inline constexpr Bytes kHugePage = Bytes(2U << 20U);

/// A half-open range of a file's bytes.
struct Range {
    Bytes begin;
    Bytes end;

    [[nodiscard]] constexpr Bytes length() const { return end - begin; }
    friend constexpr bool operator==(const Range&, const Range&) = default;
};

}  // namespace mmapscope
