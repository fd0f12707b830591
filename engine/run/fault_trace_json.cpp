// A fault trace as JSON: the largest thing a run can hold, so it is written column by column.
#include "run/record_json.h"

namespace mmapscope {

Json faultTraceToJson(const FaultTrace& trace) {
    Json json = Json::object();
    json["count"] = trace.tNs.size();
    json["lost"] = trace.lost;
    json["user_only"] = trace.userOnly;
    json["t_ns"] = trace.tNs;
    Json& offsets = json["offset"] = Json::array();
    for (const std::uint64_t offset : trace.offset) {
        offsets.push_back(offset == FaultTrace::kElsewhere ? Json() : Json(offset));
    }
    json["major"] = trace.major;
    json["thread"] = trace.thread;
    return json;
}

Result<FaultTrace> faultTraceFromJson(const Json& json, const std::string& where) {
    FaultTrace trace;
    JsonReader reader(json, where);
    reader.optional("lost", trace.lost);
    reader.optional("user_only", trace.userOnly);
    reader.optional("t_ns", trace.tNs);
    reader.optional("thread", trace.thread);
    if (const Json* offsets = reader.array("offset")) {
        for (const Json& offset : *offsets) {
            if (offset.is_null()) {
                trace.offset.push_back(FaultTrace::kElsewhere);
            } else if (offset.is_number_unsigned()) {
                trace.offset.push_back(offset.get<std::uint64_t>());
            } else {
                reader.wrong("offset", "holds something that is neither an offset nor null");
                break;
            }
        }
    }
    std::vector<std::uint32_t> major;
    reader.optional("major", major);
    for (const std::uint32_t value : major) {
        trace.major.push_back(value != 0 ? 1 : 0);
    }
    const std::size_t count = trace.tNs.size();
    if (trace.offset.size() != count || trace.major.size() != count || trace.thread.size() != count) {
        reader.wrong("t_ns", "and the other columns differ in length");
    }
    return reader.status().map([&] { return std::move(trace); });
}

}  // namespace mmapscope
