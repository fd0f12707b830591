// What a sweep planned and found.
#include "report/attribution_json.h"
#include "run/record_json.h"

namespace mmapscope {

Json sweepToJson(const SweepPlan& sweep) {
    Json json = Json::object();
    Json& sizes = json["sizes_bytes"] = Json::array();
    for (const Bytes size : sweep.sizes) {
        sizes.push_back(size.count());
    }
    json["more_points"] = sweep.morePoints;
    json["file_stamp"] = stampToJson(sweep.stamp);
    json["complete"] = sweep.complete;
    json["runs_saved"] = sweep.runsSaved;
    return json;
}

Result<SweepPlan> sweepFromJson(const Json& json, const std::string& where) {
    SweepPlan sweep;
    JsonReader reader(json, where);
    std::vector<std::uint64_t> sizes;
    reader.required("sizes_bytes", sizes);
    for (const std::uint64_t size : sizes) {
        sweep.sizes.emplace_back(size);
    }
    reader.optional("more_points", sweep.morePoints);
    reader.optional("complete", sweep.complete);
    reader.optional("runs_saved", sweep.runsSaved);
    if (const Json* stamp = reader.object("file_stamp")) {
        reader.adopt(readStamp(*stamp, reader.placeOf("file_stamp"), sweep.stamp));
    }
    if (reader.status() && sweep.sizes.size() < 2) {
        reader.wrong("sizes_bytes", "holds fewer than two sizes");
    }
    return reader.status().map([&] { return std::move(sweep); });
}

Json crossoverToJson(const Crossover& c) {
    Json json = Json::object();
    json["arm"] = c.arm;
    json["baseline"] = c.baseline;
    json["size_low_bytes"] = c.low.count();
    json["size_high_bytes"] = c.high.count();
    json["size_bytes"] = c.size.count();
    json["confidence"] = c.confidence;
    json["faster"] = c.fasterBelow ? "below" : "above";
    return json;
}

Result<Crossover> crossoverFromJson(const Json& json, const std::string& where) {
    Crossover c;
    std::string faster;
    JsonReader reader(json, where);
    reader.required("arm", c.arm);
    reader.required("baseline", c.baseline);
    reader.required("size_low_bytes", c.low);
    reader.required("size_high_bytes", c.high);
    reader.required("size_bytes", c.size);
    reader.optional("confidence", c.confidence);
    reader.optional("faster", faster);
    c.fasterBelow = faster == "below";
    return reader.status().map([&] { return c; });
}

}  // namespace mmapscope
