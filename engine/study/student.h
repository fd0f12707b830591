// Student's t distribution, for differences whose spread was itself estimated from few values.
#pragma once

namespace mmapscope {

/// P(T ≥ t) with `df` > 0 degrees of freedom (need not be whole; large ones tend to the normal distribution).
[[nodiscard]] double studentUpperTail(double t, double df);

/// The t with studentUpperTail(t, df) == tail. Precondition: 0 < tail ≤ 0.5.
[[nodiscard]] double studentQuantile(double tail, double df);

}  // namespace mmapscope
