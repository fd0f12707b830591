// Ticks that read well: powers of two for MiB, SI letters for counts, the fitting unit for time.
#pragma once

#include <qcustomplot.h>

#include <QString>

namespace mmapscope {

/// "0", "250", "1.5 k", "12 M", "3 G": for counts on an axis, where exact digits would only be noise.
[[nodiscard]] QString compactNumber(double value);

/// A step of 1, 2, 4, 8 … (or their halves below 1) that gives about `count` ticks. Precondition: range,
/// count > 0.
[[nodiscard]] double binaryStep(double range, int count);

struct TimeUnit {
    double perSecond;  ///< 1e6 for µs
    const char* name;
};
/// The largest of s, ms, µs, ns in which `seconds` is at least 1.
[[nodiscard]] TimeUnit timeUnitFor(double seconds);

/// For amounts of MiB.
class BinaryTicker : public QCPAxisTicker {
  protected:
    double getTickStep(const QCPRange& range) override;
    int getSubTickCount(double) override { return 0; }
    QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override;
};

/// Axis values are bytes; labels are in KiB where the range is small, else in MiB.
class OffsetTicker : public BinaryTicker {
  public:
    [[nodiscard]] static QString unitOf(const QCPRange& range);

  protected:
    double getTickStep(const QCPRange& range) override;
    QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override;

  private:
    double unit_ = 1;
};

/// Steps of 1, 2, 5; `letters`: compactNumber, else plain digits.
class NumberTicker : public QCPAxisTicker {
  public:
    explicit NumberTicker(bool letters) : letters_(letters) {}

  protected:
    int getSubTickCount(double) override { return 0; }
    QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override;

  private:
    bool letters_;
};

/// Axis values are seconds; labels are in timeUnitFor(the range).
class TimeTicker : public QCPAxisTicker {
  public:
    void setUnit(TimeUnit unit) { unit_ = unit; }

  protected:
    QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override;

  private:
    TimeUnit unit_{1, "s"};
};

}  // namespace mmapscope
