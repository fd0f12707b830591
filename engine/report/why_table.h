// Where the time went, as a table and sentences.
#pragma once

#include "report/summary_table.h"

namespace mmapscope {

/// A row an arm, a column a part, in the unit that suits the shortest wall time. No rows: nothing was taken
/// apart. Parts no arm has are left out.
[[nodiscard]] SummaryTable whyTable(const Study& study);

/// One an arm, in the order of the table.
[[nodiscard]] std::vector<std::string> whySentences(const Study& study);

}  // namespace mmapscope
