#include "run/sample_series.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace mmapscope {
namespace {

using Words = std::array<std::uint64_t, SampleSeries::kColumns>;
static_assert(sizeof(Words) == sizeof(Sample));

/// Shorter ones stay as they are: nothing is won.
constexpr std::size_t kFewRows = 64;

}  // namespace

void SampleValues::append(std::uint64_t value) {
    if (dense_) {
        values_.push_back(value);
    } else if (values_.empty() || values_.back() != value) {
        values_.push_back(value);
        starts_.push_back(static_cast<std::uint32_t>(size_));
        constexpr std::size_t kChangeBytes = sizeof(std::uint64_t) + sizeof(std::uint32_t);
        if (size_ > kFewRows && values_.size() * kChangeBytes > size_ * sizeof(std::uint64_t)) {
            ++size_;
            spread();
            return;
        }
    }
    ++size_;
}

void SampleValues::spread() {
    std::vector<std::uint64_t> all;
    all.reserve(size_ + size_ / 2);
    for (std::size_t i = 0; i < values_.size(); ++i) {
        const std::size_t end = i + 1 < starts_.size() ? starts_[i + 1] : size_;
        all.resize(end, values_[i]);
    }
    values_ = std::move(all);
    starts_ = {};
    dense_ = true;
}

std::uint64_t SampleValues::at(std::size_t row, std::uint32_t& hint) const {
    if (dense_) {
        return values_[row];
    }
    if (hint >= starts_.size() || starts_[hint] > row) {
        hint = static_cast<std::uint32_t>(std::upper_bound(starts_.begin(), starts_.end(), row) -
                                          starts_.begin() - 1);
    }
    while (hint + 1 < starts_.size() && starts_[hint + 1] <= row) {
        ++hint;
    }
    return values_[hint];
}

void SampleValues::shrink() {
    values_.shrink_to_fit();
    starts_.shrink_to_fit();
}

SampleSeries::SampleSeries(std::span<const Sample> samples) {
    for (const Sample& sample : samples) {
        push_back(sample);
    }
    for (SampleValues& column : columns_) {
        column.shrink();
    }
}

SampleSeries::SampleSeries(const std::vector<Sample>& samples)
    : SampleSeries(std::span<const Sample>(samples)) {}

SampleSeries::SampleSeries(std::initializer_list<Sample> samples)
    : SampleSeries(std::span<const Sample>(samples.begin(), samples.size())) {}

void SampleSeries::push_back(const Sample& sample) {
    const auto words = std::bit_cast<Words>(sample);
    for (std::size_t c = 0; c < kColumns; ++c) {
        columns_[c].append(words[c]);
    }
}

Sample SampleSeries::operator[](std::size_t row) const {
    Words words;
    for (std::size_t c = 0; c < kColumns; ++c) {
        std::uint32_t hint = UINT32_MAX;  // found by search
        words[c] = columns_[c].at(row, hint);
    }
    return std::bit_cast<Sample>(words);
}

Sample SampleSeries::Iterator::operator*() const {
    Words words;
    for (std::size_t c = 0; c < kColumns; ++c) {
        words[c] = series_->columns_[c].at(row_, hints_[c]);
    }
    return std::bit_cast<Sample>(words);
}

SampleSeries::Iterator SampleSeries::begin() const {
    return {this, 0};
}

SampleSeries::Iterator SampleSeries::end() const {
    return {this, size()};
}

}  // namespace mmapscope
