#include "study/student.h"

#include <cmath>

namespace mmapscope {
namespace {

/// The continued fraction of the incomplete beta function, by Lentz's method (NIST DLMF 8.17.22).
double betaFraction(double a, double b, double x) {
    constexpr double kTiny = 1e-300;
    constexpr double kEnough = 1e-15;
    const auto apart = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
    double c = 1;
    double d = 1 / apart(1 - (a + b) * x / (a + 1));
    double fraction = d;
    for (int m = 1; m < 1000; ++m) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 / apart(1 + even * d);
        c = apart(1 + even / c);
        fraction *= d * c;
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / apart(1 + odd * d);
        c = apart(1 + odd / c);
        fraction *= d * c;
        if (std::abs(d * c - 1) < kEnough) {
            break;
        }
    }
    return fraction;
}

/// The regularized incomplete beta function I_x(a, b) (NIST DLMF 8.17).
double incompleteBeta(double a, double b, double x) {
    if (x <= 0 || x >= 1) {
        return x <= 0 ? 0 : 1;
    }
    const double front =
        std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
    // The fraction converges fast on this side of the mean only.
    return x < (a + 1) / (a + b + 2) ? front * betaFraction(a, b, x) / a
                                     : 1 - front * betaFraction(b, a, 1 - x) / b;
}

}  // namespace

double studentUpperTail(double t, double df) {
    const double tail = incompleteBeta(df / 2, 0.5, df / (df + t * t)) / 2;
    return t >= 0 ? tail : 1 - tail;
}

double studentQuantile(double tail, double df) {
    double low = 0;
    double high = 1;
    while (studentUpperTail(high, df) > tail && high < 1e12) {
        high *= 2;
    }
    for (int i = 0; i < 200 && high - low > 1e-12 * high; ++i) {
        const double middle = (low + high) / 2;
        (studentUpperTail(middle, df) > tail ? low : high) = middle;
    }
    return (low + high) / 2;
}

}  // namespace mmapscope
