// A run's samples, kept by column: a study has a million of them, and most figures seldom change.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <span>
#include <vector>

#include "run/sample.h"

namespace mmapscope {

/// One figure over the samples: each value, or only where it changes, whichever is smaller.
class SampleValues {
  public:
    void append(std::uint64_t value);
    /// `hint` makes reading in ascending order fast; begin with 0. Precondition: row < size().
    [[nodiscard]] std::uint64_t at(std::size_t row, std::uint32_t& hint) const;
    [[nodiscard]] std::size_t size() const { return size_; }
    void shrink();

  private:
    void spread();

    std::vector<std::uint64_t> values_;
    std::vector<std::uint32_t> starts_;  ///< first row of each of values_; unused once `dense_`
    std::size_t size_ = 0;
    bool dense_ = false;
};

/// Reads like a vector of Sample, whose elements are made when they are looked at.
class SampleSeries {
  public:
    static constexpr std::size_t kColumns = sizeof(Sample) / sizeof(std::uint64_t);
    /// In the order of Sample's members.
    using Columns = std::array<SampleValues, kColumns>;

    SampleSeries() = default;
    SampleSeries(std::span<const Sample> samples);     // NOLINT: a series is what they are
    SampleSeries(const std::vector<Sample>& samples);  // NOLINT
    SampleSeries(std::initializer_list<Sample> samples);
    /// Precondition: all of one length.
    explicit SampleSeries(Columns columns) : columns_(std::move(columns)) {}

    class Iterator;
    using value_type = Sample;
    using const_iterator = Iterator;

    [[nodiscard]] std::size_t size() const { return columns_.front().size(); }
    [[nodiscard]] bool empty() const { return size() == 0; }
    [[nodiscard]] Sample operator[](std::size_t row) const;
    [[nodiscard]] Sample front() const { return (*this)[0]; }
    [[nodiscard]] Sample back() const { return (*this)[size() - 1]; }
    [[nodiscard]] Iterator begin() const;
    [[nodiscard]] Iterator end() const;
    [[nodiscard]] const Columns& columns() const { return columns_; }
    void push_back(const Sample& sample);
    void clear() { *this = {}; }

  private:
    Columns columns_;
};

class SampleSeries::Iterator {
  public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Sample;
    using difference_type = std::ptrdiff_t;
    using pointer = const Sample*;
    using reference = Sample;

    Iterator() = default;
    Iterator(const SampleSeries* series, std::size_t row) : series_(series), row_(row) {}
    [[nodiscard]] Sample operator*() const;
    Iterator& operator++() {
        ++row_;
        return *this;
    }
    Iterator operator++(int) {
        Iterator before = *this;
        ++row_;
        return before;
    }
    [[nodiscard]] bool operator==(const Iterator& other) const { return row_ == other.row_; }

  private:
    const SampleSeries* series_ = nullptr;
    std::size_t row_ = 0;
    mutable std::array<std::uint32_t, kColumns> hints_{};
};

}  // namespace mmapscope
